//! The costs of a program's operations, shown: from [`Counts`](laptime_core::operations::Counts) to one document and
//! to bytes.
//!
//! [`render()`] is the way in. Text, markdown and HTML go through a [`Document`](crate::Document) made here; JSON
//! (read again by [`crate::json::operations::read`]) and CSV carry every number to its last digit.

mod cells;
mod document;
mod modules;
mod operators;
mod render;
mod subject;
mod totals;
mod uncounted;
mod view;

pub use document::document;
pub use render::render;
pub use subject::Subject;
pub use view::{By, DEFAULT_DEPTH, OperationsSort, OperationsView};

#[cfg(test)]
#[path = "tests/examples.rs"]
pub(crate) mod examples;
