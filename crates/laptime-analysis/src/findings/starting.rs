//! First batches that wait for the loader's workers to start, in each epoch anew.

use laptime_core::PhaseName;

use super::step::CAUSE_RATIO;
use super::steps::Steps;
use crate::reading::data_waits;
use crate::summarize::worker_starts::WorkerStart;
use crate::summary::Summary;
use crate::summary::finding::Finding;

/// From this share of the run on, it is worth a look.
const START_RATIO: f64 = 0.05;
/// Less in all bothers nobody.
const LEAST_NS: u64 = 500_000_000;
/// Where processes start in more than this part of the steps, each step starts its own: a loader starts its workers
/// once in an epoch.
const EPOCHS_RATIO: f64 = 0.5;

/// What waits for workers cost: until their first lap; where they have none, beyond what a step usually waits.
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

/// What all starts of workers in a run cost, if it is much.
pub fn of_steps(summary: &Summary, steps: &Steps<'_>, starts: &[WorkerStart]) -> Option<Finding> {
    let costs = starts.iter().map(|start| cost_ns(steps, start));
    let total_ns = costs.fold(0, u64::saturating_add);
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

/// What those among the steps that are asked about cost, if it is told.
pub fn in_steps_ns(summary: &Summary, steps: &Steps<'_>, starts: &[WorkerStart]) -> u64 {
    if of_steps(summary, steps, starts).is_none() {
        return 0;
    }
    // Of the steady state: the first of all is warm-up.
    let is_skipped = summary
        .steady
        .as_ref()
        .is_some_and(|steady| steady.from_step > 0);
    let asked = starts.iter().skip(usize::from(is_skipped));
    asked
        .map(|start| cost_ns(steps, start))
        .fold(0, u64::saturating_add)
}

/// Whether that is why some steps are slow.
pub fn explains(started_ns: u64, slow: &Finding) -> bool {
    matches!(slow, Finding::SlowSteps { excess_ns, .. }
        if started_ns as f64 >= CAUSE_RATIO * *excess_ns as f64)
}
