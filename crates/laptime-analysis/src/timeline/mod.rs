//! What a timeline draws: the spans of a process in lanes, short neighbours folded into one bar.

mod folding;
pub(crate) mod lanes;
pub(crate) mod span_lanes;
