//! Memory that grows while steps are taken, told from the levels that a recording notes: it sees
//! what is left between steps as well, which no lap does.
//!
//! A level that is read within a step holds what the step frees again. The lowest one of a stretch
//! of several steps is what is left at rest, so a line is laid through the lowest levels of twelve
//! stretches.

use crate::kept::Readings;

/// Stretches of the steady state: enough for a line, and each with several readings.
const STRETCHES: usize = 12;
/// Fewest readings in each.
const LEAST_READINGS: usize = 2;
/// Standard errors to either side of the 95 % interval of a slope with ten degrees of freedom.
const ERRORS: f64 = 2.23;

/// By how much memory grew along a line.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// From the first moment to the last.
    pub bytes: f64,
    /// Half the width of the 95 % interval of that.
    pub uncertainty: f64,
}

/// The growth between two moments; `None` where too little was read.
pub fn between(readings: &Readings, from: u64, to: u64) -> Option<Growth> {
    let width = to.checked_sub(from).filter(|width| *width > 0)? as f64;
    let mut lowest: [Option<(f64, f64)>; STRETCHES] = [None; STRETCHES];
    let mut counts = [0; STRETCHES];
    for (at, bytes) in readings.levels().filter(|(at, _)| (from..to).contains(at)) {
        let part = (at - from) as f64 / width;
        let index = (part * STRETCHES as f64) as usize;
        let level = (part, bytes as f64);
        counts[index] += 1;
        lowest[index] = Some(
            lowest[index].map_or(level, |known| if level.1 < known.1 { level } else { known }),
        );
    }
    if counts.iter().any(|count| *count < LEAST_READINGS) {
        return None;
    }
    let points: Vec<(f64, f64)> = lowest.into_iter().flatten().collect();
    // Of x from 0 to 1, the slope is the growth over all of it.
    let (bytes, error) = slope(&points)?;
    Some(Growth {
        bytes,
        uncertainty: ERRORS * error,
    })
}

/// By how much the lowest level of the last quarter lies above that of the first, in bytes; `None` where
/// too little was read.
pub fn risen(readings: &Readings, from: u64, to: u64) -> Option<i64> {
    let width = to.checked_sub(from).filter(|width| *width > 0)? as f64;
    let part = |at: u64| (at - from) as f64 / width;
    let levels = || readings.levels().filter(|(at, _)| (from..to).contains(at));
    let lowest = |is_meant: fn(f64) -> bool| {
        let meant = levels().filter(|(at, _)| is_meant(part(*at)));
        let bytes: Vec<i64> = meant.map(|(_, bytes)| bytes).collect();
        (bytes.len() >= LEAST_READINGS).then(|| bytes.into_iter().min())?
    };
    Some(lowest(|part| part >= 0.75)?.saturating_sub(lowest(|part| part < 0.25)?))
}

/// The slope of the line of least squares, and its standard error.
fn slope(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    if spread <= 0.0 || points.len() < 3 {
        return None;
    }
    let products = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean));
    let slope = products.sum::<f64>() / spread;
    let rest: f64 = points
        .iter()
        .map(|(x, y)| (y - y_mean - slope * (x - x_mean)).powi(2))
        .sum();
    Some((slope, (rest / (count - 2.0) / spread).sqrt()))
}

#[cfg(test)]
#[path = "growth_tests.rs"]
mod tests;
