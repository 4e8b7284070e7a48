//! A part of a step in which a rank is slower than its peers.

use super::{OwnPart, Pattern};

/// Reason for which a rank stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowPart {
    /// Number of the rank.
    pub rank: u32,
    /// The part.
    pub part: OwnPart,
    /// When it is slower.
    pub pattern: Pattern,
    /// Time of the part above its peers in the steps of the pattern. **Units**: nanoseconds.
    pub total_ns: i64,
    /// Time of the part above its peers in the steps of the pattern, on average. **Units**: nanoseconds a step.
    pub excess_ns: i64,
    /// Time of the part on the peers. **Units**: nanoseconds a step.
    pub expected_ns: i64,
}
