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
}
