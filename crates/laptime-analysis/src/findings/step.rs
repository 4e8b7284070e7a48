//! About the steps of the steady state: what they wait for, and what makes some of them slow.

use laptime_core::{PhaseName, Warning};

use super::steps::Steps;
use crate::finding::{Cause, Finding};
use crate::span_row::{BoundBy, SpanRow};
use crate::summary::Summary;

/// From this share of a step on, waiting for data is worth a look.
const DATA_RATIO: f64 = 0.2;
/// From this share of the steps' time on, compiling is.
const COMPILE_RATIO: f64 = 0.01;
/// A step is slow from this multiple of the median on.
pub const SLOW_RATIO: f64 = 2.0;
/// What slow steps take beyond the median is worth a look from this share of all steps' time on.
pub const EXCESS_RATIO: f64 = 0.05;
/// The part of a slow step's excess that a lap inside must account for to be its cause.
pub const CAUSE_RATIO: f64 = 0.5;
/// A phase that is bound by memory is worth a look from this share of the steps' time on.
const BOUND_RATIO: f64 = 0.3;

/// How a percentile is read from a row.
type Percentile = fn(&SpanRow) -> Option<u64>;

/// Steps that changed, or a machine that was busy: what the steady state says to doubt it.
///
/// Without a steady state it is the whole run that says whether the machine was busy.
pub fn unsteady(summary: &Summary, busy: Option<Warning>) -> Option<Finding> {
    let warning = match &summary.steady {
        Some(steady) => steady.warnings.first().cloned(),
        None => busy,
    }?;
    Some(Finding::Unsteady {
        message: warning.message,
        hint: warning.hint.unwrap_or_default(),
    })
}

/// Steps that wait for their batch.
pub fn data_wait(steps: &Steps<'_>) -> Option<Finding> {
    let wait = steps
        .inside()
        .find(|row| is_part(steps, row, PhaseName::Data))?;
    (steps.ratio(wait.total_ns) >= DATA_RATIO).then(|| Finding::DataWait {
        path: wait.path.clone(),
        per_step_ns: wait.total_ns / steps.count,
        step_ns: steps.step.total_ns / steps.count,
        total_ns: wait.total_ns,
    })
}

/// Whether a lap is the compiling of a graph.
pub fn is_compile(path: &str) -> bool {
    path.rsplit('/').next() == Some("compile")
}

/// Graphs that are compiled again and again.
pub fn recompilation(steps: &Steps<'_>) -> Option<Finding> {
    let compiled = steps.rows.iter().filter(|row| is_compile(&row.path));
    let most = compiled.max_by_key(|row| row.total_ns)?;
    let count = most.count.filter(|count| *count > 0)?;
    (steps.ratio(most.total_ns) >= COMPILE_RATIO).then(|| Finding::Recompilation {
        path: most.path.clone(),
        count,
        total_ns: most.total_ns,
    })
}

/// One step in ten, twenty or a hundred that takes at least twice as long as usual.
///
/// The lap that causes it takes longer in as many of its own spans, by half of what the step does.
pub fn slow_steps(steps: &Steps<'_>) -> Option<Finding> {
    let usual_ns = steps.step.p50_ns?;
    let excess_ns = steps
        .step
        .total_ns
        .saturating_sub(usual_ns.saturating_mul(steps.count));
    if steps.ratio(excess_ns) < EXCESS_RATIO {
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
    let (one_in, slow_of, slow_ns) = known
        .filter_map(|(one_in, slow_of)| Some((one_in, slow_of, slow_of(steps.step)?)))
        .find(|(_, _, slow_ns)| *slow_ns as f64 >= SLOW_RATIO * usual_ns as f64)?;
    let longer = |row: &SpanRow| Some(slow_of(row)?.saturating_sub(row.p50_ns?));
    let needed = CAUSE_RATIO * (slow_ns - usual_ns) as f64;
    let cause = steps
        .inside()
        .filter(|row| row.count == Some(steps.count))
        .filter(|row| longer(row).is_some_and(|ns| ns as f64 >= needed))
        // The innermost says most.
        .max_by_key(|row| row.depth());
    Some(Finding::SlowSteps {
        path: steps.step.path.clone(),
        one_in,
        slow_ns,
        usual_ns,
        excess_ns,
        cause: cause.and_then(|row| {
            Some(Cause {
                path: row.path.clone(),
                slow_ns: slow_of(row)?,
                usual_ns: row.p50_ns?,
            })
        }),
    })
}

/// The longest phase whose bytes take longer than its arithmetic could.
pub fn memory_bound(steps: &Steps<'_>) -> Option<Finding> {
    let depth = steps.step.names.len() + 1;
    let phases = steps.inside().filter(|row| row.names.len() == depth);
    let bound = phases.filter(|row| row.bound == Some(BoundBy::Memory));
    let longest = bound.max_by_key(|row| row.total_ns)?;
    let intensity = longest.intensity?;
    (steps.ratio(longest.total_ns) >= BOUND_RATIO).then(|| Finding::MemoryBound {
        path: longest.path.clone(),
        total_ns: longest.total_ns,
        intensity,
    })
}

/// Whether a row is this phase of a step.
fn is_part(steps: &Steps<'_>, row: &SpanRow, phase: PhaseName) -> bool {
    row.names.len() == steps.step.names.len() + 1
        && row.names.last().is_some_and(|name| name == phase.text())
}
