//! Order statistics of a sorted sample: quantiles, and an interval that holds the median.
//!
//! The interval is distribution-free: it lies between two order statistics, and how likely
//! those enclose the true median follows from the binomial distribution alone (Conover,
//! *Practical Nonparametric Statistics*, 1999, section 3.2). It supposes independent samples.

use laptime_core::Unavailable;

use crate::statistics::{Question, TooFew};

/// Probability that the interval holds the median, at least.
pub const CONFIDENCE: f64 = 0.95;
/// Fewest values whose extremes enclose the median that surely: 1 - 2 / 2⁶ is 97 %.
pub const LEAST_VALUES: usize = 6;
/// Number of values from which on the binomial distribution is as good as normal, and 2⁻ⁿ too small.
const NORMAL_FROM: usize = 1_000;
/// The standard normal distribution's 97.5 % quantile.
const NORMAL_QUANTILE: f64 = 1.959_964;

/// Returns the middle value, or the mean of the two middle ones; `None` for none.
///
/// **Units** those of the values, which are in ascending order.
pub fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return Some(sorted[half]);
    }
    Some(f64::midpoint(
        *sorted.get(half.checked_sub(1)?)?,
        sorted[half],
    ))
}

/// Returns the median of values in any order, without sorting them; zero for none. `scratch` is
/// overwritten.
pub fn median_of(values: impl Iterator<Item = f64>, scratch: &mut Vec<f64>) -> f64 {
    scratch.clear();
    scratch.extend(values);
    let middle = scratch.len() / 2;
    if scratch.is_empty() {
        return 0.0;
    }
    let is_even = scratch.len().is_multiple_of(2);
    let (below, upper, _) = scratch.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if is_even {
        let lower = below.iter().copied().fold(f64::MIN, f64::max);
        f64::midpoint(lower, upper)
    } else {
        upper
    }
}

/// Returns the smallest value that at least this ratio of all values do not exceed (nearest rank).
pub fn nearest_rank(sorted: &[f64], ratio: f64) -> Option<f64> {
    let rank = (ratio * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Returns an interval that holds the true median with a probability of [`CONFIDENCE`] or more.
pub fn median_interval(sorted: &[f64]) -> Result<(f64, f64), Unavailable> {
    let count = sorted.len();
    if count < LEAST_VALUES {
        let few = TooFew {
            count,
            noun: "value",
            question: Question::MedianInterval,
            needed: LEAST_VALUES,
        };
        return Err(few.into());
    }
    let below = values_below(count);
    Ok((sorted[below], sorted[count - 1 - below]))
}

/// Returns how many values on either side may be left out of the interval.
fn values_below(count: usize) -> usize {
    let half = count as f64 / 2.0;
    if count >= NORMAL_FROM {
        return (half - NORMAL_QUANTILE * half.sqrt() / std::f64::consts::SQRT_2) as usize;
    }
    // P(at most k of n values lie below the median) = Σ C(n, i) / 2ⁿ.
    let mut probability = 0.5_f64.powi(count as i32);
    let mut cumulated = probability;
    let mut below = 0;
    while cumulated <= (1.0 - CONFIDENCE) / 2.0 {
        below += 1;
        probability *= (count + 1 - below) as f64 / below as f64;
        cumulated += probability;
    }
    // `below` is the first count that is too likely, so the one before it may be left out.
    below.saturating_sub(1)
}

#[cfg(test)]
#[path = "tests/quantiles.rs"]
mod tests;
