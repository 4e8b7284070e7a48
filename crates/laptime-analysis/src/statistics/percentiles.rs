//! Percentiles of single durations, each with an interval that holds the true one.
//!
//! The interval lies between two order statistics. How likely they enclose a percentile follows from the
//! binomial distribution alone, whatever the durations are distributed like (Conover, *Practical
//! Nonparametric Statistics*, 1999, section 3.2). It supposes durations that do not depend on each other.

use laptime_core::Unavailable;

use crate::statistics::beta;
use crate::statistics::quantiles::{self, CONFIDENCE};
use crate::statistics::{Question, TooFew};

/// A percentile.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Percentile {
    /// The median, or the smallest duration that at least this part of all do not exceed (nearest rank).
    pub value_ns: f64,
    /// Interval that holds the true one with [`CONFIDENCE`], or why there is none.
    pub interval_ns: Result<(f64, f64), Unavailable>,
}

/// Percentiles of the same durations.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Percentiles {
    /// The median.
    pub p50: Result<Percentile, Unavailable>,
    /// The duration that nine of ten don't exceed.
    pub p90: Result<Percentile, Unavailable>,
    /// The duration that 99 of 100 don't exceed.
    pub p99: Result<Percentile, Unavailable>,
    /// The longest duration.
    pub max_ns: Option<f64>,
    /// Number of durations.
    pub count: usize,
}

impl Percentiles {
    /// Returns the percentiles of durations in any order; `noun` is the name for one of them.
    pub fn new(durations_ns: &[f64], noun: &str) -> Self {
        let mut sorted = durations_ns.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let percentile = |percent| percentile(&sorted, percent, noun);
        Self {
            p50: percentile(50),
            p90: percentile(90),
            p99: percentile(99),
            max_ns: sorted.last().copied(),
            count: sorted.len(),
        }
    }
}

/// Returns a percentile of durations in ascending order; none where so few would only tell the longest of them.
pub fn percentile(sorted: &[f64], percent: u8, noun: &str) -> Result<Percentile, Unavailable> {
    let needed = least_for(percent);
    let few = || TooFew {
        count: sorted.len(),
        noun,
        question: Question::Percentile(percent),
        needed,
    };
    let ratio = f64::from(percent) / 100.0;
    let value = match percent {
        50 => quantiles::median(sorted),
        _ => quantiles::nearest_rank(sorted, ratio),
    };
    let value_ns = value.filter(|_| sorted.len() >= needed).ok_or_else(few)?;
    Ok(Percentile {
        value_ns,
        interval_ns: interval(sorted, percent, noun),
    })
}

/// Returns the fewest durations of which one lies at the percentile or beyond; any number of them has a median.
pub fn least_for(percent: u8) -> usize {
    match percent {
        ..=50 => 1,
        _ => 100_usize.div_ceil(usize::from(100 - percent.min(99))),
    }
}

/// Returns the fewest durations whose longest is surely no shorter than the percentile.
pub fn least_for_interval(ratio: f64) -> usize {
    let part = ratio.max(1.0 - ratio);
    (tail().ln() / part.ln()).ceil() as usize
}

/// Returns the probability that a percentile lies beyond one end of its interval.
fn tail() -> f64 {
    (1.0 - CONFIDENCE) / 2.0
}

fn interval(sorted: &[f64], percent: u8, noun: &str) -> Result<(f64, f64), Unavailable> {
    let (count, ratio) = (sorted.len(), f64::from(percent) / 100.0);
    let needed = least_for_interval(ratio);
    if count < needed {
        let few = TooFew {
            count,
            noun,
            question: Question::PercentileInterval(percent),
            needed,
        };
        return Err(few.into());
    }
    // The probability that at least `rank` of the durations lie below the percentile; falls with the rank.
    let reached = |rank: usize| beta::cdf(ratio, rank as f64, (count + 1 - rank) as f64);
    let first_below = |least: f64| {
        let (mut low, mut high) = (1, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if reached(middle) < least {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    };
    // The last rank that is surely reached, and the first that is surely not.
    let below = first_below(1.0 - tail()).saturating_sub(1).max(1);
    let above = first_below(tail());
    Ok((sorted[below - 1], sorted[above - 1]))
}

#[cfg(test)]
#[path = "tests/percentiles.rs"]
mod tests;
