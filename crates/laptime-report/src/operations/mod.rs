//! What a program's operations cost, shown: from [`Counts`] to one document and to bytes.
//!
//! [`render`] is the way in. Text, markdown and HTML go through a [`Document`] made here; JSON
//! ([`json`], read again by [`json::read`]) and CSV carry every number to its last digit.

mod csv;
mod document;
pub mod json;
mod modules;
mod operators;
mod row;
mod totals;
mod uncounted;
mod view;

pub use document::document;
pub use view::{By, DEFAULT_DEPTH, OperationsSort, OperationsView, Subject};

use laptime_core::operations::Counts;

use crate::roofline::Roofline;
use crate::view::Format;
use crate::{Shown, html, markdown, text};

/// Renders of counts what the view asks for; JSON and CSV have all of it.
///
/// The roofline is a picture in text and HTML, and a table everywhere.
pub fn render(
    counts: &Counts,
    subject: &Subject,
    roofline: Option<&Roofline>,
    format: Format,
    view: &OperationsView,
) -> Shown {
    let document = || document(counts, subject, roofline, view);
    match format {
        Format::Text | Format::Tree => Shown::lines(&text::render(&document(), &view.terminal())),
        Format::Markdown => Shown::lines(&markdown::render(&document())),
        Format::Json => json::render(counts, subject, roofline),
        Format::Csv => Shown::csv(&csv::render(counts)),
        Format::Html => {
            let page = document::page(counts, subject, roofline, view);
            html::render(&page)
        }
    }
}

#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod tests;
