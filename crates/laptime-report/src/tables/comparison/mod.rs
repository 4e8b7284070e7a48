//! A comparison of recordings, shown: from a [`Comparison`] to documents and to bytes.
//!
//! [`render`] is the way in. Text, markdown and HTML go through a [`Document`](crate::Document) for each
//! pair of sides; JSON has every number.

mod document;
mod functions;
mod other_numbers;
mod side_names;
mod table;

pub use crate::sentences::calls::kind_name as function_name;
pub use crate::sentences::comparison::headline;
pub use crate::sentences::comparison_notes::warnings;
pub use crate::sentences::differences::phrase as difference;
pub use crate::sentences::row_reason::sentence as reason;
pub use document::document;

use laptime_analysis::compare::Comparison;

use crate::document::view::{Format, View};
use crate::json::comparison as json;
use crate::{Shown, html, markdown, text};

/// Formats in which a comparison is shown, by the name that users type.
pub const FORMATS: [(&str, Format); 4] = [
    ("text", Format::Text),
    ("markdown", Format::Markdown),
    ("json", Format::Json),
    ("html", Format::Html),
];

/// Renders a comparison; all rows where `is_whole`, else those with a clear change and the rows around them.
pub fn render(comparison: &Comparison, format: Format, view: &View, is_whole: bool) -> Shown {
    #[cfg(any(test, feature = "checked"))]
    crate::contradictions::refuse_comparison(comparison);
    let documents = || {
        let pairs = comparison.pairs.iter();
        pairs.enumerate().map(|(at, pair)| {
            let mut document = document(&comparison.base, pair, is_whole);
            if at == 0 {
                document
                    .sections
                    .splice(0..0, crate::sentences::history::section(comparison));
            }
            document
        })
    };
    match format {
        Format::Markdown => {
            let each: Vec<String> = documents().map(|one| markdown::render(&one)).collect();
            Shown::lines(&each.join("\n"))
        }
        Format::Json | Format::Csv => json::render(comparison),
        Format::Html => {
            let documents: Vec<_> = documents().collect();
            let title = match &documents[..] {
                [one] => one.title.clone(),
                _ => format!("{} and others", side_names::side_name(&comparison.base)),
            };
            html::render(&html::Page {
                why: None,
                ..html::Page::of_tables(&title, documents, "")
            })
        }
        Format::Text | Format::Tree => {
            let each: Vec<String> = documents().map(|one| text::render(&one, view)).collect();
            Shown::lines(&each.join("\n"))
        }
    }
}

/// Renders a comparison as a piece of a notebook's page.
pub fn fragment(comparison: &Comparison) -> String {
    let pairs = comparison.pairs.iter();
    let each = pairs.map(|pair| html::fragment(&document(&comparison.base, pair, false)));
    each.collect()
}

#[cfg(test)]
#[path = "tests/step_gaps.rs"]
mod step_gaps_tests;

#[cfg(test)]
#[path = "tests/comparison.rs"]
mod tests;
