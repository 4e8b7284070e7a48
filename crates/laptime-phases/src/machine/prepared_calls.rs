//! Calls of modules without parameters that wait for what they prepare.

use super::part::{Entry, Part};

/// Calls that wait.
#[derive(Debug)]
pub struct PreparedCalls {
    pub calls: Vec<Entry>,
    /// The path that their unit opens under.
    pub parent: u32,
    /// [`crate::Laps::last_written`] when the last of them ended.
    pub written: u64,
}

impl PreparedCalls {
    /// From when to when they ran, in ticks.
    pub fn span(&self) -> (u64, u64) {
        let start = self.calls.first().map_or(0, |call| call.held.start);
        (start, self.calls.last().map_or(0, Entry::end))
    }

    /// Whether this module was called.
    pub fn has(&self, module: usize) -> bool {
        let is_this = |call: &Entry| matches!(call.part, Part::Forward(of) if of.module == module);
        self.calls.iter().any(is_this)
    }
}
