//! Resident memory that grows all the time, which every recording tells without an option.
//!
//! What says so is how evenly it grows, in steps or over time, not how long the program ran. A program without steps may
//! collect what it is meant to: of that the rise is told, and no more.
//!
//! Of steps whose modules are timed nothing is told. Autograd keeps their hooks with a graph: a few bytes between the
//! program's buffers, which the C library then can't join, so the process may grow far more than it does alone.
//!
//! Where allocations are counted as well, [`super::memory_growth_in_steps`] and its kin say the same more exactly.

use super::clues::RiseOverTime;
use super::evidence::Evidence;
use crate::summary::finding::Finding;

/// The part of a rise in which modules are imported that makes it one of the imports.
const IMPORTS_RATIO: f64 = 0.5;

/// Finds the rise of the main process's memory: per step where there are steps, else per second.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let is_counted = evidence.clues.is_memory_counted;
    let counted_bytes = evidence.clues.counted_meanwhile;
    let rising = &evidence.clues.resident_function;
    // Laps that take little of the time say nothing about the rest of it.
    let steps = evidence.steps.filter(|_| evidence.clues.has_loop);
    if let Some(steps) = &steps {
        if steps.rows.iter().any(|row| !row.module_class.is_empty()) {
            return None;
        }
        let rise = evidence.clues.resident_in_steps?;
        return Some(Finding::ResidentGrowth {
            path: Some(steps.step.path.clone()),
            step_count: Some(rise.length.round() as u64),
            each_bytes: (rise.bytes / rise.length).round() as u64,
            uncertainty_bytes: (rise.uncertainty / rise.length).round() as u64,
            risen_bytes: rise.bytes.round() as u64,
            during_ns: None,
            before_end_ns: None,
            is_counted,
            counted_bytes,
            function: rising.only.clone(),
            busy_function: None,
        });
    }
    let RiseOverTime {
        rise,
        during_ns,
        before_end_ns,
    } = evidence.clues.resident_over_time?;
    let per_second = |bytes: f64| (bytes * 1e9 / during_ns.max(1) as f64).round() as u64;
    (rising.imports_ratio <= IMPORTS_RATIO).then(|| Finding::ResidentGrowth {
        path: None,
        step_count: None,
        each_bytes: per_second(rise.bytes),
        uncertainty_bytes: per_second(rise.uncertainty),
        risen_bytes: rise.bytes.round() as u64,
        during_ns: Some(during_ns),
        before_end_ns: Some(before_end_ns).filter(|ns| *ns > 0),
        is_counted,
        counted_bytes,
        function: rising.only.clone(),
        busy_function: rising.mostly.clone(),
    })
}

#[cfg(test)]
#[path = "tests/resident_growth.rs"]
mod tests;
