//! A contest: several contenders in turn, until it's clear which are faster.
//!
//! [`Contest`] is the plan of it, and [`Outcome`] its result, with a verdict for each pair.

mod outcome;
mod rounds;
mod verdicts;

pub use outcome::{Outcome, Pair};
pub use rounds::{Contest, Ending, LEAST_ROUNDS, Limits, Next};
