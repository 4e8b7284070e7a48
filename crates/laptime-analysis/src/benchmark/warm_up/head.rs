//! The beginning that is unlike all that follows: long first steps, or a decay.
//!
//! A head that lies at another level than what follows is cut off where head and rest fit best (two segments, least
//! absolute deviations, Bai 1995; the rest may have a trend). A decay has no such place: there warm-up ends at the first
//! step from which on the median of the next few lies within 5 % of those that follow, or within what noise explains.
//! Waves, drifts and bursts have such beginnings as well, again and again: those are no warm-up.

use super::LEAST_STEPS;
use super::line::{Line, MEDIAN_TO_MEAN_ERROR, noise};
use crate::statistics::quantiles::median_of as median;

/// Steps over which "from here on" is judged: a single slow step must not end or prolong warm-up.
const AHEAD: usize = 5;
/// Steps that are held against others: more than twice as many as a burst of a busy machine has.
const BESIDE: usize = 9;
/// Steps that are enough to tell the level that follows.
const FOLLOWING: usize = 4 * AHEAD;
/// Distance from the level that counts as none.
const LEVEL_RATIO: f64 = 0.05;
/// Distance from the level, in standard deviations, at which a single step is an outlier.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// An outlier's distance as a share of the level, for series with next to no noise.
const OUTLIER_RATIO: f64 = 0.10;
/// How much better two segments must fit than one, in deviations per unit of ln(steps).
///
/// Two segments always fit better than one. The logarithm is the penalty of Schwarz's criterion for
/// one more parameter; the simulated series are judged alike from 0.4 to 2.
const GAIN: f64 = 0.9;
/// Distance of a head from the rest, in standard deviations.
///
/// With 4, one planted warm-up in eleven is missed among 60 steps with 5 % noise.
const HEAD_DEVIATIONS: f64 = 2.5;
/// How much more the first steps must differ from those after warm-up than others do that lie as far apart.
const UNLIKE: f64 = 1.5;
/// The part of those that may differ as much all the same: single slow steps come again.
const ALIKE_RATIO: f64 = 0.05;
/// Pairs of places that are looked at for that.
const MOST_PAIRS: usize = 200;
/// Costs must differ by more than rounding does.
const CLEARLY: f64 = 1.0 - 1e-9;

/// The first step after it, `most` at most; 0 where there is none. No level changes in the steps but that of warm-up.
///
/// Whether there is one is asked of ever shorter beginnings: beside the first slow step, all that comes later may weigh
/// more. Where it ends is asked of the steps right after it, since those later may drift.
pub fn end(steps: &[f64], most: usize, scratch: &mut Vec<f64>) -> usize {
    let mut beginning = steps;
    while beginning.len() >= LEAST_STEPS {
        let deviation = noise(beginning, scratch);
        if let Some(last) = last_unlike(steps, beginning, most, scratch) {
            let is_end = |at: &usize| {
                is_settled(steps, *at, deviation, scratch) && is_unlike(steps, *at, scratch)
            };
            return (1..last).find(is_end).unwrap_or(last);
        }
        beginning = &beginning[..beginning.len() / 2];
    }
    0
}

/// The longest head of a beginning that is unlike the steps after it.
fn last_unlike(
    steps: &[f64],
    beginning: &[f64],
    most: usize,
    scratch: &mut Vec<f64>,
) -> Option<usize> {
    let deviation = noise(beginning, scratch);
    let mut first = best(beginning, deviation, scratch);
    let mut found = None;
    // What follows a decay is judged without it: until nothing more is cut off.
    loop {
        if first <= most && is_unlike(steps, first, scratch) {
            found = Some(first);
        }
        let settled = settled(beginning, first, deviation, scratch);
        if settled == first {
            return found;
        }
        first = settled;
    }
}

/// How many steps at the start lie at a level of their own.
fn best(steps: &[f64], deviation: f64, scratch: &mut Vec<f64>) -> usize {
    let whole = Line::through(steps, deviation, scratch).distance(steps);
    let (mut best, mut head) = (whole, 0);
    // Level against line: a head is short and has no trend worth fitting, the rest may have one, which
    // a level would split in the middle.
    for at in 1..=steps.len() / 2 {
        let rest = Line::through(&steps[at..], deviation, scratch);
        let cost = level_distance(&steps[..at], scratch) + rest.distance(&steps[at..]);
        if cost < best * CLEARLY {
            (best, head) = (cost, at);
        }
    }
    let level = median(steps[..head].iter().copied(), scratch);
    let rest = Line::through(&steps[head..], deviation, scratch).start;
    let gain = GAIN * deviation * (steps.len() as f64).ln();
    let least = (2.0 * LEVEL_RATIO * rest).max(HEAD_DEVIATIONS * deviation);
    if whole - best >= gain && (level - rest).abs() >= least {
        head
    } else {
        0
    }
}

fn level_distance(steps: &[f64], scratch: &mut Vec<f64>) -> f64 {
    let start = median(steps.iter().copied(), scratch);
    let level = Line { start, slope: 0.0 };
    level.distance(steps)
}

/// The first step from `head` on that lies where the steps after `head` do, in the earlier half.
fn settled(steps: &[f64], head: usize, deviation: f64, scratch: &mut Vec<f64>) -> usize {
    let rest = Line::through(&steps[head..], deviation, scratch);
    (head..=steps.len() / 2)
        .find(|first| {
            // The step itself must lie near, or a median of five would let warm-up's last two pass.
            let next = upto(steps, *first, AHEAD);
            let ahead = rest.at(first - head + next.len() / 2);
            is_near(next, (rest.at(first - head), ahead), deviation, scratch)
        })
        .unwrap_or(head)
}

/// Whether the steps from `first` on lie where those do that follow.
fn is_settled(steps: &[f64], first: usize, deviation: f64, scratch: &mut Vec<f64>) -> bool {
    let following = upto(steps, first, first.max(FOLLOWING));
    let level = median(following.iter().copied(), scratch);
    is_near(
        upto(steps, first, AHEAD),
        (level, level),
        deviation,
        scratch,
    )
}

fn upto(steps: &[f64], from: usize, count: usize) -> &[f64] {
    &steps[from..(from + count).min(steps.len())]
}

/// Whether steps lie near a level: the first by itself, and the median of all.
fn is_near(
    next: &[f64],
    (level, ahead): (f64, f64),
    deviation: f64,
    scratch: &mut Vec<f64>,
) -> bool {
    let ahead_error = MEDIAN_TO_MEAN_ERROR * deviation / (AHEAD as f64).sqrt();
    let far = (OUTLIER_RATIO * level).max(OUTLIER_DEVIATIONS * deviation);
    let near = (LEVEL_RATIO * ahead).max(OUTLIER_DEVIATIONS * ahead_error);
    let median = median(next.iter().copied(), scratch);
    (next[0] - level).abs() <= far && (median - ahead).abs() <= near
}

/// Whether the first steps differ from those after `first` otherwise than others do from those that come as long after
/// them.
fn is_unlike(steps: &[f64], first: usize, scratch: &mut Vec<f64>) -> bool {
    // Short series have fewer to hold against each other.
    let beside = BESIDE.min(steps.len().saturating_sub(first) / 3);
    let begin = first.min(beside);
    if begin == 0 {
        return false;
    }
    let mut differs = |at: usize| {
        let mut level = |from, count| median(upto(steps, from, count).iter().copied(), scratch);
        let (before, after) = (level(at, begin), level(at + first, beside));
        (after.max(f64::MIN_POSITIVE) / before.max(f64::MIN_POSITIVE)).ln()
    };
    let here = differs(0);
    let places = first..=steps.len() - first - beside;
    let every = places.clone().count().div_ceil(MOST_PAIRS).max(1);
    let others: Vec<f64> = places.step_by(every).map(differs).collect();
    // A drift is the same everywhere.
    let drift = median(others.iter().copied(), scratch);
    let here = here.abs().min((here - drift).abs());
    let is_alike = |other: &&f64| UNLIKE * (*other - drift).abs() >= here;
    let alike = others.iter().filter(is_alike).count();
    alike as f64 <= ALIKE_RATIO * others.len() as f64
}
