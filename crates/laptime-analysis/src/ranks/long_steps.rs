//! Ranks that are slow in some steps: more often than chance, or every so many steps.

use std::collections::{BTreeMap, BTreeSet};

use super::OwnPart;
use super::block::{BLOCK_STEPS, Blocks};
use crate::statistics::beta;

/// Fewest long steps that are an order.
pub const FEWEST: u64 = 4;
/// Share of the steps of an order that must be long.
const MOSTLY: f64 = 0.9;

/// Steps of a rank, and which of them were long.
#[derive(Debug, Clone, Default)]
pub struct Long {
    peers: u64,
    /// In order.
    pub steps: Vec<u64>,
    /// Steps that were looked at.
    pub of: u64,
    first: u64,
    last: u64,
}

/// Returns the ranks that have more long steps than their peers, at a chance of `alpha` that one has where none is slow.
pub fn often_slow(all: &BTreeMap<u32, Long>, alpha: f64) -> BTreeSet<u32> {
    let mut slow = BTreeSet::new();
    let classes = classes(all);
    let alpha = alpha / classes.len() as f64;
    for mut ranks in classes {
        ranks.sort_by(|(_, a), (_, b)| b.rate().total_cmp(&a.rate()));
        // As outliers are found: those that may stand out aren't what they are held against.
        let most = ranks.len().saturating_sub(1) / 2;
        let is_slow = |count: &usize| {
            let (candidates, rest) = ranks.split_at(*count);
            let each = alpha / (rest.len() + 1) as f64;
            Usual::of(rest).is_exceeded(candidates[count - 1].1, each)
        };
        let count = (1..=most).rev().find(is_slow).unwrap_or_default();
        slow.extend(ranks[..count].iter().map(|(rank, _)| *rank));
    }
    slow
}

/// Returns the ranks whose long steps come every so many steps, at a chance of `alpha` that one's do where none is
/// slow.
pub fn periodically_slow(all: &BTreeMap<u32, Long>, alpha: f64) -> BTreeSet<u32> {
    let mut slow = BTreeSet::new();
    let classes = classes(all);
    let alpha = alpha / classes.len() as f64;
    for ranks in classes {
        let each = alpha / ranks.len() as f64;
        for (rank, long) in &ranks {
            let rest: Vec<_> = ranks
                .iter()
                .filter(|(other, _)| other != rank)
                .copied()
                .collect();
            if period(long, Usual::of(&rest).rate, each).is_some() {
                slow.insert(*rank);
            }
        }
    }
    slow
}

/// Returns ranks by what they are compared with.
fn classes(all: &BTreeMap<u32, Long>) -> Vec<Vec<(u32, &Long)>> {
    let mut by_peers: BTreeMap<u64, Vec<(u32, &Long)>> = BTreeMap::new();
    for (rank, long) in all {
        by_peers.entry(long.peers).or_default().push((*rank, long));
    }
    by_peers.into_values().collect()
}

/// Returns each rank's long steps.
pub fn long_steps(blocks: &Blocks, part: OwnPart) -> BTreeMap<u32, Long> {
    let mut all: BTreeMap<u32, Long> = BTreeMap::new();
    for block in blocks.iter() {
        for one in Blocks::compared(block) {
            let long = all.entry(one.rank).or_default();
            if long.of == 0 {
                long.first = block.number * BLOCK_STEPS;
            }
            long.last = block.number * BLOCK_STEPS + BLOCK_STEPS - 1;
            long.peers = one.peers;
            long.of += u64::from(one.steps);
            let mask = one.parts[part as usize].long_steps;
            let bits = (0..BLOCK_STEPS).filter(|bit| mask >> bit & 1 == 1);
            long.steps
                .extend(bits.map(|bit| block.number * BLOCK_STEPS + bit));
        }
    }
    all
}

impl Long {
    /// Returns the share of its steps that are long.
    pub fn rate(&self) -> f64 {
        self.steps.len() as f64 / self.of.max(1) as f64
    }
}

/// How often steps of ranks are long that aren't slow.
struct Usual {
    rate: f64,
    /// Long steps, and all of them.
    counts: [f64; 2],
    /// How much more the counts of ranks differ than chance makes them.
    dispersion: f64,
}

impl Usual {
    fn of(ranks: &[(u32, &Long)]) -> Self {
        let ranks = ranks.iter().map(|(_, long)| *long);
        let (long, of) = ranks.clone().fold((0, 0), |(long, of), one| {
            (long + one.steps.len() as u64, of + one.of)
        });
        // One more than were seen: a rate of 0 would make a single one impossible.
        let rate = (long as f64 + 1.0) / (of as f64 + 1.0);
        let freedom = (ranks.len() as f64 - 1.0).max(1.0);
        let chi: f64 = ranks
            .map(|one| {
                let expected = rate * one.of as f64;
                (one.steps.len() as f64 - expected).powi(2) / expected
            })
            .sum();
        let dispersion = (chi / freedom).max(1.0);
        Self {
            rate,
            counts: [long as f64, of as f64],
            dispersion,
        }
    }

    /// Whether a rank has more long steps than its share of them all, which is as sure as their number makes it.
    fn is_exceeded(&self, long: &Long, alpha: f64) -> bool {
        let [usual, usual_of] = self.counts.map(|count| count / self.dispersion);
        let count = long.steps.len() as f64 / self.dispersion;
        let of = long.of as f64 / self.dispersion;
        count >= FEWEST as f64 && at_least(count, count + usual, of / (of + usual_of)) < alpha
    }
}

/// Returns how likely at least `count` of `of` are, each with this probability.
fn at_least(count: f64, of: f64, probability: f64) -> f64 {
    if count <= 0.0 {
        return 1.0;
    }
    if count >= of {
        return probability.powf(of);
    }
    beta::cdf(probability, count, of - count + 1.0)
}

/// Returns the period at which long steps come, and the first of them, if chance doesn't explain it.
pub fn period(long: &Long, rate: f64, alpha: f64) -> Option<(u64, u64)> {
    let length = long.last - long.first + 1;
    // How often chance makes an order of each period, wherever it begins: of as many as together stay below `alpha`.
    let mut by_chance: Vec<(f64, u64)> = (2..=length / FEWEST)
        .map(|steps| {
            let of = length / steps;
            let needed = (MOSTLY * of as f64).ceil();
            (steps as f64 * at_least(needed, of as f64, rate), steps)
        })
        .collect();
    by_chance.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut left = alpha;
    let sure = by_chance.into_iter().take_while(|(chance, _)| {
        left -= chance;
        left >= 0.0
    });
    // The likeliest to be no chance is the shortest: its multiples have as many long steps in fewer places.
    let mut sure: Vec<u64> = sure.map(|(_, steps)| steps).collect();
    sure.sort_unstable();
    sure.into_iter()
        .find_map(|steps| Some((steps, order(long, steps)?)))
}

/// Returns the first of the steps that come in this order, if most of them are long.
fn order(long: &Long, steps: u64) -> Option<u64> {
    let mut hits: BTreeMap<u64, u64> = BTreeMap::new();
    for step in &long.steps {
        *hits.entry(step % steps).or_default() += 1;
    }
    let (rest, hits) = hits.into_iter().max_by_key(|(_, hits)| *hits)?;
    let first = long.first + (rest + steps - long.first % steps) % steps;
    let of = (long.last - first) / steps + 1;
    (hits >= FEWEST && hits as f64 >= MOSTLY * of as f64).then_some(first)
}
