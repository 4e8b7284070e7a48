//! Shows: one document, one renderer per format.
//!
//! [`render`] turns a [`Summary`](laptime_analysis::Summary) into text. This is the only
//! crate that turns a number into characters. Text, tree and markdown go through a
//! [`Document`]; JSON and CSV carry the summary's numbers as they are.

#![forbid(unsafe_code)]

#[cfg(any(test, feature = "checked"))]
pub mod contradictions;
mod csv;
pub mod document;
pub mod html;
pub mod json;
mod markdown;
pub mod next_command;
pub mod quantity;
pub mod roofline;
pub mod sentences;
pub mod tables;
pub mod text;

pub use document::Document;
pub use document::column::Column;
pub use document::filter::{has_rows, near};
pub use document::names::visible;
pub use document::shown::Shown;
pub use document::view::{By, Format, FunctionSort, Sort, View};
pub use json::finding::WordedFinding;
pub use sentences::findings::finding_sentence;
pub use text::aligned;
pub use text::epoch_line::{EpochEnd, epoch_line, total_line};
pub use text::step_line::step_line;

use laptime_analysis::Summary;

/// Renders a summary as the view asks for, in one format.
///
/// Tables keep the ancestors of rows that a filter lets through; JSON and CSV have only those rows.
pub fn render(summary: &Summary, format: Format, view: &View) -> Shown {
    #[cfg(any(test, feature = "checked"))]
    contradictions::refuse(summary, view);
    let document = || Document::new(summary, view);
    match format {
        Format::Text if view.tree => Shown::lines(&text::tree::render(&document(), view)),
        Format::Text => Shown::lines(&text::render(&document(), view)),
        Format::Tree => Shown::lines(&text::tree::render(&document(), view)),
        Format::Markdown => Shown::lines(&markdown::render(&document())),
        Format::Json => json::summary::render(summary, view),
        Format::Csv if view.by == By::Function => {
            Shown::csv(&csv::functions::render(summary, view))
        }
        Format::Csv => Shown::csv(&csv::spans::render(summary, view)),
        Format::Html => html::render(&html::Page::of_tables(
            &summary.program,
            vec![document()],
            "only a recording on disk has one",
        )),
    }
}

/// Writes a line above a table that has none, with its end.
pub fn heading(title: &str, format: Format) -> Shown {
    let shown = visible(title);
    match format {
        Format::Markdown => Shown::lines(&format!("## {}\n", markdown::escaped(&shown))),
        _ => Shown::lines(&format!("{shown}\n")),
    }
}

#[cfg(test)]
#[path = "tests/render.rs"]
mod tests;

#[cfg(test)]
#[path = "tests/functions.rs"]
mod functions_tests;

#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "tests/questions.rs"]
mod questions_tests;

#[cfg(test)]
#[path = "tests/sentences.rs"]
mod sentences_tests;

#[cfg(test)]
#[path = "tests/schema.rs"]
mod schema_tests;

#[cfg(test)]
#[path = "tests/view.rs"]
mod view_tests;
