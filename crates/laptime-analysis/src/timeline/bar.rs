//! A bar of a timeline: one span, or several short neighbours as one.

/// One span, or several folded into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Moment when it opened.
    pub start_ns: u64,
    /// Time from there to its end.
    pub duration_ns: u64,
    /// Sum of the durations of its spans; for one span equal to `duration_ns`.
    pub busy_ns: u64,
    /// Index of its name; folded spans have the name of the longest one.
    pub name: u32,
    /// Number of spans that it stands for.
    pub count: u32,
}

impl Bar {
    /// Returns the bar of one span.
    pub fn new(start_ns: u64, duration_ns: u64, name: u32) -> Self {
        Self {
            start_ns,
            duration_ns,
            busy_ns: duration_ns,
            name,
            count: 1,
        }
    }

    /// Returns the moment when it ended.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }

    /// Returns one bar for two.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let start_ns = self.start_ns.min(other.start_ns);
        let end_ns = self.end_ns().max(other.end_ns());
        let longest = if other.busy_ns > self.busy_ns {
            other
        } else {
            self
        };
        Self {
            start_ns,
            duration_ns: end_ns - start_ns,
            busy_ns: self.busy_ns.saturating_add(other.busy_ns),
            name: longest.name,
            count: self.count.saturating_add(other.count),
        }
    }
}
