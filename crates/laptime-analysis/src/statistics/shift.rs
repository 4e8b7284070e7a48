//! The shift of one sample against another, whatever their distribution.
//!
//! The estimate of Hodges and Lehmann (*Estimates of location based on rank tests*, 1963): the median
//! of the differences of all pairs. Its interval goes with the Mann-Whitney test: it holds the
//! differences that the test would not reject (Moses 1965; Bauer, *Constructing confidence sets using
//! rank statistics*, 1972). Ranks lie between whole ones, so that the probability is the one asked for.

use super::median_interval::at;
use super::normal;
use crate::statistics::quantiles;

/// Lists the differences of all pairs, later minus earlier, in ascending order.
///
/// **Cost** grows with the product of both counts.
pub fn differences(earlier: &[f64], later: &[f64]) -> Vec<f64> {
    let of_one = |from: &f64| later.iter().map(move |to| to - from).collect::<Vec<f64>>();
    let mut differences: Vec<f64> = earlier.iter().flat_map(of_one).collect();
    differences.sort_unstable_by(f64::total_cmp);
    differences
}

/// Estimates by how much `later` lies above `earlier`; `None` if one has no values.
pub fn estimate(earlier: &[f64], later: &[f64]) -> Option<f64> {
    quantiles::median(&differences(earlier, later))
}

/// Returns an interval that holds the shift with a probability of `confidence`; `None` if one has no values.
///
/// The distribution of the test's statistic is taken to be normal, which is near enough from six
/// values a side on.
pub fn interval(earlier: &[f64], later: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let differences = differences(earlier, later);
    let [one, other] = [earlier, later].map(|values| values.len() as f64);
    let pairs = one * other;
    let deviation = (pairs * (one + other + 1.0) / 12.0).sqrt();
    let below = pairs / 2.0 - normal::quantile(f64::midpoint(1.0, confidence)) * deviation;
    // At so many whole differences the test still rejects: the limit is half a difference further in.
    let share = (below + 0.5) / (pairs + 1.0);
    Some((at(&differences, share)?, at(&differences, 1.0 - share)?))
}
