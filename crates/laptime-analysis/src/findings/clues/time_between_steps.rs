//! How much of the time between the steps of a loop no lap covers.

use crate::reading::covered_time::covers_until;
use crate::reading::path_role::STEP;
use crate::reading::process::Process;

/// Time from a process's first step to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBetweenSteps {
    /// The time from the start of the first step to the end of the last one.
    pub during_ns: u64,
    /// The part of it in no lap, on whatever track.
    pub outside_ns: u64,
}

impl TimeBetweenSteps {
    /// Measures how much of the time from its first step to its last no lap of a process covers.
    ///
    /// `None` where steps stand inside of other laps, such as a notebook's cells: what is between these is no part of
    /// a loop.
    pub fn of_process(process: &Process) -> Option<Self> {
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
        Some(Self {
            during_ns: ns(during),
            outside_ns: ns(during.saturating_sub(covered)),
        })
    }
}
