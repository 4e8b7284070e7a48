//! A program whose script is done while threads that it started still run: the interpreter waits for them.

use super::evidence::Evidence;
use crate::summary::finding::{Finding, ThreadsWait};

/// The least share of the run that the wait must take.
const WAIT_RATIO: f64 = 0.1;
/// The shortest wait: a shorter one bothers nobody.
const LEAST_NS: u64 = 500_000_000;

/// Finds the wait, if it is a part of the run that somebody notices.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let wait = evidence.clues.threads_wait.clone()?;
    let wall_ns = evidence.summary.measured_ns;
    let is_much = wait.total_ns >= LEAST_NS && wait.total_ns as f64 >= WAIT_RATIO * wall_ns as f64;
    is_much.then_some(Finding::ThreadsWait(ThreadsWait { wall_ns, ..wait }))
}
