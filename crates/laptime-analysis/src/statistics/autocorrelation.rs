//! The correlation of a series with itself, and the number of independent values that it is worth.
//!
//! The time is Sokal's: twice the sum of autocorrelations up to the first lag that is [`WINDOW`]
//! times as long as the time itself (Sokal, *Monte Carlo methods in statistical mechanics*, 1997,
//! section 3), corrected for the bias that a subtracted mean brings (Wolff, *Monte Carlo errors
//! with less errors*, 2004, equation 49).

use std::f64::consts::FRAC_PI_2;

use super::ranks::ranks;

/// Lags summed up, in times: 5 cuts off little of a correlation that decays exponentially.
const WINDOW: f64 = 5.0;
/// The most lags are the values over this: beyond that a lag has too few pairs.
const LEAST_PAIRS: usize = 3;

/// A correlation beyond this is a series that goes one way.
const MOST_KEPT: f64 = 0.99;

/// Returns the correlation of values with those `lag` later; `None` where nothing varies or none are so far apart.
pub fn at_lag(values: &[f64], lag: usize) -> Option<f64> {
    let centred = centred(values);
    let variance = product(&centred, 0);
    (lag < values.len() && variance > 0.0).then(|| product(&centred, lag) / variance)
}

/// Returns over how many values correlation reaches: 1 for independent ones, never less.
pub fn time(values: &[f64]) -> f64 {
    let centred = centred(values);
    let (count, variance) = (values.len() as f64, product(&centred, 0));
    if variance <= 0.0 {
        return 1.0;
    }
    let (mut time, mut lag) = (1.0, 0);
    while lag < values.len() / LEAST_PAIRS && (lag as f64) < WINDOW * time {
        lag += 1;
        time += 2.0 * product(&centred, lag) / variance;
    }
    let window = 2.0 * lag as f64 + 1.0;
    // What chance explains is no correlation: the error is Wolff's equation 42.
    let error = (2.0 * window / count).sqrt();
    if time - 1.0 <= error {
        return 1.0;
    }
    time * (1.0 + window / count)
}

/// Returns how many independent values would know their median as well as these do.
///
/// All that a median depends on is which side of it values lie on. Short series have too few changes
/// of side to tell how long a side is kept, so that the correlation of ranks with their neighbours
/// is looked at as well, as if it decayed exponentially; the longer time counts.
pub fn effective_size_for_median(values: &[f64], median: f64) -> f64 {
    let side = |value: &f64| f64::from(i8::from(*value > median) - i8::from(*value < median));
    let sides: Vec<f64> = values.iter().map(side).collect();
    values.len() as f64 / time(&sides).max(decaying(values))
}

/// Returns the time of sides whose ranks keep as much from value to value as these.
fn decaying(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let of_ranks = at_lag(&ranks(values).0, 1).unwrap_or(0.0);
    if of_ranks <= 2.0 / count.sqrt() {
        return 1.0;
    }
    // Of normal values with this correlation of ranks (Pearson 1907), less its bias (Kendall 1954).
    let kept = 2.0 * (std::f64::consts::PI / 6.0 * of_ranks).sin();
    let kept = (kept + (1.0 + 4.0 * kept) / count).min(MOST_KEPT);
    let lags = std::iter::successors(Some(kept), |power| Some(power * kept));
    // Sides of normal values correlate by the arc sine (Sheppard 1899).
    let of_sides = lags
        .take_while(|power| *power > 1e-3)
        .map(|power| power.asin() / FRAC_PI_2);
    1.0 + 2.0 * of_sides.sum::<f64>()
}

fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| value - mean).collect()
}

fn product(centred: &[f64], lag: usize) -> f64 {
    let later = centred.get(lag..).unwrap_or_default();
    centred
        .iter()
        .zip(later)
        .map(|(one, other)| one * other)
        .sum()
}
