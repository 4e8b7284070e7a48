//! A level or a trend through a series, and its noise, by medians: a few outliers change a series, and hardly change these.

use crate::statistics::quantiles::median_of as median;

/// Median absolute deviation of a normal distribution to its standard deviation.
const MAD_TO_DEVIATION: f64 = 1.482_6;
/// Standard error of a median over that of a mean, for normal noise.
pub const MEDIAN_TO_MEAN_ERROR: f64 = 1.253_3;
/// The fewest values with a trend: halves of six.
const LEAST: usize = 12;
/// Change over half the series that counts as none, as a share of the level.
const LEVEL_RATIO: f64 = 0.05;
/// Standard errors by which the halves must differ for a trend.
const TREND_ERRORS: f64 = 1.5;

/// A line through a series: `start + slope · index`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Level at the first value.
    pub start: f64,
    /// Change from value to value; 0 without a trend.
    pub slope: f64,
}

impl Line {
    /// Draws a line through a series whose noise isn't known.
    pub fn through_series(values: &[f64]) -> Self {
        let scratch = &mut Vec::new();
        let noise = noise(values, scratch);
        Self::through(values, noise, scratch)
    }

    /// Draws a line through `values`: level unless the later half differs from the earlier one, value by
    /// value, by more than the noise (an incomplete Theil–Sen slope: half as many pairs as
    /// values, each half a series apart).
    pub fn through(values: &[f64], noise: f64, scratch: &mut Vec<f64>) -> Self {
        let count = values.len();
        let level = Self {
            start: median(values.iter().copied(), scratch),
            slope: 0.0,
        };
        if count < LEAST {
            return level;
        }
        let half = count / 2;
        let apart = count - half;
        let pairs = values[apart..].iter().zip(values);
        let change = median(pairs.map(|(later, earlier)| later - earlier), scratch);
        let error = MEDIAN_TO_MEAN_ERROR * noise * (2.0 / half as f64).sqrt();
        if change.abs() <= (LEVEL_RATIO * level.start).max(TREND_ERRORS * error) {
            return level;
        }
        let slope = change / apart as f64;
        let flat = (0..)
            .zip(values)
            .map(|(index, value)| value - slope * f64::from(index));
        Self {
            start: median(flat, scratch),
            slope,
        }
    }

    /// Returns the level of the line at an index.
    pub fn at(self, index: usize) -> f64 {
        self.slope.mul_add(index as f64, self.start)
    }

    /// Adds up how far `values` lie from the line.
    pub fn distance(self, values: &[f64]) -> f64 {
        let indexed = values.iter().enumerate();
        indexed
            .map(|(index, value)| (value - self.at(index)).abs())
            .sum()
    }
}

/// Returns the robust standard deviation of the noise: from differences of neighbours (von Neumann 1941,
/// made robust), which a trend hardly inflates.
pub fn noise(values: &[f64], scratch: &mut Vec<f64>) -> f64 {
    let differences = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    MAD_TO_DEVIATION * median(differences, scratch) / std::f64::consts::SQRT_2
}
