//! Reasons of verdicts.

use crate::statistics::TooFew;

/// A side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SideName {
    /// The side with which the other is compared.
    Base,
    /// The other side.
    New,
}

/// The reason of a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The whole interval lies beyond the threshold.
    Beyond {
        /// The threshold.
        threshold_ratio: f64,
    },
    /// The whole interval lies beyond the ratio by which the base differed from itself, which is more than the threshold.
    BeyondNoise {
        /// The ratio by which the base differed from itself.
        noise_ratio: f64,
    },
    /// The whole interval lies beyond the ratio by which two runs of one program may differ, with one run a side.
    BeyondSingleRun {
        /// The ratio by which they are assumed to.
        noise_ratio: f64,
    },
    /// The whole interval lies within the threshold.
    Within {
        /// The threshold.
        threshold_ratio: f64,
    },
    /// The interval reaches across the threshold.
    Across {
        /// The threshold.
        threshold_ratio: f64,
    },
    /// The interval reaches across the threshold, and runs of one side differ by more than it.
    RunsDiffer {
        /// The threshold.
        threshold_ratio: f64,
        /// Difference of the longest run of a side to its shortest, as a part of that.
        runs_ratio: f64,
    },
    /// The difference counts, but the base differs from itself by more.
    WithinNoise {
        /// The ratio by which the base differed from itself.
        noise_ratio: f64,
    },
    /// The difference counts, but two runs of one program may differ by more, and there is one a side.
    SingleRun {
        /// The ratio by which they are assumed to.
        noise_ratio: f64,
    },
    /// The interval lies beyond the threshold, but identical sides differ so much too often.
    ChanceLikely {
        /// The part of comparisons of identical sides that do.
        p_value: f64,
    },
    /// There are many comparisons, of which some are expected to look like this one by chance.
    OneOfMany {
        /// Number of comparisons.
        comparisons: usize,
    },
    /// Values or units are too few for an interval.
    TooFew(TooFew<'static>),
    /// The few units are all alike: their noise is smaller than the clock can tell.
    NoNoise,
    /// A side's median is zero: it is shorter than the clock can tell.
    NoTime(SideName),
    /// A side has no values.
    Empty(SideName),
    /// Values are negative, infinite or not a number.
    NotDurations {
        /// The side that has them.
        side: SideName,
        /// Number of such values.
        count: usize,
    },
}

impl Reason {
    /// Tells whether the reason is about the values that were given, and not about how many of them.
    pub fn is_about_input(&self) -> bool {
        matches!(
            self,
            Self::NoTime(_) | Self::Empty(_) | Self::NotDurations { .. }
        )
    }
}
