//! Lines of the program, by file and number, and by their time.

use serde::Serialize;

/// A line of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodePlace {
    /// The file, relative to the program.
    pub file: String,
    /// The line, from 1; 0 where it isn't known.
    pub line: u32,
}

/// Time in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineTime {
    /// The line, from 1; 0 where it isn't known.
    pub line: u32,
    /// Time in the line.
    pub self_ns: u64,
    /// Part of it in which the thread waited.
    pub waiting_ns: u64,
}

impl LineTime {
    /// Adds the times of the same line.
    pub(crate) fn add(&mut self, other: &Self) {
        self.self_ns = self.self_ns.saturating_add(other.self_ns);
        self.waiting_ns = self.waiting_ns.saturating_add(other.waiting_ns);
    }
}
