//! Whether two samples could be one that was dealt out at random (Fisher 1935; Pitman, *Significance
//! tests which may be applied to samples from any populations*, 1937).
//!
//! Few values are dealt out in all ways, many in random ones: then what was seen counts as one of
//! them, so that the probability is never zero (Phipson and Smyth, *Permutation p-values should never
//! be zero*, 2010).

use super::Random;

/// Ways up to which all are gone through.
const ALL_WAYS: f64 = 20_000.0;
/// Seed of the random ways: the same samples always have the same answer.
const SEED: u64 = 14;
/// Differences this near are equal: sums in another order differ by rounding.
const ROUNDING: f64 = 1e-12;

/// Probability that the means of samples dealt out at random differ at least as much, either way;
/// `None` if one has no values. `ways` is how many random ones are tried.
pub fn of_means(one: &[f64], other: &[f64], ways: usize) -> Option<f64> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let mut all = [one, other].concat();
    let (count, total) = (one.len(), all.iter().sum::<f64>());
    let per_value = 1.0 / count as f64 + 1.0 / other.len() as f64;
    // The difference of the means, by the sum of one side alone.
    let apart = |sum: f64| (sum * per_value - total / other.len() as f64).abs();
    let seen = apart(one.iter().sum());
    let least = seen - ROUNDING * all.iter().map(|value| value.abs()).sum::<f64>() * per_value;
    if combinations(all.len(), count) <= ALL_WAYS {
        let (mut hits, mut tried) = (0_usize, 0_usize);
        deal(&all, count, 0.0, &mut |sum| {
            tried += 1;
            hits += usize::from(apart(sum) >= least);
        });
        return Some(hits as f64 / tried as f64);
    }
    let mut random = Random::new(SEED);
    let hits = (0..ways).filter(|_| {
        // The first `count` of a shuffle are all that is needed of it.
        for index in 0..count {
            let left = all.len() - index;
            all.swap(index, index + random.below(left));
        }
        apart(all[..count].iter().sum()) >= least
    });
    Some((hits.count() + 1) as f64 / (ways + 1) as f64)
}

fn combinations(of: usize, count: usize) -> f64 {
    (0..count.min(of - count)).fold(1.0, |ways, k| ways * (of - k) as f64 / (k + 1) as f64)
}

/// Tells the sum of each way to take `count` of the values.
fn deal(values: &[f64], count: usize, sum: f64, tell: &mut impl FnMut(f64)) {
    if count == 0 {
        return tell(sum);
    }
    for (index, value) in values.iter().enumerate().take(values.len() + 1 - count) {
        deal(&values[index + 1..], count - 1, sum + value, tell);
    }
}
