//! Places where a series goes to another level and keeps it, and that stand out from all that it does elsewhere.
//!
//! Candidates are the cuts between the levels that fit the series best ([`levels`]). The durations themselves tell whether
//! one is a change: waves, drifts and noise that remembers have best cuts as well, and no step at them.

use serde::Serialize;

use super::levels::{self, levels_around};
use crate::statistics::quantiles::median_of as median;

/// The fewest durations of a level: a shorter one is a burst.
const LEAST: usize = 8;
/// The shortest level as a part of the series: a shorter one is a burst.
const LEAST_RATIO: f64 = 0.08;
/// The size of a change as a share of the lower level.
const SIZE: f64 = 0.20;
/// Least share of a level change that must happen at once, not as a ramp.
const ABRUPT: f64 = 0.7;
/// Factor by which a change must be larger than any jump away from all changes.
const STANDS_OUT: f64 = 2.0;
/// The part of all pairs of a duration before a change and one after it that must differ as their medians do: where short
/// and long ones alternate, a median flips and nothing has changed.
const PAIRS: f64 = 0.9;

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Index of the first duration after it.
    pub at: usize,
    /// The median after it, until the next one, over that before it, less 1.
    #[serde(rename = "difference")]
    pub ratio: f64,
}

/// Finds all changes of a series, in order.
pub fn find(steps: &[f64], scratch: &mut Vec<f64>) -> Vec<usize> {
    let least = LEAST.max((LEAST_RATIO * steps.len() as f64).ceil() as usize);
    if steps.len() < 3 * least {
        return Vec::new();
    }
    let mut cuts = levels::cuts(&levels::drawn_in(steps, least, scratch), least);
    let jumps = Jumps::new(steps, least, scratch);
    // Cuts that are no change go, the least first, and the rest is looked at again.
    loop {
        levels::refine(steps, &mut cuts, least, scratch);
        let sizes = cuts.iter().enumerate().map(|(index, at)| {
            let (from, to) = levels_around(&cuts, index, steps.len());
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

/// The jump at each place: how much higher the next few durations lie than the last few, as a logarithm.
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

    /// Returns the largest jump away from all cuts, and from the first steps, which may be warm-up.
    fn elsewhere(&self, cuts: &[usize]) -> f64 {
        let is_away = |at: usize| cuts.iter().all(|cut| cut.abs_diff(at) >= self.least);
        let away = self.at.iter().enumerate().skip(2 * self.least);
        let away = away.filter(|(at, _)| is_away(*at));
        away.map(|(_, jump)| jump.abs()).fold(0.0, f64::max)
    }
}

/// Returns the sizes of changes at `cuts`, after the steps of warm-up.
pub fn with_sizes(
    steps: &[f64],
    first: usize,
    cuts: &[usize],
    scratch: &mut Vec<f64>,
) -> Vec<Change> {
    let each = cuts.iter().enumerate().map(|(index, at)| {
        let (from, to) = levels_around(cuts, index, steps.len());
        let before = median(steps[from.max(first)..*at].iter().copied(), scratch);
        let after = median(steps[*at..to].iter().copied(), scratch);
        Change {
            at: *at,
            ratio: after / before - 1.0,
        }
    });
    each.collect()
}

/// Counts the first changes, up to `most`, that go one way: they are a beginning that comes nearer to a level.
pub fn one_way(steps: &[f64], cuts: &[usize], most: usize, scratch: &mut Vec<f64>) -> usize {
    let changes = with_sizes(steps, 0, cuts, scratch);
    let early = changes.iter().take_while(|change| change.at <= most);
    let is_same = |change: &&Change| (change.ratio > 0.0) == (changes[0].ratio > 0.0);
    early.take_while(is_same).count()
}

/// Returns how sure a change is: from 1 on it is one.
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

/// Returns the part of all pairs in which the later step is longer, or shorter (Mann and Whitney 1947).
pub fn parted(earlier: &[f64], later: &[f64], is_longer: bool) -> f64 {
    let differs = |one: f64, other: f64| if is_longer { other > one } else { other < one };
    let pairs = earlier
        .iter()
        .flat_map(|one| later.iter().map(|other| differs(*one, *other)));
    let differing = pairs.filter(|differs| *differs).count();
    differing as f64 / (earlier.len() * later.len()).max(1) as f64
}
