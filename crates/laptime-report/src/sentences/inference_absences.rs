//! Reasons why a sweep has no knee, no crossover, or no answer about a rate: phrases in lower case, without a stop.

use laptime_analysis::benchmark::inference::{NoAnswer, NoCrossover, NoKnee};

/// Writes why a device has no knee.
pub fn no_knee(why: &NoKnee) -> String {
    match why {
        NoKnee::NotMeasured(why) => why.to_string(),
        NoKnee::NoBatch => "no batch size was measured".to_owned(),
        NoKnee::OneBatch => "one batch size has no knee".to_owned(),
        NoKnee::StillRises { largest } => {
            format!("throughput still rises at {largest}, the largest batch size that was measured")
        }
    }
}

/// Writes why no batch size is known from which on a device is faster.
pub fn no_crossover(why: &NoCrossover) -> String {
    match why {
        NoCrossover::NotMeasured(why) => why.to_string(),
        NoCrossover::NoCommonBatch => "no batch size was measured on both devices".to_owned(),
        NoCrossover::NotFaster { largest } => {
            format!("it isn't faster at {largest}, the largest batch size that was measured")
        }
        NoCrossover::Unclear { largest } => format!(
            "whether it is faster at {largest}, the largest batch size, can't be told: the intervals overlap \
             or are unknown"
        ),
    }
}

/// Writes why it can't be told whether a rate is kept up with.
pub fn no_answer(why: &NoAnswer) -> String {
    match why {
        NoAnswer::TooFew(few) => few.to_string(),
        NoAnswer::AtTheLimit { low, high } => format!(
            "a request takes between {:.1} and {:.1} % of the time between two arrivals",
            low * 100.0,
            high * 100.0
        ),
    }
}

#[cfg(test)]
#[path = "tests/inference_absences.rs"]
mod tests;
