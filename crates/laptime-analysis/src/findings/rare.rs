//! A lap that runs in few of the steps and takes much of their time: a query that isn't cached, a
//! checkpoint, a graph that is compiled. The median step doesn't have it, and no percentile names it.

use super::step::{CAUSE_RATIO, EXCESS_RATIO, SLOW_RATIO, is_compile};
use super::steps::Steps;
use crate::summary::finding::Finding;
use crate::summary::span_row::SpanRow;

/// It runs in less than this part of the steps.
const RARE_RATIO: f64 = 0.5;
/// Once in a process may be chance, unless it takes much.
const ONCE: u64 = 1;
const MUCH_RATIO: f64 = 0.2;

/// The lap that costs most of those that most steps don't have; of one in another, the inner one
/// where it takes most of the time.
pub fn lap(steps: &Steps<'_>) -> Option<Finding> {
    let usual_ns = steps.step.p50_ns?;
    let mean_ns = |row: &SpanRow| row.total_ns / row.count.unwrap_or(0).max(1);
    // What one of several processes does in each step of its own, such as to log them, isn't rare.
    let own_count = steps.count as f64 / steps.processes as f64;
    let is_rare = |row: &&SpanRow| {
        let count = row.count.unwrap_or(0);
        // None that ended: what is known of it is a part.
        count > 0
            && (count > ONCE * steps.processes || steps.ratio(row.total_ns) >= MUCH_RATIO)
            && (count as f64) < RARE_RATIO * own_count
            && mean_ns(row) as f64 >= (SLOW_RATIO - 1.0) * usual_ns as f64
            && steps.ratio(row.total_ns) >= EXCESS_RATIO
    };
    let rare: Vec<&SpanRow> = steps.inside().filter(is_rare).collect();
    let mut most = rare.iter().copied().max_by_key(|row| row.total_ns)?;
    let inner = |around: &SpanRow| {
        let inside = rare
            .iter()
            .copied()
            .filter(|row| row.is_child_of(&around.names));
        let longest = inside.max_by_key(|row| row.total_ns)?;
        (longest.total_ns as f64 >= CAUSE_RATIO * around.total_ns as f64).then_some(longest)
    };
    while let Some(found) = inner(most) {
        most = found;
    }
    Some(Finding::Occasional {
        path: most.path.clone(),
        step_path: steps.step.path.clone(),
        count: most.count?,
        step_count: steps.count,
        mean_ns: mean_ns(most),
        usual_ns,
        total_ns: most.total_ns,
    })
}

/// Whether a rare lap is what makes steps slow.
pub fn explains(rare: Option<&Finding>, slow: &Finding) -> bool {
    let (Some(Finding::Occasional { total_ns, .. }), Finding::SlowSteps { excess_ns, .. }) =
        (rare, slow)
    else {
        return false;
    };
    *total_ns as f64 >= CAUSE_RATIO * *excess_ns as f64
}

/// Whether it is the compiling of a graph, which has a finding of its own.
pub fn is_compiling(rare: &Finding) -> bool {
    matches!(rare, Finding::Occasional { path, .. } if is_compile(path))
}
