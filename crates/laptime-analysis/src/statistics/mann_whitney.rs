//! A test of whether values of one sample tend to be larger than those of another (Mann and Whitney, *On a test
//! of whether one of two random variables is stochastically larger than the other*, 1947).

use super::normal;
use super::ranks::ranks;

/// The most values in the smaller sample for which the probability is counted out, without ties.
const EXACT: usize = 8;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Number of pairs with the larger value in the later sample; equal ones count half.
    pub u: f64,
    /// Probability that samples of one distribution differ at least as much, in either direction.
    pub p_value: f64,
}

/// Tests two samples; `None` if one has no values.
pub fn test(earlier: &[f64], later: &[f64]) -> Option<MannWhitney> {
    if earlier.is_empty() || later.is_empty() {
        return None;
    }
    let (ranks, ties) = ranks(&[earlier, later].concat());
    let of_later: f64 = ranks[earlier.len()..].iter().sum();
    let u = of_later - triangle(later.len());
    let pairs = (earlier.len() * later.len()) as f64;
    let larger = u.max(pairs - u);
    let p_value = if ties.is_empty() && earlier.len().min(later.len()) <= EXACT {
        exact(earlier.len(), later.len(), (pairs - larger) as usize)
    } else {
        approximate(earlier.len(), later.len(), larger, &ties)
    };
    Some(MannWhitney { u, p_value })
}

fn triangle(count: usize) -> f64 {
    (count * (count + 1)) as f64 / 2.0
}

/// Returns the probability by the normal distribution, with the correction for ties and that for whole numbers.
fn approximate(one: usize, other: usize, larger: f64, ties: &[usize]) -> f64 {
    let (pairs, count) = ((one * other) as f64, (one + other) as f64);
    let lost: f64 = ties
        .iter()
        .map(|tie| (*tie as f64).powi(3) - *tie as f64)
        .sum();
    let variance = pairs / 12.0 * (count + 1.0 - lost / (count * (count - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    (2.0 * normal::cdf(-(larger - pairs / 2.0 - 0.5) / variance.sqrt())).min(1.0)
}

/// Returns the share of all orders of both samples with at most `u` pairs one way or the other.
fn exact(one: usize, other: usize, u: usize) -> f64 {
    // Orders by pairs: the coefficients of the product of (1 - q^(other + i)) / (1 - q^i).
    let mut orders = vec![0.0; one * other + 1];
    orders[0] = 1.0;
    for i in 1..=one {
        for pairs in (other + i..orders.len()).rev() {
            orders[pairs] -= orders[pairs - other - i];
        }
        for pairs in i..orders.len() {
            orders[pairs] += orders[pairs - i];
        }
    }
    let all: f64 = orders.iter().sum();
    (2.0 * orders[..=u].iter().sum::<f64>() / all).min(1.0)
}
