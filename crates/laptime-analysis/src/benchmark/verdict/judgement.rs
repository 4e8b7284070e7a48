//! Plain values that a judgement ends in: the ratio of two sides, its interval, and the verdict with its reason.

use serde::Serialize;

use super::reason::Reason;

/// Ratio of an interval's ends beyond which a ratio inside of it says little.
const WIDE: f64 = 1.5;

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The new side takes less time, by more than the threshold.
    Faster,
    /// The new side takes more time, by more than the threshold.
    Slower,
    /// Any difference is smaller than the threshold.
    Same,
    /// The measurements don't tell.
    Inconclusive,
    /// The sides can't be held against each other.
    NotComparable,
}

impl Verdict {
    /// Returns the verdict as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not comparable",
        }
    }

    /// Returns the verdict as programs read it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// The units that an interval is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// Values within the only unit of each side: it says nothing about other runs.
    WithinOne,
    /// Units of both sides: it tells the ratio that other units would have.
    Across,
}

/// A comparison with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Median of the base, over the medians of its units or, where units were measured side by side, over all values; not
    /// a number where it has no values.
    pub base_median: f64,
    /// Median of the new side.
    pub new_median: f64,
    /// New over base: the ratio of the medians. Not a number where there is none.
    pub ratio: f64,
    /// Interval around `ratio` that holds the true ratio with the confidence asked for, or why there is none.
    pub interval: Result<(f64, f64), Reason>,
    /// Probability that identical sides differ by chance at least as much.
    pub p_value: Option<f64>,
    /// Difference that counts, as a part of the base: asked for, or more on a noisier machine.
    pub threshold_ratio: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of the verdict.
    pub reason: Reason,
    /// The units that the interval is about.
    pub unit: UnitKind,
}

impl Judged {
    /// Returns the ratio of the interval's ends: 1 where the ratio is known exactly.
    pub(crate) fn spread(&self) -> f64 {
        let interval = self.interval.as_ref();
        interval.map_or(f64::INFINITY, |(low, high)| high / low)
    }

    /// Tells whether the interval is so wide that only its ends say something.
    pub fn is_wide(&self) -> bool {
        self.spread() > WIDE
    }

    /// Returns the judgement with another verdict.
    #[must_use]
    pub(super) fn with_verdict(self, verdict: Verdict, reason: Reason) -> Self {
        Self {
            verdict,
            reason,
            ..self
        }
    }
}
