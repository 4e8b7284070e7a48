//! About time between steps that nothing watches: a loop written by hand does more there than its laps tell.

use super::function;
use crate::reading::covered_time::covers_until;
use crate::reading::path_role::STEP;
use crate::reading::process::Process;
use crate::summarize::wall_time::OTHER;
use crate::summary::Summary;
use crate::summary::finding::Finding;

/// From this share of the time from the first step to the last on, what no lap covers is worth a look.
const BETWEEN_RATIO: f64 = 0.2;
/// Less in all bothers nobody.
const LEAST_NS: u64 = 500_000_000;

/// Time from a process's first step to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// All of it.
    pub during_ns: u64,
    /// The part of it in no lap, on whatever track.
    pub outside_ns: u64,
}

/// How much of the time from its first step to its last no lap of a process covers.
///
/// `None` where steps stand inside of other laps, such as a notebook's cells: what is between these is no part of a
/// loop.
pub fn of_process(process: &Process) -> Option<Between> {
    let steps = process.features.steps.steps()?;
    let is_outermost = process.paths.names(steps.path) == [STEP];
    if !is_outermost || !process.spans.tail.is_empty() {
        return None;
    }
    let (from, to) = (steps.first, steps.last);
    let covers = covers_until(process, to);
    let covered = covers
        .by_spans(from, to)
        .saturating_add(covers.only_segments(from, to));
    let during = to.saturating_sub(from);
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    let ns = |ticks: u64| (ticks as f64 * ns_per_tick).round() as u64;
    Some(Between {
        during_ns: ns(during),
        outside_ns: ns(during.saturating_sub(covered)),
    })
}

/// Much of that time is in no lap. Between a notebook's cells somebody reads or types.
pub fn steps(summary: &Summary, between: Option<Between>) -> Option<Finding> {
    let Between {
        during_ns,
        outside_ns,
    } = between?;
    let is_much = !summary.is_notebook()
        && outside_ns >= LEAST_NS
        && outside_ns as f64 >= BETWEEN_RATIO * during_ns as f64;
    is_much.then(|| Finding::BetweenSteps {
        path: STEP.to_owned(),
        total_ns: outside_ns,
        during_ns,
        function: function::of_leftover(summary.functions.as_ref(), OTHER, outside_ns),
    })
}

#[cfg(test)]
#[path = "tests/between.rs"]
mod tests;
