//! An interval that holds the median, of series whose values may tell about each other.
//!
//! Between order statistics as in [`crate::statistics::quantiles`], but at fractional ranks, so that the
//! probability is the one asked for and not the next that whole ranks have (Hutson, *Calculating
//! nonparametric confidence intervals for quantiles using fractional order statistics*, 1999). A
//! correlated series has the ranks of as many independent values as it is worth.

use super::beta;
use super::bisection::solve;

/// Returns an interval that holds the median with a probability of `confidence`.
///
/// `size` is how many independent values the sorted ones are worth. So few that even their
/// extremes are less sure have the extremes as their interval. `None` for no values.
pub fn median_interval(sorted: &[f64], size: f64, confidence: f64) -> Option<(f64, f64)> {
    let share = share_below(size, confidence);
    Some((at(sorted, share)?, at(sorted, 1.0 - share)?))
}

/// Returns the fewest independent values whose extremes hold the median with a probability of `confidence`.
pub fn least_size(confidence: f64) -> f64 {
    // Both extremes lie on one side of the median with a probability of 2 / 2ⁿ.
    (2.0 / (1.0 - confidence)).log2()
}

/// Returns the share of values below the interval of the median.
fn share_below(size: f64, confidence: f64) -> f64 {
    if size <= least_size(confidence) {
        return 0.0;
    }
    // The value at rank k of n lies at a share of the distribution that is beta(k, n + 1 - k).
    let missed = |rank: f64| 1.0 - beta::cdf(0.5, rank, size + 1.0 - rank);
    let rank = solve(missed, f64::midpoint(1.0, -confidence), 1.0, size / 2.0);
    rank / (size + 1.0)
}

/// Returns the value with this share of all below it, between its neighbours.
pub(super) fn at(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let rank = (share * (sorted.len() + 1) as f64 - 1.0).clamp(0.0, last as f64);
    let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    Some(below + (above - below) * rank.fract())
}
