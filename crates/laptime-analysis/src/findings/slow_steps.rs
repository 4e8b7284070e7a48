//! One step in so many that takes much longer than the others, and the lap that makes it so.

use super::evidence::Evidence;
use super::repeated_steps::Steps;
use crate::summary::finding::{Cause, Finding};
use crate::summary::span_row::SpanRow;

/// The least multiple of the median that a slow step takes.
pub const SLOW_RATIO: f64 = 2.0;
/// The least share of all steps' time that slow steps must take beyond the median.
pub const EXCESS_RATIO: f64 = 0.05;
/// The least share of the run that they must take beyond it: a cell that trains for a moment has other troubles.
const FELT_EXCESS_RATIO: f64 = 0.02;
/// The least part of what slow steps take beyond the median that a lap must take to be the cause.
pub const CAUSE_RATIO: f64 = 0.5;

/// A way to read a percentile from a row.
type Percentile = fn(&SpanRow) -> Option<u64>;

/// Finds steps of which one in ten, twenty or a hundred takes at least twice as long as usual.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let (summary, steps) = (evidence.summary, evidence.host_steps()?);
    let usual_ns = steps.step.p50_ns?;
    let excess_ns = excess(steps.step);
    let is_felt = excess_ns as f64 >= FELT_EXCESS_RATIO * summary.measured_ns as f64;
    if !is_felt || steps.share(excess_ns) < EXCESS_RATIO {
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
    let cause = cause(&steps, excess_ns);
    let inside_ns: u64 = steps.parts().map(excess).fold(0, u64::saturating_add);
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

/// Returns what the long ones of a row's spans take beyond its median: what short ones take less is no gain to them.
fn excess(row: &SpanRow) -> u64 {
    row.beyond_median_ns.unwrap_or(0)
}

/// Returns the innermost lap of every step that takes most of what they take beyond the usual.
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
