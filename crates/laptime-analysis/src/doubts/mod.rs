//! Reasons for doubt about a run, as warnings with what to do about them.
//!
//! Each function looks at one kind of evidence, and its sentence stands beside the rule.

pub(crate) mod busy_machine;
mod process;
mod run;
mod spans;

pub use process::{of_process, of_workers};
pub use run::{TORN as TORN_STEPS, has_failed, of_end, of_notes, of_outcome, of_unrecorded};
pub use spans::{of_doubled, of_excess, of_overfull, of_unbalanced};

#[cfg(test)]
#[path = "tests/run.rs"]
mod run_tests;
