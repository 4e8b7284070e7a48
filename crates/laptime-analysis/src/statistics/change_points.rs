//! Places where a series changed: in its level, its spread, or whatever else of its distribution.
//!
//! E-divisive (Matteson and James, *A nonparametric approach for multiple change point analysis of
//! multivariate data*, 2014; Hunter and `MongoDB` look for regressions with it): the series is cut where
//! the energy distance between both parts is largest, as long as a permutation of it would seldom have one
//! so large. Distances are of ranks, so that an outlier is no change.

use super::Random;
use super::ranks::ranks;

/// Fewest values of a part: one that differs alone is an outlier.
const LEAST: usize = 3;
/// Permutations that are tried.
const PERMUTATIONS: usize = 999;
/// Seed of the permutations: the same series always has the same changes.
const SEED: u64 = 14;

/// A place where a series changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value after it.
    pub at: usize,
    /// Probability that a series without a change has one as clear.
    pub p_value: f64,
}

/// Finds the changes of a series that are unlikelier than `level`, in its order.
///
/// **Cost** grows with the square of the values, times the permutations: meant for hundreds.
pub fn find(values: &[f64], level: f64) -> Vec<ChangePoint> {
    let (mut found, mut random) = (Vec::new(), Random::new(SEED));
    let mut parts = vec![(0, values.len())];
    while let Some((start, end)) = parts.pop() {
        let (mut of_part, _) = ranks(&values[start..end]);
        let Some((cut, seen)) = best_cut(&of_part) else {
            continue;
        };
        // As soon as chance has had too many as clear, the rest tells nothing.
        let allowed = level * (PERMUTATIONS + 1) as f64;
        let mut hits = 1;
        for _ in 0..PERMUTATIONS {
            random.shuffle(&mut of_part);
            hits += usize::from(best_cut(&of_part).is_some_and(|(_, chance)| chance >= seen));
            if hits as f64 > allowed {
                break;
            }
        }
        if hits as f64 <= allowed {
            let p_value = hits as f64 / (PERMUTATIONS + 1) as f64;
            let at = start + cut;
            found.push(ChangePoint { at, p_value });
            parts.extend([(start, at), (at, end)]);
        }
    }
    found.sort_unstable_by_key(|change| change.at);
    found
}

/// Finds where both parts differ most, and how much.
fn best_cut(values: &[f64]) -> Option<(usize, f64)> {
    let count = values.len();
    let distance =
        |from: &[f64], value: f64| from.iter().map(|one| (one - value).abs()).sum::<f64>();
    // Sums of distances within the earlier part, within the later one, and between them, kept up as
    // one value after the other changes sides.
    let (mut within, mut later) = (0.0, 0.0);
    for index in 0..count {
        later += distance(&values[..index], values[index]);
    }
    let (mut between, mut best) = (0.0, None::<(usize, f64)>);
    for cut in 1..count {
        let (value, rest) = (values[cut - 1], &values[cut..]);
        let (to_earlier, to_later) = (distance(&values[..cut - 1], value), distance(rest, value));
        within += to_earlier;
        later -= to_later;
        between += to_later - to_earlier;
        if cut < LEAST || count - cut < LEAST {
            continue;
        }
        let (one, other) = (cut as f64, (count - cut) as f64);
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let energy = 2.0 * between / (one * other) - within / pairs(one) - later / pairs(other);
        let scaled = energy * one * other / (one + other);
        if best.is_none_or(|(_, most)| scaled > most) {
            best = Some((cut, scaled));
        }
    }
    best
}
