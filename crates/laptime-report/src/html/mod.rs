//! The report as one HTML page: opens from disk, asks for nothing over the network.
//!
//! [`Page`] says what stands in it, [`render`] makes the bytes. The tables are markup and need no
//! JavaScript; the panels travel as compressed columns ([`payload`]) that the viewer, built from
//! `viewer/` and embedded here, decodes and draws. A panel of another kind is one more module
//! beside [`timeline`].

mod escape;
mod flame_graph;
mod moments;
mod page;
mod payload;
mod segments;
mod shell;
mod tables;
pub mod timeline;

pub(crate) use escape::text;
pub use escape::{attribute, sentence};
pub use moments::Moments;
pub use page::Page;
pub use segments::Segment;
pub use shell::render;
pub use tables::fragment;
pub(crate) use tables::pieces;
pub use timeline::{BarMemory, Curve, TimelineLane, TimelinePanel};

#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "tests/payload.rs"]
mod payload_tests;
