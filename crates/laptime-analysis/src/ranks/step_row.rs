//! A step of a rank.

use super::OwnPart;

/// A rank's time in a step, from its start to the next step's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRow {
    /// Number of the rank in its job.
    pub rank: u32,
    /// Number of the step, the same on all ranks.
    pub step: u64,
    /// Ranks with the same number do the same work in this step.
    pub peers: u64,
    /// Own work by part, in the order of [`OwnPart::ALL`]. **Units**: nanoseconds.
    pub own_ns: [i64; OwnPart::COUNT],
    /// From the step's start to the next one's, waiting for others included. **Units**: nanoseconds.
    pub duration_ns: i64,
}

impl StepRow {
    /// Returns all own work. **Units**: nanoseconds.
    pub fn total_ns(&self) -> i64 {
        self.own_ns.iter().sum()
    }
}
