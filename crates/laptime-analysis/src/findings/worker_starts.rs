//! First batches that wait for the loader's workers to start, in each epoch anew.

use laptime_core::PhaseName;

use super::evidence::Evidence;
use super::repeated_steps::Steps;
use crate::reading::data_waits;
use crate::summarize::worker_starts::WorkerStart;
use crate::summary::finding::Finding;

/// The least share of the run that starts must cost.
const START_RATIO: f64 = 0.05;
/// The least time that they must cost: less bothers nobody.
const LEAST_NS: u64 = 500_000_000;
/// Most of the steps in which workers may start: where more have starts, each step starts its own, and a loader starts its
/// workers once in an epoch.
const EPOCHS_RATIO: f64 = 0.5;

/// Finds what all starts of workers in a run cost, if it is much.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let (summary, steps) = (evidence.summary, evidence.steps?);
    let starts = &evidence.clues.worker_starts;
    let total_ns = all_cost_ns(&steps, starts);
    let count = starts.len() as u64;
    // Of more waits, the longest are known.
    let asked = steps.count.min(data_waits::MOST as u64);
    let is_of_epochs =
        count as f64 <= EPOCHS_RATIO * asked as f64 || count <= summary.epochs.len() as u64;
    let is_much = is_of_epochs
        && total_ns >= LEAST_NS
        && total_ns as f64 >= START_RATIO * summary.measured_ns as f64;
    is_much.then_some(Finding::WorkerStarts {
        count,
        total_ns,
        wall_ns: summary.measured_ns,
    })
}

/// Returns what starts among the steps that rules ask about cost, if it is much: 0 where they have no finding.
pub fn in_steps_ns(evidence: &Evidence<'_>) -> u64 {
    let Some(steps) = evidence.steps.filter(|_| find(evidence).is_some()) else {
        return 0;
    };
    // The first of all is in warm-up.
    let steady = evidence.summary.steady.as_ref();
    let is_skipped = steady.is_some_and(|steady| steady.from_step > 0);
    let starts = &evidence.clues.worker_starts;
    all_cost_ns(&steps, &starts[usize::from(is_skipped).min(starts.len())..])
}

/// Adds up what waits for workers cost.
fn all_cost_ns(steps: &Steps<'_>, starts: &[WorkerStart]) -> u64 {
    let costs = starts.iter().map(|start| cost_ns(steps, start));
    costs.fold(0, u64::saturating_add)
}

/// Returns what a wait for workers cost: until their first lap; where they have none, beyond what a step usually waits.
fn cost_ns(steps: &Steps<'_>, start: &WorkerStart) -> u64 {
    let mut waits = steps.inside();
    let usual = waits.find(|row| {
        let name = row.names.last().map(String::as_str);
        name == Some(PhaseName::Data.text())
    });
    let usual_ns = usual.and_then(|row| row.p50_ns).unwrap_or(0);
    let beyond_usual_ns = || start.wait_ns.saturating_sub(usual_ns) + start.more_ns;
    start.lap_ns.unwrap_or_else(beyond_usual_ns)
}
