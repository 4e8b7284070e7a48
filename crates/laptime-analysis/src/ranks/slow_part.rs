//! A part of a step in which a rank is slower than its peers.

use super::{OwnPart, Pattern};

/// What makes a rank stand out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowPart {
    /// Number of the rank.
    pub rank: u32,
    /// The part.
    pub part: OwnPart,
    /// When it is slower.
    pub pattern: Pattern,
    /// What the part takes above its peers in the steps of the pattern. **Units**: nanoseconds.
    pub total_ns: i64,
    /// What the part takes above its peers in the steps of the pattern, on average. **Units**: nanoseconds a step.
    pub excess_ns: i64,
    /// What it takes on the peers. **Units**: nanoseconds a step.
    pub expected_ns: i64,
}
