//! Why a verdict is what it is, as a sentence.

use std::fmt::{Display, Formatter, Result};

use laptime_core::Unavailable;

use crate::statistics::too_few::too_few;

/// A side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Which {
    /// What is compared with.
    Base,
    /// What is compared.
    New,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::New => "new",
        }
    }
}

/// Why a verdict is what it is; shown, a whole sentence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The whole interval lies beyond the threshold.
    Beyond {
        /// The threshold.
        threshold_ratio: f64,
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
        /// By how much the longest run of a side was longer than its shortest.
        runs_ratio: f64,
    },
    /// The difference counts, but the base differs from itself by more.
    WithinNoise {
        /// By how much the base differed from itself.
        noise_ratio: f64,
    },
    /// The difference counts, but two runs of one program may differ by more, and there is one a side.
    SingleRun {
        /// By how much they are assumed to.
        noise_ratio: f64,
    },
    /// Beyond the threshold, but identical sides differ so much too often.
    ChanceLikely {
        /// How often they do.
        p_value: f64,
    },
    /// One of many comparisons, of which some are expected to look like this by chance.
    OneOfMany {
        /// How many there are.
        comparisons: usize,
    },
    /// Too few values or units for an interval.
    TooFew {
        /// How many there are.
        count: usize,
        /// What one of them is.
        noun: &'static str,
        /// How many are needed.
        needed: usize,
    },
    /// Few units that are all alike: their noise is smaller than the clock can tell.
    NoNoise,
    /// A median of zero: shorter than the clock can tell.
    NoTime(Which),
    /// A side without values.
    Empty(Which),
    /// Values that are negative, infinite or not a number.
    NotDurations {
        /// The side that has them.
        side: Which,
        /// How many.
        count: usize,
    },
    /// The sides differ in what makes times comparable, such as the device.
    Different(String),
}

impl Reason {
    /// Whether it's about what was given, and not about how much of it.
    pub fn is_about_input(&self) -> bool {
        matches!(
            self,
            Self::NoTime(_) | Self::Empty(_) | Self::NotDurations { .. } | Self::Different(_)
        )
    }

    /// As the reason why a number is absent: a phrase in lower case, without a stop.
    pub(super) fn unavailable(&self) -> Unavailable {
        let sentence = self.to_string();
        let (first, rest) = sentence.split_at(1);
        Unavailable(format!(
            "{}{}",
            first.to_lowercase(),
            rest.trim_end_matches('.')
        ))
    }
}

impl Display for Reason {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let percent = |ratio: &f64| format!("{:.1} %", ratio * 100.0);
        match self {
            Self::Beyond { threshold_ratio } => write!(
                to,
                "The whole interval lies beyond the threshold of {}.",
                percent(threshold_ratio)
            ),
            Self::Within { threshold_ratio } => write!(
                to,
                "The whole interval lies within the threshold of {}.",
                percent(threshold_ratio)
            ),
            Self::Across { threshold_ratio } => write!(
                to,
                "The interval reaches across the threshold of {}: measure more, or on a quieter machine.",
                percent(threshold_ratio)
            ),
            Self::WithinNoise { noise_ratio } => write!(
                to,
                "The base differs from itself by {} on this machine, which could explain the difference.",
                percent(noise_ratio)
            ),
            Self::RunsDiffer {
                threshold_ratio,
                runs_ratio,
            } => write!(
                to,
                "The interval reaches across the threshold of {}, as runs of one side differ by up to {}: measure more, \
                 or on a quieter machine.",
                percent(threshold_ratio),
                percent(runs_ratio)
            ),
            Self::SingleRun { noise_ratio } => write!(
                to,
                "With one run a side it isn't known how much two runs of one program differ; up to {} is assumed: \
                 measure each side several times.",
                percent(noise_ratio)
            ),
            Self::ChanceLikely { p_value } => write!(
                to,
                "Identical code would differ as much in {} of such comparisons: measure more.",
                percent(p_value)
            ),
            Self::OneOfMany { comparisons } => write!(
                to,
                "Among {comparisons} comparisons, a difference as clear as this one can be chance."
            ),
            Self::TooFew { count, noun, needed } => {
                let why = too_few(*count, noun, "how exact the ratio is", *needed);
                write!(to, "{why}.")
            }
            Self::NoNoise => to.write_str(
                "The few runs took exactly the same time, so how much they vary is unknown: run more.",
            ),
            Self::NoTime(side) => write!(
                to,
                "The median of the {} side is zero: it is shorter than the clock can tell.",
                side.name()
            ),
            Self::Empty(side) => write!(to, "The {} side has no values.", side.name()),
            Self::NotDurations { side, count } => write!(
                to,
                "{count} of the values of the {} side {} negative or not finite.",
                side.name(),
                if *count == 1 { "is" } else { "are" }
            ),
            Self::Different(what) => to.write_str(what),
        }
    }
}
