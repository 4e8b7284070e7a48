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
/// The least number of bytes: less fills no memory.
const LEAST_BYTES: f64 = 1_048_576.0;
/// The widest interval, as a part of the rise: one that is no line has a wider one.
const SURE_RATIO: f64 = 0.2;
/// The speed at which memory must still grow at the end, as a part of that in all.
const LATE_RATIO: f64 = 0.4;

/// Most of the time that a program may pass before its first lap: else growth says nothing.
const STARTUP_RATIO: f64 = 0.5;

/// Finds the growth of the main process, if it is one that goes on.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let MemoryRise {
        growth,
        during_ns,
        function,
        is_sampled,
    } = evidence.clues.memory_rise.as_ref()?;
    let is_sure = growth.bytes >= LEAST_BYTES
        && growth.uncertainty <= SURE_RATIO * growth.bytes
        && growth.late_ratio >= LATE_RATIO;
    if !is_sure
        || *during_ns < LEAST_NS
        || evidence.steps.is_some()
        || mostly_starts(evidence.summary)
    {
        return None;
    }
    let per_second = |bytes: f64| (bytes * 1e9 / *during_ns as f64).round() as u64;
    Some(Finding::MemoryRise {
        per_second_bytes: per_second(growth.bytes),
        uncertainty_bytes: per_second(growth.uncertainty),
        risen_bytes: growth.bytes.round() as u64,
        during_ns: *during_ns,
        function: function.clone(),
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
