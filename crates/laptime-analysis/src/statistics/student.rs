//! Student's t distribution (Abramowitz and Stegun 26.7), for any positive degrees of freedom.

use super::beta;
use super::bisection::solve;

/// A distance that is far enough for one degree of freedom and a probability of 10⁻⁹.
const FARTHEST: f64 = 1e9;

/// Returns the probability of a value at least as far from zero as `t`, on either side.
pub fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    beta::cdf(freedom / t.mul_add(t, freedom), freedom / 2.0, 0.5)
}

/// Returns the distance from zero that values keep to with this probability.
pub fn within(confidence: f64, freedom: f64) -> f64 {
    solve(|t| 1.0 - two_sided(t, freedom), confidence, 0.0, FARTHEST)
}
