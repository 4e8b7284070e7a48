//! What an allocator's counter says of the time since it was looked at before.
//!
//! A counter has a value and a peak that only grows until it is reset. Where each look resets it, the
//! next peak is that of the time between. Where nothing is reset, a peak that has not grown only says
//! how high the value can have been: the answer is an interval.

/// Whether the allocator's peak begins anew after each look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It doesn't: nothing of the allocator changes, and peaks may be known within bounds only.
    Bounds,
    /// It does, and whoever resets it keeps the program's own peak right: peaks are exact.
    Fold,
}

/// One of an allocator's counters.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    /// Its value.
    pub now: u64,
    /// The greatest value since it was reset.
    pub peak: u64,
}

/// A number that lies between two, which are the same where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bounds {
    /// At least that much.
    pub least: u64,
    /// At most that much; [`u64::MAX`] where nothing limits it.
    pub most: u64,
}

impl Bounds {
    /// One that is known.
    pub fn exactly(number: u64) -> Self {
        Self {
            least: number,
            most: number,
        }
    }

    /// The greater of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Its value, where it is known.
    pub fn known(self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }
}

impl Counter {
    /// The greatest value since `before` was read.
    pub fn most_since(self, before: Self, mode: Mode) -> Bounds {
        let seen = before.now.max(self.now);
        match mode {
            Mode::Fold => Bounds::exactly(self.peak.max(seen)),
            // A new peak was reached in between.
            Mode::Bounds if self.peak > before.peak => Bounds::exactly(self.peak),
            // Somebody reset it, out of our sight: nothing tells how high it was until then.
            Mode::Bounds if self.peak < before.peak => Bounds {
                least: seen.max(self.peak),
                most: u64::MAX,
            },
            Mode::Bounds => Bounds {
                least: seen,
                most: self.peak.max(seen),
            },
        }
    }

    /// The counter after a reset.
    #[must_use]
    pub fn reset(self) -> Self {
        Self {
            now: self.now,
            peak: self.now,
        }
    }
}
