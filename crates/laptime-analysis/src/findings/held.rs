//! A lap that keeps an event loop from running its other tasks.

use super::step::CAUSE_RATIO;
use crate::summary::Summary;
use crate::summary::finding::{Finding, HeldLoop};

/// From this share of the run on, holding the loop is worth a look.
const HELD_RATIO: f64 = 0.05;

/// The lap that held the loop longest, if that is a part of the run that somebody notices.
pub fn of_run(summary: &Summary, held: Option<HeldLoop>) -> Option<Finding> {
    let held = held?;
    let is_much = held.total_ns as f64 >= HELD_RATIO * summary.measured_ns as f64;
    is_much.then_some(Finding::HeldLoop(HeldLoop {
        wall_ns: summary.measured_ns,
        ..held
    }))
}

/// Whether that is why some steps are slow: those that hold the loop, and those that wait for it.
pub fn explains(found: &[Finding], slow: &Finding) -> bool {
    let Finding::SlowSteps { excess_ns, .. } = slow else {
        return false;
    };
    found.iter().any(|one| match one {
        Finding::HeldLoop(held) => {
            let all_ns = held.total_ns.saturating_add(held.lost_ns);
            all_ns as f64 >= CAUSE_RATIO * *excess_ns as f64
        }
        _ => false,
    })
}

/// Whether a lap that few steps have is the one that holds the loop.
pub fn is_known(found: &[Finding], rare: &Finding) -> bool {
    let Finding::Occasional { path: rare, .. } = rare else {
        return false;
    };
    found
        .iter()
        .any(|one| matches!(one, Finding::HeldLoop(held) if held.path == *rare))
}
