//! A lap that runs in few of the steps and takes much of their time: a query that isn't cached, a
//! checkpoint, a graph that is compiled. The median step doesn't have it, and no percentile names it.

use super::evidence::Evidence;
use super::slow_steps::{CAUSE_RATIO, EXCESS_RATIO, SLOW_RATIO};
use crate::summary::finding::Finding;
use crate::summary::span_row::SpanRow;

/// The part of the steps that it runs in less of.
const FEW_RATIO: f64 = 0.5;
/// The number of times in a process that may be chance, unless it takes much.
const ONCE: u64 = 1;
/// The share of the steps' time that is much.
const MUCH_RATIO: f64 = 0.2;

/// Finds the lap that costs most of those that most steps don't have; of one in another, the inner one
/// where it takes most of the time.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.host_steps()?;
    let usual_ns = steps.step.p50_ns?;
    let mean_ns = |row: &SpanRow| row.total_ns / row.count.unwrap_or(0).max(1);
    // What one of several processes does in each step of its own, such as to log them, isn't occasional.
    let per_process = steps.count as f64 / steps.processes as f64;
    let is_occasional = |row: &&SpanRow| {
        let count = row.count.unwrap_or(0);
        // Without one that ended, only a part of it is known.
        count > 0
            && (count > ONCE * steps.processes || steps.share(row.total_ns) >= MUCH_RATIO)
            && (count as f64) < FEW_RATIO * per_process
            && mean_ns(row) as f64 >= (SLOW_RATIO - 1.0) * usual_ns as f64
            && steps.share(row.total_ns) >= EXCESS_RATIO
    };
    let laps: Vec<&SpanRow> = steps.inside().filter(is_occasional).collect();
    let mut costliest = laps.iter().copied().max_by_key(|row| row.total_ns)?;
    let inner = |outer: &SpanRow| {
        let inside = laps
            .iter()
            .copied()
            .filter(|row| row.is_child_of(&outer.names));
        let longest = inside.max_by_key(|row| row.total_ns)?;
        (longest.total_ns as f64 >= CAUSE_RATIO * outer.total_ns as f64).then_some(longest)
    };
    while let Some(found) = inner(costliest) {
        costliest = found;
    }
    Some(Finding::Occasional {
        path: costliest.path.clone(),
        step_path: steps.step.path.clone(),
        count: costliest.count?,
        step_count: steps.count,
        mean_ns: mean_ns(costliest),
        usual_ns,
        total_ns: costliest.total_ns,
    })
}
