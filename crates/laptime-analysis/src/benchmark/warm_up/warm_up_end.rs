//! The beginning of a series that is unlike all that follows: long first steps, or a decay.
//!
//! A head that lies at another level than the rest is cut off where head and rest fit best (two segments, least
//! absolute deviations, Bai 1995; the rest may have a trend). A decay has no such place: there warm-up ends at the first
//! step from which on the median of the next few lies within 5 % of those that follow, or within their noise.
//! Waves, drifts and bursts have such beginnings as well, again and again: those are no warm-up.

use super::trend::{Line, MEDIAN_TO_MEAN_ERROR, noise};
use crate::statistics::quantiles::median_of as median;

/// The fewest steps that tell anything: halves of halves still hold three.
pub const LEAST_STEPS: usize = 12;

/// Steps over which "from here on" is judged: a single slow step must not end or prolong warm-up.
const AHEAD: usize = 5;
/// Steps that are compared with others: more than twice as many as a burst of a busy machine has.
const BESIDE: usize = 9;
/// Steps that are enough to tell the level that follows.
const FOLLOWING: usize = 4 * AHEAD;
/// Distance from the level that counts as none.
const LEVEL_RATIO: f64 = 0.05;
/// Distance from the level, in standard deviations, at which a single step is an outlier.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// An outlier's distance as a share of the level, for series with next to no noise.
const OUTLIER_RATIO: f64 = 0.10;
/// Gain in fit of two segments over one, in deviations per unit of ln(steps).
///
/// Two segments always fit better than one. The logarithm is the penalty of Schwarz's criterion for
/// one more parameter; the simulated series are judged alike from 0.4 to 2.
const GAIN: f64 = 0.9;
/// Distance of a head from the rest, in standard deviations.
///
/// With 4, one planted warm-up in eleven is missed among 60 steps with 5 % noise.
const HEAD_DEVIATIONS: f64 = 2.5;
/// Factor by which the first steps must differ more from those after warm-up than others that lie as far apart.
const UNLIKE: f64 = 1.5;
/// The part of these others that may differ as much all the same: single slow steps come again.
const ALIKE_RATIO: f64 = 0.05;
/// The most pairs of places that are compared.
const MOST_PAIRS: usize = 200;
/// Ratio of costs below which they differ by more than rounding.
const CLEARLY: f64 = 1.0 - 1e-9;

/// Returns the first step after the beginning, `most` at most; 0 where there is none. No level changes in the steps but that
/// of warm-up.
///
/// Ever shorter series are looked at for a beginning: beside the first slow step, all that comes later may weigh
/// more. Its end is told by the steps right after it, since those later may drift.
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

/// Finds the longest head that is unlike the steps after it.
fn last_unlike(
    steps: &[f64],
    beginning: &[f64],
    most: usize,
    scratch: &mut Vec<f64>,
) -> Option<usize> {
    let deviation = noise(beginning, scratch);
    let mut first = head_length(beginning, deviation, scratch);
    let mut found = None;
    // The steps after a decay are judged without it, until nothing more is cut off.
    loop {
        if first <= most && is_unlike(steps, first, scratch) {
            found = Some(first);
        }
        let settled = first_settled(beginning, first, deviation, scratch);
        if settled == first {
            return found;
        }
        first = settled;
    }
}

/// Counts the steps at the start that lie at another level than the rest.
fn head_length(steps: &[f64], deviation: f64, scratch: &mut Vec<f64>) -> usize {
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

/// Finds the first step from `head` on, in the earlier half, that lies where the steps after `head` do.
fn first_settled(steps: &[f64], head: usize, deviation: f64, scratch: &mut Vec<f64>) -> usize {
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

/// Tells whether the steps from `first` on lie where those do that follow.
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

/// Tells whether steps lie near a level: the first by itself, and the median of all.
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

/// Tells whether the first steps differ from those after `first` otherwise than others do from steps that come as long
/// after them.
fn is_unlike(steps: &[f64], first: usize, scratch: &mut Vec<f64>) -> bool {
    // Short series have fewer to compare.
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
