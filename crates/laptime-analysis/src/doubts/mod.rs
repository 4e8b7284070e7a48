//! Rules that find reasons for doubt about a run.
//!
//! Each function looks at one kind of evidence and answers with a [`Doubt`](crate::summary::doubt::Doubt), which the
//! report puts into words.

pub(crate) mod busy_machine;
pub(crate) mod longer_inputs;
mod process;
mod spans;
mod whole_run;

pub use process::{of_process, of_workers};
pub use spans::{of_doubled, of_excess, of_overfull, of_unbalanced};
pub use whole_run::{
    NO_PHASES, TORN_STEPS, has_failed, of_end, of_notes, of_outcome, of_unrecorded,
};

#[cfg(test)]
#[path = "tests/run.rs"]
mod run_tests;
