//! Shows: one document, one renderer per format.
//!
//! [`render`] turns a [`Summary`](laptime_analysis::Summary) into text. This is the only
//! crate that turns a number into characters. Text, tree and markdown go through a
//! [`Document`]; JSON and CSV carry the summary's numbers as they are.

#![forbid(unsafe_code)]

pub mod document;
mod glyphs;
mod name;
mod outline;
mod paint;
pub mod quantity;
mod text;
mod view;

pub use document::Document;
pub use view::{Format, Sort, View};

use laptime_analysis::Summary;

/// Renders a summary.
pub fn render(summary: &Summary, format: Format, view: &View) -> String {
    match format {
        Format::Text if !view.tree => text::render(&Document::new(summary, view), view),
        _ => text::render(&Document::new(summary, view), view),
    }
}
