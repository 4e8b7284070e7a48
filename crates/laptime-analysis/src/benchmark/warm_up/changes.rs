//! Where a series goes to another level and keeps it: places that stand out from all that the series does elsewhere.
//!
//! Candidates are the cuts between the levels that fit the series best ([`levels`]). Whether one is a change is asked of
//! the durations themselves: waves, drifts and noise that remembers have best cuts as well, and no step at them.

use super::levels;
use crate::statistics::quantiles::median_of as median;

/// Shortest level, in durations and as a part of the series: a shorter one is a burst.
const LEAST: usize = 8;
const LEAST_RATIO: f64 = 0.08;
/// A change's size, as a share of the lower level.
const SIZE: f64 = 0.20;
/// The part of a change that must lie right at it.
const ABRUPT: f64 = 0.7;
/// How much larger it must be than what the series does away from all changes.
const STANDS_OUT: f64 = 2.0;
/// Of all pairs of a duration before it and one after it, the part that must differ as their medians do: where short
/// and long ones alternate, a median flips and nothing has changed.
const PAIRS: f64 = 0.9;

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first duration after it.
    pub at: usize,
    /// The median after it, until the next one, over that before it, less 1.
    pub ratio: f64,
}

/// All changes of a series, in order.
pub fn find(steps: &[f64], scratch: &mut Vec<f64>) -> Vec<usize> {
    let least = LEAST.max((LEAST_RATIO * steps.len() as f64).ceil() as usize);
    if steps.len() < 3 * least {
        return Vec::new();
    }
    let mut cuts = levels::cuts(&levels::drawn_in(steps, least, scratch), least);
    let jumps = Jumps::new(steps, least, scratch);
    // What is no change goes, the least first, and what is left is asked again.
    loop {
        levels::refine(steps, &mut cuts, least, scratch);
        let sizes = cuts.iter().enumerate().map(|(index, at)| {
            let (from, to) = around(&cuts, index, steps.len());
            strength(steps, (from, *at, to), (&cuts, &jumps), scratch)
        });
        let weakest = sizes
            .enumerate()
            .min_by(|one, other| one.1.total_cmp(&other.1));
        match weakest {
            Some((index, strength)) if strength < 1.0 => cuts.remove(index),
            _ => return cuts,
        };
    }
}

/// How much higher the next few durations lie than the last few, at each place, as a logarithm.
struct Jumps {
    least: usize,
    at: Vec<f64>,
}

impl Jumps {
    fn new(steps: &[f64], least: usize, scratch: &mut Vec<f64>) -> Self {
        let mut at = vec![0.0; steps.len()];
        for (place, jump) in at.iter_mut().enumerate().skip(least) {
            if place + least > steps.len() {
                break;
            }
            let before = median(steps[place - least..place].iter().copied(), scratch);
            let after = median(steps[place..place + least].iter().copied(), scratch);
            *jump = (after.max(f64::MIN_POSITIVE) / before.max(f64::MIN_POSITIVE)).ln();
        }
        Self { least, at }
    }

    /// The largest one away from all cuts, and from the first steps, which may be warm-up.
    fn elsewhere(&self, cuts: &[usize]) -> f64 {
        let is_away = |at: usize| cuts.iter().all(|cut| cut.abs_diff(at) >= self.least);
        let away = self.at.iter().enumerate().skip(2 * self.least);
        let away = away.filter(|(at, _)| is_away(*at));
        away.map(|(_, jump)| jump.abs()).fold(0.0, f64::max)
    }
}

/// What is told of changes at `cuts`, after the steps of warm-up.
pub fn told(steps: &[f64], first: usize, cuts: &[usize], scratch: &mut Vec<f64>) -> Vec<Change> {
    let each = cuts.iter().enumerate().map(|(index, at)| {
        let (from, to) = around(cuts, index, steps.len());
        let before = median(steps[from.max(first)..*at].iter().copied(), scratch);
        let after = median(steps[*at..to].iter().copied(), scratch);
        Change {
            at: *at,
            ratio: after / before - 1.0,
        }
    });
    each.collect()
}

/// How many of the first changes, up to `most`, go one way: they are a beginning that comes nearer to a level.
pub fn one_way(steps: &[f64], cuts: &[usize], most: usize, scratch: &mut Vec<f64>) -> usize {
    let changes = told(steps, 0, cuts, scratch);
    let early = changes.iter().take_while(|change| change.at <= most);
    let is_same = |change: &&Change| (change.ratio > 0.0) == (changes[0].ratio > 0.0);
    early.take_while(is_same).count()
}

/// The level before a cut, and that after it: from where to where.
pub fn around(cuts: &[usize], index: usize, count: usize) -> (usize, usize) {
    let from = index.checked_sub(1).map_or(0, |before| cuts[before]);
    (from, cuts.get(index + 1).copied().unwrap_or(count))
}

/// How sure a change is: from 1 on it is one.
fn strength(
    steps: &[f64],
    (from, at, to): (usize, usize, usize),
    (cuts, jumps): (&[usize], &Jumps),
    scratch: &mut Vec<f64>,
) -> f64 {
    // The first steps may be warm-up, which is no part of the level before.
    let from = if from == 0 {
        jumps.least.min(at - jumps.least)
    } else {
        from
    };
    let (earlier, later) = (&steps[from..at], &steps[at..to]);
    let before = median(earlier.iter().copied(), scratch);
    let after = median(later.iter().copied(), scratch);
    if before <= 0.0 || after <= 0.0 {
        return 0.0;
    }
    let all = (after / before).ln();
    let here = jumps.at[at] * all.signum();
    let most = jumps.elsewhere(cuts);
    [
        all.abs() / (1.0 + SIZE).ln(),
        here / (ABRUPT * all.abs()),
        if most > 0.0 {
            here / (STANDS_OUT * most)
        } else {
            1.0
        },
        parted(earlier, later, after > before) / PAIRS,
    ]
    .into_iter()
    .fold(f64::INFINITY, f64::min)
}

/// Of all pairs, the part in which the later step is longer, or shorter (Mann and Whitney 1947).
pub fn parted(earlier: &[f64], later: &[f64], is_longer: bool) -> f64 {
    let differs = |one: f64, other: f64| if is_longer { other > one } else { other < one };
    let pairs = earlier
        .iter()
        .flat_map(|one| later.iter().map(|other| differs(*one, *other)));
    let differing = pairs.filter(|differs| *differs).count();
    differing as f64 / (earlier.len() * later.len()).max(1) as f64
}
