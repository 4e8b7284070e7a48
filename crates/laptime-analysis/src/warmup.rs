//! When warm-up ends: a simple rule over the durations of the first steps.
//!
//! The later half of the series is the reference. It must itself be level: the medians of
//! its two halves differ by no more than 5 % or what the noise explains, otherwise there is
//! no steady state. Warm-up then ends at the first step that is no outlier and from which
//! on the median of the next few steps lies at the reference's level. Noise is the median
//! absolute difference of neighbouring steps (von Neumann 1941, made robust), which a drift
//! hardly inflates. Change-point detection will take this rule's place.

use laptime_core::Unavailable;

use crate::too_few::too_few;

/// Fewest steps that tell anything: halves of halves still hold three.
pub const LEAST_STEPS: usize = 12;
/// Steps over which "from here on" is judged: a single slow step must not end or prolong warm-up.
const AHEAD: usize = 5;
/// Change of the level that counts as none.
const LEVEL_RATIO: f64 = 0.05;
/// Distance from the level, in standard deviations, at which a single step is an outlier.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// The same as a share of the level, for series with next to no noise.
const OUTLIER_RATIO: f64 = 0.10;
/// Median absolute deviation of a normal distribution to its standard deviation.
const MAD_TO_DEVIATION: f64 = 1.482_6;
/// Standard error of a median over that of a mean, for normal noise.
const MEDIAN_TO_MEAN_ERROR: f64 = 1.253_3;

/// The index of the first steady step, or why there is none.
///
/// **Units** any, the same for all durations.
pub fn first_steady(durations: &[u64]) -> Result<usize, Unavailable> {
    let count = durations.len();
    if count < LEAST_STEPS {
        return Err(too_few(
            count,
            "step",
            "warm-up from steady state",
            LEAST_STEPS,
        ));
    }
    let half = count / 2;
    let reference = &durations[half..];
    let level = median(reference);
    let deviation = deviation(reference);
    let (earlier, later) = reference.split_at(reference.len() / 2);
    let (before, after) = (median(earlier), median(later));
    // Standard error of the difference of two medians of this many steps each.
    let error = MEDIAN_TO_MEAN_ERROR * deviation * (2.0 / earlier.len() as f64).sqrt();
    if (after - before).abs() > (LEVEL_RATIO * level).max(OUTLIER_DEVIATIONS * error) {
        let change = (after / before - 1.0) * 100.0;
        return Err(Unavailable(format!(
            "steps have not settled: within the later half of the first {count} their median still changes by {change:+.0} %"
        )));
    }
    let far = (OUTLIER_RATIO * level).max(OUTLIER_DEVIATIONS * deviation);
    let ahead_error = MEDIAN_TO_MEAN_ERROR * deviation / (AHEAD as f64).sqrt();
    let near = (LEVEL_RATIO * level).max(OUTLIER_DEVIATIONS * ahead_error);
    (0..=half)
        .find(|first| {
            let next = &durations[*first..(first + AHEAD).min(count)];
            (durations[*first] as f64 - level).abs() <= far && (median(next) - level).abs() <= near
        })
        .ok_or_else(|| {
            Unavailable(format!(
                "the first half of the {count} steps looked at never reaches the level of the later half"
            ))
        })
}

/// Robust standard deviation of the noise: from differences of neighbours.
fn deviation(durations: &[u64]) -> f64 {
    let differences: Vec<u64> = durations
        .windows(2)
        .map(|pair| pair[0].abs_diff(pair[1]))
        .collect();
    MAD_TO_DEVIATION * median(&differences) / std::f64::consts::SQRT_2
}

/// Middle value, or the mean of the two middle ones. Zero for none.
fn median(values: &[u64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2] as f64,
        n => f64::midpoint(sorted[n / 2 - 1] as f64, sorted[n / 2] as f64),
    }
}

#[cfg(test)]
#[path = "warmup_tests.rs"]
mod tests;
