//! The reason of a verdict, as a sentence: `The interval reaches across the threshold of 1.0 %: measure more, …`

use laptime_analysis::benchmark::verdict::{Reason, SideName};

/// Writes the reason as a whole sentence.
pub fn sentence(reason: &Reason) -> String {
    match reason {
        Reason::Beyond { threshold_ratio } => format!(
            "The whole interval lies beyond the threshold of {}.",
            percent(*threshold_ratio)
        ),
        Reason::BeyondNoise { noise_ratio } => format!(
            "The whole interval lies beyond the {} by which the base differs from itself on this machine.",
            percent(*noise_ratio)
        ),
        Reason::BeyondSingleRun { noise_ratio } => format!(
            "The whole interval lies beyond the {} by which two runs of one program may differ: with one run a side, \
             less than that tells nothing.",
            percent(*noise_ratio)
        ),
        Reason::Within { threshold_ratio } => format!(
            "The whole interval lies within the threshold of {}.",
            percent(*threshold_ratio)
        ),
        Reason::Across { threshold_ratio } => format!(
            "The interval reaches across the threshold of {}: measure more, or on a quieter machine.",
            percent(*threshold_ratio)
        ),
        Reason::WithinNoise { noise_ratio } => format!(
            "The base differs from itself by {} on this machine, which could explain the difference.",
            percent(*noise_ratio)
        ),
        Reason::RunsDiffer {
            threshold_ratio,
            runs_ratio,
        } => format!(
            "The interval reaches across the threshold of {}, as runs of one side differ by up to {}: measure more, \
             or on a quieter machine.",
            percent(*threshold_ratio),
            percent(*runs_ratio)
        ),
        Reason::SingleRun { noise_ratio } => format!(
            "With one run a side it isn't known how much two runs of one program differ; up to {} is assumed: \
             measure each side several times.",
            percent(*noise_ratio)
        ),
        Reason::ChanceLikely { p_value } => format!(
            "Identical code would differ as much in {} of such comparisons: measure more.",
            percent(*p_value)
        ),
        Reason::OneOfMany { comparisons } => format!(
            "Among {comparisons} comparisons, a difference as clear as this one can be chance."
        ),
        Reason::TooFew(few) => format!("{few}."),
        Reason::NoNoise => {
            "The few runs took exactly the same time, so how much they vary is unknown: run more."
                .to_owned()
        }
        Reason::NoTime(side) => format!(
            "The median of the {} side is zero: it is shorter than the clock can tell.",
            side_name(*side)
        ),
        Reason::Empty(side) => format!("The {} side has no values.", side_name(*side)),
        Reason::NotDurations { side, count } => format!(
            "{count} of the values of the {} side {} negative or not finite.",
            side_name(*side),
            if *count == 1 { "is" } else { "are" }
        ),
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.1} %", ratio * 100.0)
}

fn side_name(side: SideName) -> &'static str {
    match side {
        SideName::Base => "base",
        SideName::New => "new",
    }
}
