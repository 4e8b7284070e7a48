//! Steps that had hardly settled when the run ended.

use super::evidence::Evidence;
use crate::summary::doubt::Doubt;
use crate::summary::finding::Finding;

/// The least share of the run that a warm-up must take.
const WARM_UP_RATIO: f64 = 0.05;
/// The shortest warm-up: a shorter one bothers nobody.
const WARM_UP_NS: u64 = 100_000_000;

/// Finds a warm-up that took as long as the steady state, and what took the CPU meanwhile.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let (summary, steps) = (evidence.summary, evidence.steps?);
    let steady = summary.steady.as_ref()?;
    let (warm_up_ns, warm_up_count) = (steady.skipped_ns, steady.skipped_count);
    // Warm-up is that of one process, and the steps are those of all.
    let processes = steps.processes;
    let (steady_ns, steady_count) = (steps.step.total_ns / processes, steps.count / processes);
    let is_felt = warm_up_ns >= WARM_UP_NS
        && warm_up_ns as f64 >= WARM_UP_RATIO * (summary.measured_ns / processes) as f64;
    let busy = evidence.clues.busy_warm_up.as_ref();
    (is_felt && warm_up_ns >= steady_ns).then(|| Finding::WarmUp {
        path: steps.step.path.clone(),
        warm_up_count,
        warm_up_ns,
        steady_count,
        steady_ns,
        busy: busy.cloned().map(|doubt| Doubt::Steps { pid: None, doubt }),
    })
}
