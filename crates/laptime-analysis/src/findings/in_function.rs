//! The longest part of a step that is mostly in one function.

use super::evidence::Evidence;
use super::main_function::{self, is_library};
use crate::summary::finding::Finding;

/// The least share of the steps' time that the part must take.
const PART_RATIO: f64 = 0.2;

/// Finds the longest part of a step, if it is mostly in one function that the program can change.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.host_steps()?;
    let longest = steps.parts().max_by_key(|row| row.total_ns)?;
    if steps.share(longest.total_ns) < PART_RATIO {
        return None;
    }
    let functions = evidence.summary.functions.as_ref();
    let function = main_function::of_lap(functions, &longest.path)?;
    (!is_library(&function.file)).then(|| Finding::InFunction {
        path: longest.path.clone(),
        total_ns: longest.total_ns,
        steps_ns: steps.step.total_ns,
        function,
    })
}
