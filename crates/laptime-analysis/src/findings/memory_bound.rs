//! Parts of a step that wait for memory rather than for arithmetic.

use super::evidence::Evidence;
use crate::summary::Summary;
use crate::summary::finding::Finding;
use crate::summary::work_row::BoundBy;

/// The least share of the steps' time that a part must take.
const BOUND_RATIO: f64 = 0.3;
/// The least part of what memory allows that it must move: what moves less is held back by something else, mostly by
/// launching small operators.
const NEAR_RATIO: f64 = 0.2;

/// Finds the longest phase whose bytes take longer than its arithmetic could, if it comes near what they allow.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.worked_steps()?;
    let phases = steps.parts();
    let bound = phases.filter(|row| row.work.bound == Some(BoundBy::Memory));
    let longest = bound.max_by_key(|row| row.total_ns)?;
    let intensity = longest.work.intensity?;
    let is_near = bytes_per_s(evidence.summary)
        .is_none_or(|most| longest.work.bytes_moved_per_s.unwrap_or(0.0) >= NEAR_RATIO * most);
    (is_near && steps.share(longest.total_ns) >= BOUND_RATIO).then(|| Finding::MemoryBound {
        path: longest.path.clone(),
        total_ns: longest.total_ns,
        intensity,
    })
}

/// Returns the memory bandwidth of the one device that worked; `None` where it isn't known or there are several.
fn bytes_per_s(summary: &Summary) -> Option<f64> {
    match &summary.operations.as_ref()?.bytes_peaks[..] {
        [one] => Some(one.per_s),
        _ => None,
    }
}
