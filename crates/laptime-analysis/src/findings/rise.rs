//! Memory that grows all the time, in a program that repeats nothing which Laptime knows of.
//!
//! Where there are steps, [`super::memory`] tells what each of them leaves.

use super::steps::Steps;
use crate::finding::Finding;
use crate::growth::Growth;
use crate::summary::Summary;

/// In a shorter time everything grows: programs import packages and read their data.
const LEAST_NS: u64 = 4_000_000_000;
/// Less than this fills no memory.
const LEAST_BYTES: f64 = 1_048_576.0;
/// A rise that is no line has a wider interval than this part of it.
const SURE_RATIO: f64 = 0.2;
/// How fast memory must still grow at the end, as a part of how fast it grows in all.
const LATE_RATIO: f64 = 0.4;

/// The growth of the main process over so many ns, if it is one that goes on.
pub fn of_process(summary: &Summary, rise: Option<(Growth, u64)>) -> Option<Finding> {
    let (growth, during_ns) = rise?;
    let is_sure = growth.bytes >= LEAST_BYTES
        && growth.uncertainty <= SURE_RATIO * growth.bytes
        && growth.late_ratio >= LATE_RATIO;
    if !is_sure || during_ns < LEAST_NS || Steps::of(summary).is_some() {
        return None;
    }
    let per_second = |bytes: f64| (bytes * 1e9 / during_ns as f64).round() as u64;
    Some(Finding::MemoryRise {
        per_second_bytes: per_second(growth.bytes),
        uncertainty_bytes: per_second(growth.uncertainty),
        risen_bytes: growth.bytes.round() as u64,
        during_ns,
    })
}

#[cfg(test)]
#[path = "rise_tests.rs"]
mod tests;
