//! Steps that changed, or a machine that was busy: then the numbers of the steady state are to be doubted.

use super::evidence::Evidence;
use crate::summary::Summary;
use crate::summary::doubt::{CHANGED, Doubt};
use crate::summary::finding::Finding;

/// The least share of the run that steps must take: else they may change as they like.
const CHANGED_RATIO: f64 = 0.05;
/// The least time that steps must take in all.
const LEAST_STEPS_NS: u64 = 100_000_000;

/// Finds what the steady state says to doubt it.
///
/// Without a steady state it is the whole run that says whether the machine was busy.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let doubt = doubt(evidence)?;
    if doubt.code() == CHANGED && !is_felt(evidence.summary) {
        return None;
    }
    Some(Finding::Unsteady {
        is_busy: doubt.is_of_machine(),
        doubt,
    })
}

/// Whether steps waited for a CPU, so that more processes or threads have none to run on.
pub fn is_machine_busy(evidence: &Evidence<'_>) -> bool {
    doubt(evidence).is_some_and(|doubt| doubt.is_of_machine())
}

fn doubt(evidence: &Evidence<'_>) -> Option<Doubt> {
    match &evidence.summary.steady {
        Some(steady) => steady.warnings.first().cloned(),
        None => evidence
            .clues
            .busy_machine
            .clone()
            .map(|doubt| Doubt::Steps { pid: None, doubt }),
    }
}

/// Whether the steps take enough of the run for a change of theirs to matter.
fn is_felt(summary: &Summary) -> bool {
    let steps_ns = summary.repeated().map_or(0, |(step, _)| step.total_ns);
    steps_ns >= LEAST_STEPS_NS && steps_ns as f64 >= CHANGED_RATIO * summary.measured_ns as f64
}
