//! A program whose script is done while threads that it started still run: the interpreter waits for them.

use super::sampled;
use crate::summary::Summary;
use crate::summary::finding::{Finding, ThreadsWait};

/// From this share of the run on, the wait is worth a look.
const WAIT_RATIO: f64 = 0.1;
/// A shorter one bothers nobody.
const LEAST_NS: u64 = 500_000_000;

/// The wait, if it is a part of the run that somebody notices.
pub fn of_run(summary: &Summary, wait: Option<ThreadsWait>) -> Option<Finding> {
    let wait = wait?;
    let is_much = wait.total_ns >= LEAST_NS
        && wait.total_ns as f64 >= WAIT_RATIO * summary.measured_ns as f64;
    is_much.then_some(Finding::ThreadsWait(ThreadsWait {
        wall_ns: summary.measured_ns,
        ..wait
    }))
}

/// Whether a long end is that wait, which is said by itself.
pub fn is_known(exit: &Finding) -> bool {
    let Finding::Exit {
        function: Some(function),
        ..
    } = exit
    else {
        return false;
    };
    sampled::is_shutdown(&function.name, &function.file)
}
