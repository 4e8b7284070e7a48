//! Steps that wait for their data.

use laptime_core::PhaseName;

use super::evidence::Evidence;
use super::main_function;
use super::unsteady_steps;
use super::worker_starts;
use crate::summary::finding::Finding;

/// The least share of a step that waits for data must take.
const DATA_RATIO: f64 = 0.2;
/// The least share of the run that they must take.
const FELT_RATIO: f64 = 0.01;
/// The least wait per step. A shorter one is less than it takes to hand over a batch that is ready: `next()` of a `DataLoader`
/// whose two workers were ahead took 160 µs at least, and 460 µs in the median, on a virtual machine with two
/// CPUs (`PyTorch` 2.15). More workers can't save it.
const LEAST_WAIT_NS: u64 = 100_000;
/// The least time of all waits: less bothers nobody.
const LEAST_WAITS_NS: u64 = 100_000_000;

/// Finds steps that wait for their batch.
///
/// A loop that does next to nothing waits for its items most of the time, and nobody minds. Waits for workers
/// that start are left out where [`worker_starts`] tells of them.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let (summary, steps) = (evidence.summary, evidence.worked_steps()?);
    let started_ns = worker_starts::in_steps_ns(evidence);
    let is_data = |name: &String| name == PhaseName::Data.text();
    let wait = steps
        .parts()
        .find(|row| row.names.last().is_some_and(is_data))?;
    let total_ns = wait.total_ns.saturating_sub(started_ns);
    let steps_ns = steps.step.total_ns.saturating_sub(started_ns).max(1);
    let is_felt = total_ns as f64 >= FELT_RATIO * summary.measured_ns as f64
        && total_ns >= LEAST_WAITS_NS
        && total_ns / steps.count >= LEAST_WAIT_NS;
    let is_much = total_ns as f64 >= DATA_RATIO * steps_ns as f64;
    if !is_felt || !is_much {
        return None;
    }
    let (function, worker_function) = main_function::of_wait(summary, &wait.path);
    let workers = evidence.clues.worker_lap.clone();
    // Waits for workers that start have a finding of their own.
    let longest_ns = wait.max_ns.filter(|_| started_ns == 0);
    Some(Finding::DataWait {
        path: wait.path.clone(),
        per_step_ns: total_ns / steps.count,
        usual_ns: wait.p50_ns.filter(|usual_ns| {
            usual_ns.saturating_mul(2) < total_ns / wait.count.unwrap_or(1).max(1)
        }),
        longest_ns: longest_ns.filter(|longest_ns| longest_ns.saturating_mul(2) > total_ns),
        step_ns: steps_ns / steps.count,
        total_ns,
        function,
        worker_function: worker_function.filter(|_| workers.is_none()),
        workers,
        is_machine_busy: unsteady_steps::is_machine_busy(evidence),
    })
}
