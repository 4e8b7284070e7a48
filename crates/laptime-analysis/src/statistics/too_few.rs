//! The error of asking so few values that they tell nothing.

use std::fmt::{self, Display, Formatter};

use laptime_core::Unavailable;

/// Values that are too few to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew<'n> {
    /// Number of values.
    pub count: usize,
    /// The noun for one value.
    pub noun: &'n str,
    /// The question.
    pub question: Question,
    /// Number of values that are needed.
    pub needed: usize,
}

/// A question that values answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// A percentile of the values.
    Percentile(u8),
    /// The interval of a percentile.
    PercentileInterval(u8),
    /// The interval of the values' median.
    MedianInterval,
    /// The interval of a ratio of two medians.
    RatioInterval,
    /// The end of warm-up.
    WarmUp,
    /// Whether the values keep their level.
    Steadiness,
    /// Whether a rate is kept up with.
    KeepingUp,
}

impl Display for Question {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(50) => to.write_str(" to tell the median"),
            Self::Percentile(percent) => write!(to, " to tell the {percent}th percentile"),
            Self::PercentileInterval(50) => to.write_str(" to tell how exact the median is"),
            Self::PercentileInterval(percent) => {
                write!(to, " to tell how exact the {percent}th percentile is")
            }
            Self::MedianInterval => to.write_str(" to tell how exact their median is"),
            Self::RatioInterval => to.write_str(" to tell how exact the ratio is"),
            Self::WarmUp => to.write_str(" to tell warm-up from steady state"),
            Self::Steadiness => to.write_str(" to tell whether they are steady"),
            Self::KeepingUp => Ok(()),
        }
    }
}

impl Display for TooFew<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            count,
            noun,
            question,
            needed,
        } = self;
        let ending = if *count == 1 { " is" } else { "s are" };
        write!(
            to,
            "{count} {noun}{ending} too few{question}; {needed} are needed"
        )
    }
}

impl std::error::Error for TooFew<'_> {}

impl From<TooFew<'_>> for Unavailable {
    fn from(few: TooFew<'_>) -> Self {
        Self(few.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_and_two_values_are_too_few() {
        let text = |count| {
            let few = TooFew {
                count,
                noun: "step",
                question: Question::WarmUp,
                needed: 12,
            };
            few.to_string()
        };
        assert_eq!(
            text(1),
            "1 step is too few to tell warm-up from steady state; 12 are needed"
        );
        assert!(text(2).starts_with("2 steps are too few to tell "));
        assert!(text(0).starts_with("0 steps are too few to tell "));
    }
}
