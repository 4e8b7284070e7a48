//! The way in to the report of counts: one document or table in the format that is asked for.

use laptime_core::operations::Counts;

use super::document::{document, page};
use super::subject::Subject;
use super::view::OperationsView;
use crate::document::view::Format;
use crate::roofline::Roofline;
use crate::{Shown, html, markdown, text};

/// Renders counts as the view asks for; JSON and CSV have all of them.
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
        Format::Json => crate::json::operations::render(counts, subject, roofline),
        Format::Csv => Shown::csv(&crate::csv::operations::render(counts)),
        Format::Html => {
            let page = page(counts, subject, roofline, view);
            html::render(&page)
        }
    }
}

#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "tests/json.rs"]
mod json_tests;

#[cfg(test)]
#[path = "tests/order.rs"]
mod order_tests;

#[cfg(test)]
#[path = "tests/render.rs"]
mod tests;
