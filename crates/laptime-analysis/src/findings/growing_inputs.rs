//! Steps that take longer as they are given longer inputs.

use super::clues::growing_inputs::GrowingInputs;
use super::evidence::Evidence;
use crate::reading::path_role::STEP;
use crate::summary::finding::Finding;

/// The least time that the steps take beyond those with short inputs.
const LEAST_NS: f64 = 100_000_000.0;
/// The least part of the run that this must be.
const LEAST_RATIO: f64 = 0.05;

/// Finds inputs of the main process's steps that grow.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let GrowingInputs { growth, site } = evidence.clues.growing_inputs.as_ref()?;
    let steps = &evidence.steps?;
    let measured_ns = evidence.summary.measured_ns as f64;
    if growth.extra < LEAST_NS || growth.extra < LEAST_RATIO * measured_ns {
        return None;
    }
    let learns = steps.step.names.last().is_some_and(|name| name == STEP);
    let length = |of: laptime_core::Sizes| of.iter().nth(growth.tokens?).map(u64::from);
    Some(Finding::GrowingInputs {
        path: steps.step.path.clone(),
        from_sizes: growth.from.iter().collect(),
        to_sizes: growth.to.iter().collect(),
        from_tokens: length(growth.from),
        to_tokens: length(growth.to),
        short_ns: growth.short.round() as u64,
        long_ns: growth.long.round() as u64,
        extra_ns: growth.extra.round() as u64,
        generates: growth.is_each && growth.tokens.is_some() && !learns,
        site: site.clone(),
    })
}

#[cfg(test)]
#[path = "tests/growing_inputs.rs"]
mod tests;
