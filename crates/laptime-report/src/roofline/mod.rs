//! The roofline: how fast what was counted can run on a machine, and what holds it back.
//!
//! After Williams, Waterman and Patterson, *Roofline: an insightful visual performance model for
//! multicore architectures* (2009): work of `x` FLOP per byte runs at `min(peak, x · bandwidth)` FLOP
//! per second at most. Left of the ridge, `peak / bandwidth`, memory holds it back, right of it
//! arithmetic. Points come from [`Counts`](laptime_core::operations::Counts) or from whoever joins
//! counts with time; they are drawn by [`plot`] in a terminal and by [`svg`] in a page.

mod axis;
mod ceiling;
mod content;
mod json;
pub mod plot;
mod points;
mod section;
pub mod svg;
mod symbol_places;

#[cfg(feature = "schema")]
pub(crate) use crate::roofline::json::RooflineNumbers;
pub use ceiling::Roof;
pub use content::{MOST_POINTS, Point, Roofline, mark};
pub use points::of_counts;

#[cfg(test)]
#[path = "tests/roofline.rs"]
mod tests;
