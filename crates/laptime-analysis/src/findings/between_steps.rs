//! Time between steps that nothing watches: a loop written by hand does more there than its laps tell.

use super::clues::time_between_steps::TimeBetweenSteps;
use super::evidence::Evidence;
use super::main_function;
use crate::reading::path_role::STEP;
use crate::summarize::wall_time::OTHER;
use crate::summary::finding::Finding;

/// The least share of the time from the first step to the last that no lap covers.
const BETWEEN_RATIO: f64 = 0.2;
/// The least time of that in all: less bothers nobody.
const LEAST_NS: u64 = 250_000_000;

/// Finds much time between steps that is in no lap. Between a notebook's cells somebody reads or types.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let TimeBetweenSteps {
        during_ns,
        outside_ns,
    } = evidence.clues.time_between_steps?;
    let is_much = !summary.is_notebook()
        && outside_ns >= LEAST_NS
        && outside_ns as f64 >= BETWEEN_RATIO * during_ns as f64;
    is_much.then(|| Finding::BetweenSteps {
        path: STEP.to_owned(),
        total_ns: outside_ns,
        during_ns,
        function: main_function::of_leftover(summary.functions.as_ref(), OTHER, outside_ns),
    })
}

#[cfg(test)]
#[path = "tests/between_steps.rs"]
mod tests;
