//! About the steps of the steady state: what they wait for, and what makes some of them slow.

use laptime_core::PhaseName;

use super::function;
use super::steps::Steps;
use crate::summary::Summary;
use crate::summary::doubt::{CHANGED, Doubt, StepsDoubt};
use crate::summary::finding::{Cause, Finding, WorkerLap};
use crate::summary::span_row::SpanRow;
use crate::summary::work_row::BoundBy;

/// From this share of a step on, waiting for data is worth a look.
const DATA_RATIO: f64 = 0.2;
/// And from this share of the run on.
const FELT_RATIO: f64 = 0.01;
/// Steps that take less than this share of the run may change as they like.
const CHANGED_RATIO: f64 = 0.05;
/// A shorter wait per step is less than it takes to hand over a batch that is ready: `next()` of a `DataLoader`
/// whose two workers were ahead took 160 µs at least, and 460 µs in the median, on a virtual machine with two
/// CPUs (`PyTorch` 2.15). More workers can't save it.
const LEAST_WAIT_NS: u64 = 100_000;
/// Less than this in all bothers nobody.
const LEAST_WAITS_NS: u64 = 100_000_000;
/// From this share of the steps' time on, compiling is.
const COMPILE_RATIO: f64 = 0.01;
/// A single time in a process is a batch of another size, such as the last one.
const ONCE: u64 = 1;
/// A step is slow from this multiple of the median on.
pub const SLOW_RATIO: f64 = 2.0;
/// What slow steps take beyond the median is worth a look from this share of all steps' time on.
pub const EXCESS_RATIO: f64 = 0.05;
/// And from this share of the run on: a cell that trains for a moment has other troubles.
const FELT_EXCESS_RATIO: f64 = 0.02;
/// The part of what slow steps take beyond the median that a lap must take to be the cause.
pub const CAUSE_RATIO: f64 = 0.5;
/// A phase that is bound by memory is worth a look from this share of the steps' time on.
const BOUND_RATIO: f64 = 0.3;
/// What moves less than this part of what memory allows is held back by something else: by launching
/// small operators, mostly.
const NEAR_RATIO: f64 = 0.2;

/// How a percentile is read from a row.
type Percentile = fn(&SpanRow) -> Option<u64>;

/// Steps that changed, or a machine that was busy: what the steady state says to doubt it.
///
/// Without a steady state it is the whole run that says whether the machine was busy.
pub fn unsteady(summary: &Summary, busy: Option<StepsDoubt>) -> Option<Finding> {
    let doubt = match &summary.steady {
        Some(steady) => steady.warnings.first().cloned(),
        None => busy.map(|doubt| Doubt::Steps { pid: None, doubt }),
    }?;
    if doubt.code() == CHANGED && !is_felt_change(summary) {
        return None;
    }
    Some(Finding::Unsteady {
        is_busy: doubt.is_of_machine(),
        doubt,
    })
}

/// Whether the steps take enough of the run for a change of theirs to matter.
fn is_felt_change(summary: &Summary) -> bool {
    let steps_ns = summary.repeated().map_or(0, |(step, _)| step.total_ns);
    steps_ns >= LEAST_WAITS_NS && steps_ns as f64 >= CHANGED_RATIO * summary.measured_ns as f64
}

/// Steps that wait for their batch.
///
/// A loop that does next to nothing waits for its items most of the time, and nobody minds. Waits for workers
/// that start are left out where they are told by themselves: `started_ns`.
pub fn data_wait(
    summary: &Summary,
    steps: &Steps<'_>,
    started_ns: u64,
    workers: Option<WorkerLap>,
) -> Option<Finding> {
    let wait = steps
        .inside()
        .find(|row| is_part(steps, row, PhaseName::Data))?;
    let total_ns = wait.total_ns.saturating_sub(started_ns);
    let steps_ns = steps.step.total_ns.saturating_sub(started_ns).max(1);
    let is_felt = total_ns as f64 >= FELT_RATIO * summary.measured_ns as f64
        && total_ns >= LEAST_WAITS_NS
        && total_ns / steps.count >= LEAST_WAIT_NS;
    let is_much = total_ns as f64 >= DATA_RATIO * steps_ns as f64;
    let (function, worker_function) = function::of_wait(summary, &wait.path);
    let per_step_ns = total_ns / steps.count;
    // What waits for workers that start has a finding of its own.
    let longest_ns = wait.max_ns.filter(|_| started_ns == 0);
    (is_felt && is_much).then(|| Finding::DataWait {
        path: wait.path.clone(),
        per_step_ns,
        usual_ns: wait.p50_ns.filter(|usual_ns| {
            usual_ns.saturating_mul(2) < total_ns / wait.count.unwrap_or(1).max(1)
        }),
        longest_ns: longest_ns.filter(|longest_ns| longest_ns.saturating_mul(2) > total_ns),
        step_ns: steps_ns / steps.count,
        total_ns,
        function,
        worker_function: worker_function.filter(|_| workers.is_none()),
        workers,
    })
}

/// What steps wait for data, as far as it is told.
pub fn waited_ns(wait: Option<&Finding>) -> u64 {
    match wait {
        Some(Finding::DataWait { total_ns, .. }) => *total_ns,
        _ => 0,
    }
}

/// Whether a lap is the compiling of a graph.
pub fn is_compile(path: &str) -> bool {
    laptime_core::path::around(path).1 == "compile"
}

/// Graphs that are compiled again and again.
pub fn recompilation(steps: &Steps<'_>) -> Option<Finding> {
    let compiled = steps.inside().filter(|row| is_compile(&row.path));
    let most = compiled.max_by_key(|row| row.total_ns)?;
    // The first time is warm-up, be it found or not.
    let few = ONCE + u64::from(!steps.is_after_warm_up);
    let count = most.count.filter(|count| *count > few * steps.processes)?;
    (steps.ratio(most.total_ns) >= COMPILE_RATIO).then(|| Finding::Recompilation {
        path: most.path.clone(),
        count,
        is_after_warm_up: steps.is_after_warm_up,
        total_ns: most.total_ns,
    })
}

/// One step in ten, twenty or a hundred that takes at least twice as long as usual.
pub fn slow_steps(summary: &Summary, steps: &Steps<'_>) -> Option<Finding> {
    let usual_ns = steps.step.p50_ns?;
    let excess_ns = excess(steps.step);
    let is_felt = excess_ns as f64 >= FELT_EXCESS_RATIO * summary.measured_ns as f64;
    if !is_felt || steps.ratio(excess_ns) < EXCESS_RATIO {
        return None;
    }
    // A percentile must rest on two steps at least.
    let each: [(u64, Percentile); 3] = [
        (10, |row| row.p90_ns),
        (20, |row| row.p95_ns),
        (100, |row| row.p99_ns),
    ];
    let known = each
        .into_iter()
        .filter(|(one_in, _)| steps.count >= 2 * one_in);
    let (one_in, slow_ns) = known
        .filter_map(|(one_in, slow_of)| Some((one_in, slow_of(steps.step)?)))
        .find(|(_, slow_ns)| *slow_ns as f64 >= SLOW_RATIO * usual_ns as f64)?;
    let cause = cause(steps, excess_ns);
    let parts = steps.inside();
    let parts = parts.filter(|row| row.is_child_of(&steps.step.names));
    let inside_ns: u64 = parts.map(excess).fold(0, u64::saturating_add);
    Some(Finding::SlowSteps {
        path: steps.step.path.clone(),
        one_in,
        slow_ns,
        usual_ns,
        excess_ns,
        cause,
        outside_ns: excess_ns.saturating_sub(inside_ns),
        is_bare: steps.inside().next().is_none(),
    })
}

/// Whether no lap accounts for slow steps.
pub fn is_unexplained(slow: &Finding) -> bool {
    matches!(slow, Finding::SlowSteps { cause: None, .. })
}

/// Whether slow steps are those that wait for their data longest, which is said already.
pub fn is_waiting(slow: &Finding, wait: Option<&Finding>) -> bool {
    match (slow, wait) {
        (
            Finding::SlowSteps {
                cause: Some(cause), ..
            },
            Some(Finding::DataWait { path, .. }),
        ) => cause.path == *path,
        _ => false,
    }
}

/// What the long ones of a row's spans take beyond its median: what short ones take less is no gain to them.
fn excess(row: &SpanRow) -> u64 {
    row.beyond_median_ns.unwrap_or(0)
}

/// The innermost lap of every step that takes most of what they take beyond the usual.
fn cause(steps: &Steps<'_>, excess_ns: u64) -> Option<Cause> {
    let needed = CAUSE_RATIO * excess_ns as f64;
    let causes = steps
        .inside()
        .filter(|row| row.count.is_some_and(|count| count >= steps.count / 2))
        .filter(|row| excess(row) as f64 >= needed);
    let row = causes.max_by_key(|row| (row.depth(), excess(row)))?;
    let usual_ns = row.p50_ns?;
    let percentiles = [row.p90_ns, row.p95_ns, row.p99_ns, row.max_ns];
    let mut slow = percentiles.into_iter().flatten();
    Some(Cause {
        path: row.path.clone(),
        slow_ns: slow.find(|ns| *ns as f64 >= SLOW_RATIO * usual_ns as f64)?,
        usual_ns,
        excess_ns: excess(row),
    })
}

/// The longest phase whose bytes take longer than its arithmetic could, if it comes near what they allow.
pub fn memory_bound(summary: &Summary, steps: &Steps<'_>) -> Option<Finding> {
    let depth = steps.step.names.len() + 1;
    let phases = steps.inside().filter(|row| row.names.len() == depth);
    let bound = phases.filter(|row| row.work.bound == Some(BoundBy::Memory));
    let longest = bound.max_by_key(|row| row.total_ns)?;
    let intensity = longest.work.intensity?;
    let is_near = bytes_per_s(summary)
        .is_none_or(|most| longest.work.bytes_moved_per_s.unwrap_or(0.0) >= NEAR_RATIO * most);
    (is_near && steps.ratio(longest.total_ns) >= BOUND_RATIO).then(|| Finding::MemoryBound {
        path: longest.path.clone(),
        total_ns: longest.total_ns,
        intensity,
    })
}

/// The memory bandwidth of the one device that worked; `None` where it isn't known or there are several.
fn bytes_per_s(summary: &Summary) -> Option<f64> {
    match &summary.operations.as_ref()?.bytes_peaks[..] {
        [one] => Some(one.per_s),
        _ => None,
    }
}

/// Whether a row is this phase of a step.
fn is_part(steps: &Steps<'_>, row: &SpanRow, phase: PhaseName) -> bool {
    row.names.len() == steps.step.names.len() + 1
        && row.names.last().is_some_and(|name| name == phase.text())
}
