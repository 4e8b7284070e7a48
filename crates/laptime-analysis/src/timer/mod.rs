//! Timers in figures: what their segments took, and what the report shows of them.
//!
//! The runs of a segment come from the timer that measured them, as columns ([`SegmentRuns`]). They
//! go to the report in two ways: as a [`crate::Summary`] with a table a context ([`TimerSummary`]), and
//! as the few figures of torchtimer's table ([`ContextTotals`]).

mod runs;
mod summary;
mod totals;

pub use runs::{Origin, SegmentMemory, SegmentRecord, SegmentRun, SegmentRuns};
pub use summary::{TimedContext, Timer, TimerSummary};
pub use totals::{ContextTotals, SegmentTotals, union_ns};
