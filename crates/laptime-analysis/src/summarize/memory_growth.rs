//! Memory that grows while steps are taken, by what each step left and by the levels that a recording notes:
//! the levels have what is left between steps as well, which no lap has.
//!
//! A level that is read within a step holds what the step frees again. The lowest one of several readings
//! is what is left at rest, so a line is laid through the lowest levels of up to twelve parts, over the
//! number of steps taken: steps that grow shorter leave as much each in less time.
//!
//! Neighbouring levels are alike where a program does the same for a while. The interval of the slope
//! allows for that by fewer effective points (Santer et al., "Statistical significance of trends and trend
//! differences in layer-average atmospheric temperature time series", J. Geophys. Res. 105, 2000), or tells from
//! the rises between neighbours, which are not alike where levels are (first differences).

use crate::reading::recorder_samples::RecorderSamples;
use crate::reading::step_stretches::{self, Stretch};

/// Parts of the steady state that have a lowest level each: enough for a line.
pub const MOST_PARTS: usize = 12;
/// Fewest parts for a line; of a short run, fewest single readings.
const LEAST_PARTS: usize = 6;
/// Readings in a part, where there are enough.
const READINGS: usize = 2;
/// Fewest readings at either end for a rise.
const LEAST_READINGS: usize = 2;
/// Part of the steps that readings must span to tell about them.
const TELLING_RATIO: f64 = 0.5;
/// Part at the end of the steps in which growth must go on: late enough for a buffer that most steps fill.
const LATE_RATIO: f64 = 0.2;
/// Stretches of which the mean is taken each, to tell how well the mean of all is known; alike neighbours fall
/// into one.
const BLOCKS: usize = 10;
/// Parts of the time in each of which growth must go on.
pub const THIRDS: usize = 3;
/// Least rate of growth between the last two parts, as a part of the rate in all.
pub const LAST_RATIO: f64 = 0.25;
/// Half the width of a 95 % interval, in standard errors, by degrees of freedom from 1 on.
const ERRORS: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/// Growth of memory along a line.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Growth from the first step to the last.
    pub bytes: f64,
    /// Half the width of the 95 % interval of that growth.
    pub uncertainty: f64,
    /// Rate of growth at the end, over the rate in all.
    pub late_ratio: f64,
}

/// Returns the growth that steps left inside of their laps.
pub fn inside(steps: &[Stretch]) -> Option<Growth> {
    let counted: u64 = steps.iter().map(|one| one.counted).sum();
    if counted == 0 || steps.len() < BLOCKS {
        return None;
    }
    let kept: i64 = steps.iter().map(|one| one.net_bytes).sum();
    let mean = kept as f64 / counted as f64;
    let blocks = (0..BLOCKS).map(|index| {
        let block = &steps[index * steps.len() / BLOCKS..(index + 1) * steps.len() / BLOCKS];
        let (bytes, count) = sums(block.iter().copied());
        if count > 0.0 { bytes / count } else { mean }
    });
    let square: f64 = blocks.map(|one| (one - mean).powi(2)).sum();
    let error = (square / (BLOCKS * (BLOCKS - 1)) as f64).sqrt();
    let late = (steps.len() as f64 * LATE_RATIO).ceil() as usize;
    let (bytes, count) = sums(steps[steps.len() - late..].iter().copied());
    Some(Growth {
        bytes: kept as f64,
        uncertainty: ERRORS[BLOCKS - 2] * error * counted as f64,
        late_ratio: bytes / count.max(1.0) / mean,
    })
}

/// Returns the bytes that steps left, and the number of these steps.
fn sums(steps: impl Iterator<Item = Stretch>) -> (f64, f64) {
    steps.fold((0.0, 0.0), |(bytes, count), one| {
        (bytes + one.net_bytes as f64, count + one.counted as f64)
    })
}

/// Returns the growth of the whole process over steps, the last of which ends at `to`; `None` where too little
/// was read.
pub fn of_process(readings: &RecorderSamples, steps: &[Stretch], to: u64) -> Option<Growth> {
    let from = steps.first()?.start;
    let count: u64 = steps.iter().map(|one| one.count).sum();
    let mut levels: Vec<(f64, f64)> = readings
        .levels()
        .filter(|(at, _)| (from..to).contains(at))
        .map(|(at, bytes)| (step_stretches::steps_until(steps, at, to), bytes as f64))
        .collect();
    levels.sort_by(|one, other| one.0.total_cmp(&other.0));
    let span = levels.last()?.0 - levels.first()?.0;
    if levels.len() < LEAST_PARTS || span < TELLING_RATIO * count as f64 {
        return None;
    }
    let points = lowest(&levels);
    let (slope, uncertainty) = line(&points)?;
    Some(Growth {
        bytes: slope * count as f64,
        uncertainty: uncertainty * count as f64,
        late_ratio: late_slope(&points)? / slope,
    })
}

/// Returns the lowest level of each part, in order.
pub fn lowest(levels: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let parts = (levels.len() / READINGS).clamp(LEAST_PARTS, MOST_PARTS);
    let lowest = (0..parts).filter_map(|index| {
        let part = &levels[index * levels.len() / parts..(index + 1) * levels.len() / parts];
        part.iter()
            .copied()
            .min_by(|one, other| one.1.total_cmp(&other.1))
    });
    lowest.collect()
}

/// Returns how much higher the level is per step, from about where the end begins to the last point.
fn late_slope(points: &[(f64, f64)]) -> Option<f64> {
    let (last, before) = points.split_last()?;
    let late = last.0 - LATE_RATIO * (last.0 - before.first()?.0);
    let away = |point: &(f64, f64)| (point.0 - late).abs();
    let begin = before
        .iter()
        .min_by(|one, other| away(one).total_cmp(&away(other)))?;
    Some((last.1 - begin.1) / (last.0 - begin.0))
}

/// Returns by how much the lowest level of the last quarter lies above that of the first, in bytes; of a short
/// stretch single readings of its last and first third, and 0 where it has none. `None` where the recording has
/// no levels.
pub fn risen(readings: &RecorderSamples, from: u64, to: u64) -> Option<i64> {
    readings.levels().next()?;
    let width = to.saturating_sub(from).max(1) as f64;
    let part = |at: u64| (at - from) as f64 / width;
    let levels = || readings.levels().filter(|(at, _)| (from..to).contains(at));
    let lowest = |is_meant: &dyn Fn(f64) -> bool, least: usize| {
        let meant = levels().filter(|(at, _)| is_meant(part(*at)));
        let bytes: Vec<i64> = meant.map(|(_, bytes)| bytes).collect();
        (bytes.len() >= least).then(|| bytes.into_iter().min())?
    };
    let risen = |ends: f64, least: usize| {
        let first = lowest(&|part| part < ends, least)?;
        let last = lowest(&|part| part >= 1.0 - ends, least)?;
        Some(last.saturating_sub(first))
    };
    let ends = risen(0.25, LEAST_READINGS).or_else(|| risen(1.0 / 3.0, 1));
    Some(ends.unwrap_or(0))
}

/// Returns the slope of the line of least squares, and half the width of its 95 % interval.
pub fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    if spread <= 0.0 {
        return None;
    }
    let products = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean));
    let slope = products.sum::<f64>() / spread;
    let rests: Vec<f64> = points
        .iter()
        .map(|(x, y)| y - y_mean - slope * (x - x_mean))
        .collect();
    let rest: f64 = rests.iter().map(|rest| rest * rest).sum();
    let beside: f64 = rests.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let alike = if rest > 0.0 { beside / rest } else { 0.0 };
    // Of few points, beside a line that is fitted to them, it comes out too low by about this (Kendall 1954).
    let alike = (alike + (1.0 + 4.0 * alike) / count).clamp(0.0, 0.99);
    let degrees = (count * (1.0 - alike) / (1.0 + alike) - 2.0).max(1.0);
    let of_levels = errors(degrees) * (rest / degrees / spread).sqrt();
    Some((slope, of_levels.min(uncertainty_of_rises(points)?)))
}

/// Returns half the width of the 95 % interval of a slope, by how much the slopes between neighbours scatter:
/// it is the narrower one where a level wanders, and so few effective points are left that they would tell of
/// no line.
fn uncertainty_of_rises(points: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (points.first()?, points.last()?);
    let slope = (last.1 - first.1) / (last.0 - first.0);
    let rises = points.windows(2);
    let rests = rises.map(|pair| pair[1].1 - pair[0].1 - slope * (pair[1].0 - pair[0].0));
    let rest: f64 = rests.map(|rest| rest * rest).sum();
    let count = (points.len() - 1) as f64;
    let degrees = count - 1.0;
    Some(errors(degrees) * (count * rest / degrees).sqrt() / (last.0 - first.0))
}

/// Returns half the width of a 95 % interval, in standard errors.
fn errors(degrees: f64) -> f64 {
    ERRORS[(degrees as usize).clamp(1, ERRORS.len()) - 1]
}

#[cfg(test)]
#[path = "tests/memory_growth.rs"]
mod tests;
