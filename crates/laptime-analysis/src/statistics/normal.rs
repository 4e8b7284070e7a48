//! The standard normal distribution.
//!
//! Near the middle its series, in the tail Laplace's continued fraction (Marsaglia, *Evaluating
//! the normal distribution*, 2004; Abramowitz and Stegun 26.2.14): 14 digits, in the tail too.

use super::bisection::solve;

/// Value from which on the continued fraction needs fewer terms than the series.
const TAIL: f64 = 3.0;
/// Terms that give 14 digits at [`TAIL`].
const TERMS: u32 = 200;
/// Value beyond which a double has no probability left.
const FARTHEST: f64 = 39.0;

/// Returns the probability of a value up to `x`.
pub fn cdf(x: f64) -> f64 {
    if x < -TAIL {
        return tail(-x);
    }
    if x > TAIL {
        return 1.0 - tail(x);
    }
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * density(x)
}

/// Returns the value that a share `probability` of all lies below.
pub fn quantile(probability: f64) -> f64 {
    solve(cdf, probability, -FARTHEST, FARTHEST)
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

/// Returns the probability beyond a positive `x`.
fn tail(x: f64) -> f64 {
    let fraction = (1..=TERMS)
        .rev()
        .fold(x, |below, k| x + f64::from(k) / below);
    density(x) / fraction
}
