//! When a rank is slow.

/// Steps in which a part of a rank's step takes longer than its peers'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// All of them.
    Always,
    /// All from this one on.
    From(u64),
    /// Every so many, the first of them at `first`.
    Every { steps: u64, first: u64 },
    /// Some without an order: so many of those that were looked at.
    Sometimes { long: u64, of: u64 },
}
