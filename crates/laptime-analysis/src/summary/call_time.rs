//! Kinds of time of calls: all of it, or that in which threads worked or waited.

/// The time of calls that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallTime {
    /// All of it.
    All,
    /// The time in which threads worked.
    Working,
    /// The time in which they waited.
    Waiting,
}

impl CallTime {
    /// Returns the time of this kind of all time and of its part in which threads waited.
    pub fn of(self, all_ns: u64, waiting_ns: u64) -> u64 {
        match self {
            Self::All => all_ns,
            Self::Working => all_ns.saturating_sub(waiting_ns),
            Self::Waiting => waiting_ns,
        }
    }
}
