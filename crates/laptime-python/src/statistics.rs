//! The statistics behind verdicts, so that tests can hold them against `scipy` and `statsmodels`.

use std::collections::HashMap;

use laptime_analysis::quantiles;
use laptime_analysis::statistics::{
    autocorrelation, beta, dispersion, false_discoveries, mann_whitney, normal, permutation, shift,
    student,
};
use pyo3::prelude::*;

/// Random ways that a permutation test tries.
const WAYS: usize = 9_999;

/// Every statistic of two series, by name; absent where it has none. Not part of the interface.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes is taken by value"
)]
pub fn statistics(one: Vec<f64>, other: Vec<f64>) -> HashMap<&'static str, f64> {
    let mut sorted = one.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let test = mann_whitney::test(&one, &other);
    let all = [
        ("median", quantiles::median(&sorted)),
        ("mad", dispersion::mad(&sorted)),
        ("iqr", dispersion::iqr(&sorted)),
        ("autocorrelation_1", autocorrelation::at_lag(&one, 1)),
        ("autocorrelation_3", autocorrelation::at_lag(&one, 3)),
        ("mann_whitney_u", test.map(|found| found.u)),
        ("mann_whitney_p", test.map(|found| found.p_value)),
        ("permutation_p", permutation::of_means(&one, &other, WAYS)),
        ("shift", shift::estimate(&one, &other)),
    ];
    let there = |(name, value): (_, Option<f64>)| value.map(|value| (name, value));
    all.into_iter().filter_map(there).collect()
}

/// Benjamini and Hochberg's adjusted probabilities. Not part of the interface.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes is taken by value"
)]
pub fn statistics_adjusted(p_values: Vec<f64>) -> Vec<f64> {
    false_discoveries::adjusted(&p_values)
}

/// The distributions at `x`: normal, its quantile, Student's t, beta. Not part of the interface.
#[pyfunction]
pub fn statistics_distributions(x: f64, freedom: f64) -> (f64, f64, f64, f64) {
    let share = normal::cdf(x);
    (
        share,
        normal::quantile(share),
        student::two_sided(x, freedom),
        beta::cdf(share, freedom, freedom + 1.0),
    )
}
