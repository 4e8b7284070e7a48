//! The report as one HTML page: opens from disk, asks for nothing over the network.
//!
//! [`Page`] says what stands in it, [`render`] makes the bytes. The tables are markup and need no
//! JavaScript; the panels travel as compressed columns ([`viewer_data`]) that the viewer, built from
//! `viewer/` and embedded here, decodes and draws. A panel of another kind is one more module
//! beside [`timeline`].

mod escape;
mod flame_graph;
mod page;
mod page_frame;
mod tables;
pub mod timeline;
mod timer_panel;
mod viewer_data;
mod viewer_marks;

pub(crate) use escape::text;
pub use escape::{attribute, sentence};
pub use page::Page;
pub use page_frame::render;
pub use tables::fragment;
pub(crate) use tables::pieces;
pub use timeline::{BarMemory, Curve, TimelineLane, TimelinePanel};
pub use timer_panel::Segment;
pub use viewer_marks::Moments;

#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "tests/payload.rs"]
mod payload_tests;
