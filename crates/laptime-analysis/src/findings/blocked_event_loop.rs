//! A lap that keeps an event loop from running its other tasks.

use super::evidence::Evidence;
use crate::summary::finding::{Finding, HeldLoop};

/// The least share of the run for which a lap must hold the loop.
const HELD_RATIO: f64 = 0.05;

/// Finds the lap that held the loop longest, if that is a part of the run that somebody notices.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let held = evidence.clues.blocked_loop.clone()?;
    let wall_ns = evidence.summary.measured_ns;
    let is_much = held.total_ns as f64 >= HELD_RATIO * wall_ns as f64;
    is_much.then_some(Finding::HeldLoop(HeldLoop { wall_ns, ..held }))
}
