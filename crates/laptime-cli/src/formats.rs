//! Formats by what users type: their names, and the endings of files.

use clap::builder::{PossibleValuesParser, TypedValueParser};
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

/// A parser for one of several names.
pub fn named<T: Copy + Send + Sync + 'static>(
    names: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names.iter().map(|(name, _)| *name)).try_map(|typed| {
        let found = names.iter().find(|(name, _)| *name == typed);
        found.map(|(_, value)| *value).ok_or("unknown name")
    })
}
