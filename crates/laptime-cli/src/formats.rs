//! Formats by what users type: their names, and the endings of files.

use laptime_report::Format;

/// Formats of counts, by the name users type.
pub const FORMATS: [(&str, Format); 5] = [
    ("text", Format::Text),
    ("markdown", Format::Markdown),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("html", Format::Html),
];

/// Endings of files, and the formats they ask for.
pub const ENDINGS: [(&str, Format); 7] = [
    (".txt", Format::Text),
    (".md", Format::Markdown),
    (".markdown", Format::Markdown),
    (".json", Format::Json),
    (".csv", Format::Csv),
    (".html", Format::Html),
    (".htm", Format::Html),
];
