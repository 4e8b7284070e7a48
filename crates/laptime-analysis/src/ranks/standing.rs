//! Ranks whose part of a step takes longer than on their peers, from some step on.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{BlockRank, Blocks};
use super::{OwnPart, outliers};
use crate::statistics::student;

/// Steps at which a rank may have become slow, that are tried.
const STARTS: usize = 32;
/// Share of a step by which a rank is slower at least.
const LEAST_SHARE: f64 = 0.01;
/// How sure it is that it is slower by that.
const CONFIDENCE: f64 = 0.95;

/// A rank's blocks of one part.
#[derive(Default)]
struct Series {
    peers: u64,
    /// Excess as a share of the part on the peers, block by block; with what one stands for in a step.
    excess: Vec<f64>,
    /// Share of the part in the peers' step, on average.
    share: f64,
}

/// Returns the ranks that stand out in a part, at a chance of `alpha` that one does where none is slow.
pub fn slow_ranks(blocks: &Blocks, part: OwnPart, alpha: f64) -> BTreeSet<u32> {
    let count = blocks.iter().count();
    let tried = count.min(STARTS);
    let mut slow = BTreeSet::new();
    for start in (0..tried).map(|one| one * count / tried) {
        let series = series_from(blocks, part, start);
        let noise = noise(series.values());
        let classes = classes(&series);
        let alpha = alpha / (tried * classes.len()) as f64;
        for of_class in classes {
            let means: Vec<f64> = of_class.iter().map(|(_, one)| mean(&one.excess)).collect();
            for index in outliers::above(&means, alpha) {
                let (rank, one) = of_class[index];
                let half = noise / (one.excess.len() as f64).sqrt();
                if (means[index] - half) * one.share > LEAST_SHARE {
                    slow.insert(*rank);
                }
            }
        }
    }
    slow
}

fn series_from(blocks: &Blocks, part: OwnPart, start: usize) -> BTreeMap<u32, Series> {
    let mut all: BTreeMap<u32, Series> = BTreeMap::new();
    for one in blocks.iter().skip(start).flat_map(Blocks::compared) {
        let Some((excess, share)) = relative(one, part) else {
            continue;
        };
        let series = all.entry(one.rank).or_default();
        series.peers = one.peers;
        series.excess.push(excess);
        series.share += (share - series.share) / series.excess.len() as f64;
    }
    all
}

/// Returns a block's excess as a share of the part, and the part's share of a step; `None` where peers don't have it.
fn relative(one: &BlockRank, part: OwnPart) -> Option<(f64, f64)> {
    let sum = &one.parts[part as usize];
    let step_ns: i64 = one.parts.iter().map(|part| part.expected_ns).sum();
    (sum.expected_ns > 0).then(|| {
        let share = sum.expected_ns as f64 / step_ns as f64;
        (sum.median_excess as f64 / 1e9, share)
    })
}

/// Returns the ranks by what they are compared with.
fn classes(series: &BTreeMap<u32, Series>) -> Vec<Vec<(&u32, &Series)>> {
    let mut classes: BTreeMap<u64, Vec<(&u32, &Series)>> = BTreeMap::new();
    for (rank, one) in series {
        classes.entry(one.peers).or_default().push((rank, one));
    }
    classes.into_values().collect()
}

/// Returns the half width of the interval of one block's excess: of what blocks of one rank differ by, on all ranks.
fn noise<'a>(series: impl Iterator<Item = &'a Series>) -> f64 {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for one in series.filter(|one| one.excess.len() > 1) {
        let mean = mean(&one.excess);
        squares += one
            .excess
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        freedom += one.excess.len() as f64 - 1.0;
    }
    if freedom == 0.0 {
        return 0.0;
    }
    student::within(CONFIDENCE, freedom) * (squares / freedom).sqrt()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
