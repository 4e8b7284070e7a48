//! Timers in figures: the times of their segments, and summaries of them for the report.
//!
//! The runs of a segment come from the timer that measured them, as columns ([`SegmentRuns`]). Each
//! segment of a context becomes a row. Rows go to the report as a [`crate::Summary`] with
//! a table a context ([`TimerSummary`]). [`runtime_ns`] is how long any segment of a context ran.

mod runtime;
mod segment_runs;
mod summary;

pub use runtime::runtime_ns;
pub use segment_runs::{Origin, SegmentMemory, SegmentRecord, SegmentRun, SegmentRuns};
pub use summary::{Timer, TimerSummary};
