//! Graphs that are compiled again and again in steps.

use super::evidence::Evidence;
use crate::summary::finding::Finding;

/// The least share of the steps' time that compiling must take.
const COMPILE_RATIO: f64 = 0.01;
/// The number of times in a process that a batch of another size, such as the last one, explains.
const ONCE: u64 = 1;

/// Finds the lap in which most of that happens.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.steps?;
    let compiled = steps.inside().filter(|row| is_compile(&row.path));
    let most = compiled.max_by_key(|row| row.total_ns)?;
    // The first time is warm-up, be it found or not.
    let few = ONCE + u64::from(!steps.is_after_warm_up);
    let count = most.count.filter(|count| *count > few * steps.processes)?;
    (steps.share(most.total_ns) >= COMPILE_RATIO).then(|| Finding::Recompilation {
        path: most.path.clone(),
        count,
        is_after_warm_up: steps.is_after_warm_up,
        total_ns: most.total_ns,
    })
}

/// Whether a lap is the compiling of a graph.
pub fn is_compile(path: &str) -> bool {
    laptime_core::path::around(path).1 == "compile"
}
