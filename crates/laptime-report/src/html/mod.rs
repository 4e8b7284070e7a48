//! The report as one HTML page: opens from disk, asks for nothing over the network.
//!
//! [`Page`] says what stands in it, [`render`] makes the bytes. The tables are markup and need no
//! JavaScript; the panels travel as compressed columns ([`payload`]) that the viewer, built from
//! `viewer/` and embedded here, decodes and draws. A panel of another kind is one more module
//! beside [`timeline`].

pub mod flame_graph;
mod markup;
mod moments;
mod payload;
mod segments;
mod shell;
mod tables;
pub mod timeline;

pub(crate) use markup::text;
pub use markup::{attribute, sentence};
pub use moments::Moments;
pub use segments::Segment;
pub use shell::render;
pub(crate) use tables::pieces;
pub use timeline::{BarMemory, Curve, TimelineLane, TimelinePanel};

use laptime_core::Unavailable;

use crate::document::Document;

/// A document as a piece of a page, such as a notebook's: its tables without styles, their bars
/// made of characters.
pub fn fragment(document: &Document) -> String {
    tables::render(document, tables::Place::Notebook)
}

/// A page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The page's heading.
    pub title: String,
    /// Tables; none for a page that shows a timer's segments only.
    pub documents: Vec<Document>,
    /// What the viewer draws, from top to bottom.
    pub panels: Vec<TimelinePanel>,
    /// Where the drawing opens, marks and metrics.
    pub moments: Moments,
    /// Why there is no panel; `None` too for a page that is not about time.
    pub why: Option<Unavailable>,
    /// First width and height of the drawing, in CSS pixels.
    pub size: Option<(u32, u32)>,
}

impl Page {
    /// A page of tables, with the reason why nothing is drawn.
    pub fn of_tables(title: &str, documents: Vec<Document>, why: &str) -> Self {
        Self {
            title: title.to_owned(),
            documents,
            panels: Vec::new(),
            moments: Moments::default(),
            why: Some(Unavailable(why.to_owned())),
            size: None,
        }
    }
}

#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "tests/payload.rs"]
mod payload_tests;
