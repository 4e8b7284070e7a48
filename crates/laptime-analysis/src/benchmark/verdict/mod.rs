//! A verdict on whether one side is faster than the other, with its reason.
//!
//! [`judge`] takes in two sides of values and returns a [`Judged`]: the ratio of the medians with its interval
//! ([`estimate`]), held against a threshold. Many comparisons at once need [`control_false_discoveries`].

mod discoveries;
mod estimate;
mod interval;
mod judge;
mod judgement;
mod reason;
mod side;

pub use discoveries::control_false_discoveries;
pub use judge::{FALSE_VERDICTS, judge, judge_measured};
pub use judgement::{Judged, UnitKind, Verdict};
pub use reason::{Reason, SideName};
pub use side::{LEAST_THRESHOLD, Side, VerdictOptions};

#[cfg(test)]
#[path = "tests/verdict.rs"]
mod tests;
