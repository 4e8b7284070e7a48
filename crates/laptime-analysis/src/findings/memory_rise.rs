//! Memory that grows all the time, in a program that repeats nothing which Laptime knows of.
//!
//! Where there are steps, [`super::memory_growth_in_steps`] finds what each of them leaves.

use super::clues::memory_rise::MemoryRise;
use super::evidence::Evidence;
use crate::summarize::wall_time::STARTUP;
use crate::summary::Summary;
use crate::summary::finding::Finding;

/// The shortest time: levels are so many that a shorter one has enough of them, and everything grows while programs begin.
const LEAST_NS: u64 = 1_000_000_000;

/// Most of the time that a program may pass before its first lap: else growth says nothing.
const STARTUP_RATIO: f64 = 0.5;

/// Finds the growth of the main process, if it is one that goes on.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let MemoryRise {
        rise,
        during_ns,
        function,
        is_sampled,
    } = evidence.clues.memory_rise.as_ref()?;
    let has_loop = evidence.steps.is_some() && evidence.clues.has_loop;
    if *during_ns < LEAST_NS || has_loop || mostly_starts(evidence.summary) {
        return None;
    }
    let per_second = |bytes: f64| (bytes * 1e9 / *during_ns as f64).round() as u64;
    Some(Finding::MemoryRise {
        per_second_bytes: per_second(rise.bytes),
        uncertainty_bytes: per_second(rise.uncertainty),
        risen_bytes: rise.bytes.round() as u64,
        during_ns: *during_ns,
        function: function.only.clone(),
        busy_function: function.mostly.clone(),
        is_sampled: *is_sampled,
    })
}

/// Whether most of the time passed before the first lap, with imports and reading of data, which grow too.
fn mostly_starts(summary: &Summary) -> bool {
    let mut rows = summary.rows.iter();
    let startup = rows.find(|row| row.is_leftover(STARTUP));
    startup.is_some_and(|row| row.total_ns as f64 > STARTUP_RATIO * summary.wall_ns as f64)
}

#[cfg(test)]
#[path = "tests/memory_rise.rs"]
mod tests;
