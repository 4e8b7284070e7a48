//! When warm-up ends: a rule over the durations of the first steps.
//!
//! Warm-up is a change at the start. A head that lies at another level than what follows is
//! cut off where head and rest fit best (two segments, least absolute deviations, Bai 1995;
//! the rest may have a trend). A decay has no such place: there warm-up ends at the first
//! step from which on the median of the next few lies within 5 % of the rest, or within
//! what noise explains. A later trend or change is not warm-up and refuses nothing: it is a
//! doubt, told beside the numbers.

use laptime_core::Unavailable;

use crate::quantiles::median_of as median;
use crate::too_few::too_few;

mod line;

use crate::summary::nouns;
pub(crate) use line::Line;
use line::{MEDIAN_TO_MEAN_ERROR, noise};

/// Fewest steps that tell anything: halves of halves still hold three.
pub const LEAST_STEPS: usize = 12;
/// Steps over which "from here on" is judged: a single slow step must not end or prolong warm-up.
const AHEAD: usize = 5;
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
/// A late change's size, in deviations and as a share of the lower level.
const CHANGE_DEVIATIONS: f64 = 4.0;
const CHANGE_RATIO: f64 = 0.20;
/// Of all pairs of a step before the change and one after it, the part that must differ as their
/// medians do: where short and long steps alternate, a median flips and nothing has changed.
const CHANGE_PAIRS: f64 = 0.9;
/// Standard errors by which the halves of the rest must differ for its trend to be told.
const TREND_ERRORS: f64 = 3.0;
/// And by this ratio from the first step to the last: less is how a machine's clock speed and
/// caches settle, and it moves with whatever else runs.
const TREND_RATIO: f64 = 0.15;
/// Of all pairs of a step of the first third and one of the last, the part that must differ as the
/// trend says: where steps scatter further than they drift, a line through them tells nothing.
const TREND_PAIRS: f64 = 0.8;
/// Costs must differ by more than rounding does.
const CLEARLY: f64 = 1.0 - 1e-9;

/// Where warm-up ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmUp {
    /// The first steady step, from 0.
    pub steps: usize,
    /// What the steps did after it, if they did not keep their level.
    pub later: Option<Later>,
}

/// What steps did after warm-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Later {
    /// The steps grew longer or shorter all the time, by this ratio of the first of them in all.
    Trend(f64),
    /// From this step on they were longer or shorter, by this ratio.
    Change(usize, f64),
}

impl Later {
    /// What is said of it; `noun` is what one step is called.
    pub fn said(self, noun: &str) -> String {
        let told = |ratio: f64| {
            if ratio > 1.0 {
                let times = ratio + 1.0;
                let digits = usize::from(times < 9.95);
                return format!("{times:.digits$} times as long");
            }
            let course = if ratio < 0.0 { "shorter" } else { "longer" };
            format!("{:.0} % {course}", ratio.abs() * 100.0)
        };
        let nouns = nouns(noun);
        match self {
            Self::Trend(ratio) => {
                format!(
                    "{nouns} became {} between the end of warm-up and the end of the run",
                    told(ratio)
                )
            }
            Self::Change(at, ratio) => format!("from {noun} {at} on, {nouns} were {}", told(ratio)),
        }
    }
}

/// The index of the first steady step, or why there is none.
///
/// **Units** any, the same for all durations.
pub fn first_steady(durations: &[u64]) -> Result<usize, Unavailable> {
    find(durations).map(|found| found.steps)
}

/// Where warm-up ends, or why that can't be told.
///
/// **Units** any, the same for all durations. **Cost** 2 ms for 512 steps.
pub fn find(durations: &[u64]) -> Result<WarmUp, Unavailable> {
    find_among(durations, "step")
}

/// As [`find`]; `noun` is what one duration is of.
pub fn find_among(durations: &[u64], noun: &str) -> Result<WarmUp, Unavailable> {
    if durations.len() < LEAST_STEPS {
        return Err(too_few(
            durations.len(),
            noun,
            "warm-up from steady state",
            LEAST_STEPS,
        ));
    }
    // A change in the later half is looked for first and cut off: fitted together with the rest, it
    // lifts or tilts the line that the head is held against, and warm-up seems to go on up to it.
    let steps: Vec<f64> = durations.iter().map(|duration| *duration as f64).collect();
    let scratch = &mut Vec::new();
    let change = late_change(&steps, scratch);
    let before = change.map_or(steps.as_slice(), |(at, _)| &steps[..at]);
    let first = first_of(before, scratch);
    let later = match change {
        Some((at, ratio)) => Some(Later::Change(at, ratio)),
        None => trend(&steps[first..], scratch).map(Later::Trend),
    };
    Ok(WarmUp {
        steps: first,
        later,
    })
}

impl WarmUp {
    /// The same, with a trend only where it is worth a word to the reader of a report: large, and
    /// clear against how the steps scatter. What measures on until it is sure asks for less.
    #[must_use]
    pub fn worth_telling(self, durations: &[u64]) -> Self {
        let Some(Later::Trend(ratio)) = self.later else {
            return self;
        };
        let steps: Vec<f64> = durations[self.steps..]
            .iter()
            .map(|step| *step as f64)
            .collect();
        let third = steps.len() / 3;
        let (earlier, later) = (&steps[..third], &steps[steps.len() - third..]);
        let is_told =
            ratio.abs() >= TREND_RATIO && parted(earlier, later, ratio > 0.0) >= TREND_PAIRS;
        Self {
            later: self.later.filter(|_| is_told),
            ..self
        }
    }
}

/// A change of level in the later half, and its ratio: no warm-up, and in the way of finding it.
fn late_change(steps: &[f64], scratch: &mut Vec<f64>) -> Option<(usize, f64)> {
    let deviation = noise(steps, scratch);
    let mut best = Line::through(steps, deviation, scratch).distance(steps);
    let mut found = None;
    for at in steps.len() / 2 + 1..steps.len() - AHEAD {
        let cost = level_distance(&steps[..at], scratch) + level_distance(&steps[at..], scratch);
        if cost < best * CLEARLY {
            (best, found) = (cost, Some(at));
        }
    }
    let at = found?;
    // Held against the quarter before it, not against all: warm-up may lie there.
    let nearby = at - (steps.len() / 4).min(at);
    let (earlier, later) = (&steps[nearby..at], &steps[at..]);
    let before = median(earlier.iter().copied(), scratch);
    let after = median(later.iter().copied(), scratch);
    let least = (CHANGE_RATIO * before.min(after)).max(CHANGE_DEVIATIONS * deviation);
    let is_change = (after - before).abs() >= least
        && before > 0.0
        && parted(earlier, later, after > before) >= CHANGE_PAIRS;
    is_change.then(|| (at, after / before - 1.0))
}

/// Of all pairs, the part in which the later step is longer, or shorter (Mann and Whitney 1947).
fn parted(earlier: &[f64], later: &[f64], is_longer: bool) -> f64 {
    let differs = |one: f64, other: f64| if is_longer { other > one } else { other < one };
    let pairs = earlier
        .iter()
        .flat_map(|one| later.iter().map(|other| differs(*one, *other)));
    let differing = pairs.filter(|differs| *differs).count();
    differing as f64 / (earlier.len() * later.len()).max(1) as f64
}

fn level_distance(steps: &[f64], scratch: &mut Vec<f64>) -> f64 {
    let start = median(steps.iter().copied(), scratch);
    let level = Line { start, slope: 0.0 };
    level.distance(steps)
}

/// The first steady step of a series without a change in its later half.
fn first_of(steps: &[f64], scratch: &mut Vec<f64>) -> usize {
    let deviation = noise(steps, scratch);
    let mut first = head(steps, deviation, scratch);
    // What follows a decay is judged without it: until nothing more is cut off.
    loop {
        let settled = settled(steps, first, deviation, scratch);
        if settled == first {
            return first;
        }
        first = settled;
    }
}

/// The first step from `head` on that lies where the steps after `head` do, in the earlier half.
fn settled(steps: &[f64], head: usize, deviation: f64, scratch: &mut Vec<f64>) -> usize {
    let rest = Line::through(&steps[head..], deviation, scratch);
    let ahead_error = MEDIAN_TO_MEAN_ERROR * deviation / (AHEAD as f64).sqrt();
    (head..=steps.len() / 2)
        .find(|first| {
            // The step itself must lie near, or a median of five would let warm-up's last two pass.
            let next = &steps[*first..(first + AHEAD).min(steps.len())];
            let level = rest.at(first - head);
            let ahead = rest.at(first - head + next.len() / 2);
            let far = (OUTLIER_RATIO * level).max(OUTLIER_DEVIATIONS * deviation);
            let near = (LEVEL_RATIO * ahead).max(OUTLIER_DEVIATIONS * ahead_error);
            let median = median(next.iter().copied(), scratch);
            (steps[*first] - level).abs() <= far && (median - ahead).abs() <= near
        })
        .unwrap_or(head)
}

/// How many steps at the start lie at a level of their own.
fn head(steps: &[f64], deviation: f64, scratch: &mut Vec<f64>) -> usize {
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

/// By which ratio steps grew or shrank all in all, if they did.
fn trend(steps: &[f64], scratch: &mut Vec<f64>) -> Option<f64> {
    let deviation = noise(steps, scratch);
    let line = Line::through(steps, deviation, scratch);
    let (start, end) = (line.start, line.at(steps.len() - 1));
    let half = steps.len() as f64 / 2.0;
    let error = MEDIAN_TO_MEAN_ERROR * deviation * (2.0 / half).sqrt();
    ((end - start).abs() / 2.0 > TREND_ERRORS * error && start > 0.0).then(|| end / start - 1.0)
}

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;
