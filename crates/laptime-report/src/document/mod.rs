//! The content of a report as data: sections with tables and series, before any text.
//!
//! [`Document::new`](crate::Document::new) makes one from a summary; the renderers of text,
//! tree and markdown turn it into characters. Numbers are still numbers here and know
//! what they are.

pub(crate) mod absence_marks;
pub(crate) mod column;
mod curves;
mod fact_lines;
pub(crate) mod filter;
pub mod flame_graph;
pub(crate) mod names;
pub(crate) mod outline;
mod section;
pub(crate) mod shown;
mod summary_document;
mod table;
pub(crate) mod view;

pub use section::{Content, Document, Figure, Section};
pub use table::{Cell, Row, Table};
