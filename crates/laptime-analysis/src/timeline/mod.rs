//! The spans of a process in lanes, as a timeline draws them, short neighbours folded into one bar.

pub(crate) mod bar;
mod folding;
pub(crate) mod lanes;
pub(crate) mod span_lanes;
