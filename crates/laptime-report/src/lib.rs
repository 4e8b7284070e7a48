//! Shows: one document, one renderer per format.
//!
//! [`render`] turns a [`Summary`](laptime_analysis::Summary) into text. This is the only
//! crate that turns a number into characters. Text, tree and markdown go through a
//! [`Document`]; JSON and CSV carry the summary's numbers as they are.

#![forbid(unsafe_code)]

pub mod benchmark;
mod brief;
mod by_process;
mod callers;
mod calls;
pub mod ceilings;
pub mod cell;
mod column;
pub mod comparison;
mod contents;
pub mod contest;
#[cfg(any(test, feature = "checked"))]
pub mod contradictions;
mod cpu;
mod csv;
mod devices;
pub mod document;
mod epoch_line;
mod epochs;
mod facts;
mod figures;
mod filter;
mod findings;
pub mod flame;
mod function_rows;
mod functions;
mod functions_csv;
mod glyphs;
pub mod headline;
pub mod html;
pub mod inference;
mod joined;
mod json;
mod markdown;
mod marks;
mod modules;
mod name;
pub mod operations;
mod operators;
mod outline;
mod paint;
pub mod quantity;
mod ranks;
pub mod roofline;
#[cfg(feature = "schema")]
pub mod schemas;
mod shown;
mod span_table;
mod steady;
mod step_line;
mod text;
mod tree;
mod until;
mod view;
mod wrap;

pub use column::Column;
pub use document::Document;
pub use epoch_line::{EpochEnd, epoch_line, total_line};
pub use filter::{has_rows, near};
pub use findings::said;
pub use name::visible;
pub use shown::Shown;
pub use step_line::step_line;
pub use text::aligned;
pub use view::{By, Format, FunctionSort, Sort, View};

use laptime_analysis::Summary;

/// Renders of a summary what the view asks for.
///
/// Tables keep the ancestors of rows that a filter lets through; JSON and CSV have only those rows.
pub fn render(summary: &Summary, format: Format, view: &View) -> Shown {
    #[cfg(any(test, feature = "checked"))]
    contradictions::refuse(summary, view);
    let document = || Document::new(summary, view);
    match format {
        Format::Text if view.tree => Shown::lines(&tree::render(&document(), view)),
        Format::Text => Shown::lines(&text::render(&document(), view)),
        Format::Tree => Shown::lines(&tree::render(&document(), view)),
        Format::Markdown => Shown::lines(&markdown::render(&document())),
        Format::Json => json::render(&filter::narrowed(summary, view)),
        Format::Csv if view.by == By::Function => Shown::csv(&functions_csv::render(summary, view)),
        Format::Csv => Shown::csv(&csv::render(summary, view)),
        Format::Html => html::render(&html::Page::of_tables(
            &summary.program,
            vec![document()],
            "only a recording on disk has one",
        )),
    }
}

/// A line above a table that has none of its own, with its end.
pub fn heading(title: &str, format: Format) -> Shown {
    let shown = visible(title);
    match format {
        Format::Markdown => Shown::lines(&format!("## {}\n", markdown::escaped(&shown))),
        _ => Shown::lines(&format!("{shown}\n")),
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

#[cfg(test)]
mod functions_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod questions_tests;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod view_tests;
