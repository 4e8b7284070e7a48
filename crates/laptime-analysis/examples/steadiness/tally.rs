//! What is told of a series, held against what is true of it.

use std::ops::Add;

use laptime_analysis::benchmark::warm_up::{self, Later};
use laptime_analysis::statistics::Random;

use super::series::{Machine, Series, Shape};

/// How far off a place may be, as a part of the series.
const NEAR: f64 = 0.05;
/// How far off a ratio may be.
const NEAR_RATIO: f64 = 1.15;
/// Durations of the shortest warm-ups, whose end is asked for exactly.
const FEW: usize = 3;
/// From this ratio on, a drift is worth telling.
const TOLD_DRIFT: f64 = 1.3;

/// What telling a series came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All that there is was told, where it is.
    Right,
    /// Something wasn't told, and what was told is so.
    Unsaid,
    /// Something was told that isn't so, or isn't there.
    Wrong,
}

/// How many series of a kind came to what.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub right: usize,
    pub unsaid: usize,
    pub wrong: usize,
}

impl Tally {
    /// Of so many series of a shape, on each machine in turn.
    pub fn of(shape: Shape, count: usize) -> Self {
        let mut random = Random::new(shape as u64 + 1);
        let mut tally = Self::default();
        for index in 0..count {
            let machine = Machine::ALL[index % Machine::ALL.len()];
            tally.take(verdict(&Series::new(shape, machine, &mut random)));
        }
        tally
    }

    /// How many series there are of each shape, of so many in all.
    pub fn shares(series: usize) -> impl Iterator<Item = usize> {
        let shapes = Shape::ALL.len();
        (0..shapes).map(move |shape| (series + shape) / shapes)
    }

    /// Its row of the table.
    pub fn row(self, name: &str) -> String {
        let Self {
            right,
            unsaid,
            wrong,
        } = self;
        let count = right + unsaid + wrong;
        format!("| {name} | {count} | {right} | {unsaid} | {wrong} |")
    }

    fn take(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Unsaid => self.unsaid += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            unsaid: self.unsaid + other.unsaid,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// What telling a series as a report does came to.
pub fn verdict(series: &Series) -> Verdict {
    let found =
        warm_up::find(&series.durations).map(|found| found.worth_telling(&series.durations));
    let Ok(found) = found else {
        return Verdict::Unsaid;
    };
    let near = (NEAR * series.truth.len() as f64).ceil() as usize;
    let is_at = |told: usize, (from, to): (usize, usize)| told + near >= from && told <= to + near;
    let is_change = |told: usize| series.changes.iter().any(|change| is_at(told, *change));
    let warm_up = (series.warm_up, series.warm_up);
    if found.steps > near && !is_at(found.steps, warm_up) && !is_change(found.steps) {
        return Verdict::Wrong;
    }
    // A few long calls at the start are told or not; that they are near says nothing.
    let mut is_all = match series.warm_up {
        0 => true,
        few if few <= FEW => found.steps.abs_diff(few) < FEW,
        _ => is_at(found.steps, warm_up),
    };
    let is_near = |told: f64, truth: f64| ((1.0 + told) / truth).ln().abs() <= NEAR_RATIO.ln();
    match &found.later {
        Some(Later::Changes(changes)) => {
            let mut bounds = vec![found.steps];
            bounds.extend(changes.iter().map(|change| change.at));
            bounds.push(series.truth.len());
            for (change, bounds) in changes.iter().zip(bounds.windows(3)) {
                let before = median(&series.truth[bounds[0]..bounds[1]]);
                let after = median(&series.truth[bounds[1]..bounds[2]]);
                if !is_change(change.at) || !is_near(change.ratio, after / before) {
                    return Verdict::Wrong;
                }
            }
        }
        Some(Later::Trend(ratio)) => {
            let steady = &series.truth[found.steps..];
            let third = steady.len() / 3;
            let (first, last) = (&steady[..third], &steady[steady.len() - third..]);
            if !is_near(*ratio, median(last) / median(first)) {
                return Verdict::Wrong;
            }
        }
        None => {}
    }
    is_all &= match series.shape {
        Shape::OneStep | Shape::TwoSteps => series.changes.iter().all(|change| {
            let told = match &found.later {
                Some(Later::Changes(told)) => &told[..],
                _ => &[],
            };
            is_at(found.steps, *change) || told.iter().any(|told| is_at(told.at, *change))
        }),
        Shape::Ramp => found.later.is_some() || is_change(found.steps),
        Shape::Drift => {
            let (first, last) = (
                series.truth[series.warm_up],
                series.truth[series.truth.len() - 1],
            );
            (last / first).ln().abs() < TOLD_DRIFT.ln() || found.later.is_some()
        }
        _ => true,
    };
    if is_all {
        Verdict::Right
    } else {
        Verdict::Unsaid
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    laptime_analysis::statistics::quantiles::median(&sorted).unwrap_or(f64::NAN)
}
