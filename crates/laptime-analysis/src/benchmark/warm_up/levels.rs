//! The levels that fit a series best, and the cuts between them (segmented least squares, Bellman and Roth 1969; Bai and
//! Perron 2003), on logarithms whose outliers are drawn in.

use crate::statistics::quantiles::median_of as median;

/// The most cuts that are looked for: three changes, and the end of warm-up.
const MOST: usize = 4;
/// Number of median distances from which on a duration is an outlier.
const FAR: f64 = 3.0;
/// Part of the median below which the logarithm of a duration tells nothing.
const FLOOR_RATIO: f64 = 1e-3;

/// Returns logarithms, with those that lie far off their neighbours drawn in to them.
pub fn drawn_in(steps: &[f64], least: usize, scratch: &mut Vec<f64>) -> Vec<f64> {
    let floor = FLOOR_RATIO * median(steps.iter().copied(), scratch).max(FLOOR_RATIO);
    let logarithms: Vec<f64> = steps.iter().map(|step| step.max(floor).ln()).collect();
    let near = |index: usize| {
        &logarithms[index.saturating_sub(least)..(index + least + 1).min(steps.len())]
    };
    let local: Vec<f64> = (0..steps.len())
        .map(|index| median(near(index).iter().copied(), scratch))
        .collect();
    let off = logarithms
        .iter()
        .zip(&local)
        .map(|(step, local)| (step - local).abs());
    let reach = FAR * median(off, scratch);
    let drawn = logarithms.iter().zip(&local);
    drawn
        .map(|(step, local)| step.clamp(local - reach, local + reach))
        .collect()
}

/// Finds the cuts of the levels that fit best: as many as there may be.
pub fn cuts(values: &[f64], least: usize) -> Vec<usize> {
    let count = values.len();
    let sums: Vec<(f64, f64)> = std::iter::once((0.0, 0.0))
        .chain(values.iter().scan((0.0, 0.0), |(sum, squares), value| {
            *sum += value;
            *squares += value * value;
            Some((*sum, *squares))
        }))
        .collect();
    let cost = |from: usize, to: usize| {
        let sum = sums[to].0 - sums[from].0;
        sums[to].1 - sums[from].1 - sum * sum / (to - from) as f64
    };
    // The first level may be short: the first durations often are long.
    let mut best: Vec<f64> = (0..=count)
        .map(|to| if to == 0 { f64::INFINITY } else { cost(0, to) })
        .collect();
    let mut cuts: Vec<Vec<usize>> = Vec::new();
    let most = MOST.min(count / least - 1);
    for _ in 0..most {
        let mut next = vec![f64::INFINITY; count + 1];
        let mut from = vec![0; count + 1];
        for to in least..=count {
            for (at, before) in best.iter().enumerate().take(to - least + 1).skip(1) {
                let all = before + cost(at, to);
                if all < next[to] {
                    (next[to], from[to]) = (all, at);
                }
            }
        }
        best = next;
        cuts.push(from);
    }
    let mut to = count;
    let mut found: Vec<usize> = cuts
        .iter()
        .rev()
        .map(|from| {
            to = from[to];
            to
        })
        .collect();
    found.reverse();
    found.retain(|at| *at >= least);
    found.dedup();
    found
}

/// Moves each cut to where the levels on both sides fit the durations best.
pub fn refine(steps: &[f64], cuts: &mut [usize], least: usize, scratch: &mut Vec<f64>) {
    for index in 0..cuts.len() {
        let (from, to) = levels_around(cuts, index, steps.len());
        let cut = cuts[index];
        let before = median(steps[from..cut].iter().copied(), scratch);
        let after = median(steps[cut..to].iter().copied(), scratch);
        let (low, high) = ((from + least).min(cut), (to - least).max(cut));
        let (low, high) = (
            low.max(cut.saturating_sub(2 * least)),
            high.min(cut + 2 * least),
        );
        let mut cost = 0.0;
        let mut best = (0.0, low);
        for (at, step) in steps.iter().enumerate().take(high).skip(low) {
            cost += (step - before).abs() - (step - after).abs();
            if cost < best.0 {
                best = (cost, at + 1);
            }
        }
        cuts[index] = best.1;
    }
}

/// Returns the start of the level before a cut, and the end of the level after it.
pub fn levels_around(cuts: &[usize], index: usize, count: usize) -> (usize, usize) {
    let from = index.checked_sub(1).map_or(0, |before| cuts[before]);
    (from, cuts.get(index + 1).copied().unwrap_or(count))
}
