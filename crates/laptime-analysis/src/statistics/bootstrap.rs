//! Resamples of a series, to see how much what is computed from it varies.
//!
//! The moving-block bootstrap: a resample is put together from runs of `block` values that begin
//! anywhere, so that values keep what they have to do with their neighbours (Künsch, *The
//! jackknife and the bootstrap for general stationary observations*, 1989). With a block of 1 it is
//! Efron's bootstrap of independent values (1979).

use super::{Random, autocorrelation};

/// How a series is resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Values that stay together, 1 for independent ones.
    pub block: usize,
    /// How many resamples are made; 1,000 tell a 95 % interval to a tenth of its width.
    pub resamples: usize,
    /// What the chance begins with: the same seed gives the same answer.
    pub seed: u64,
}

impl Bootstrap {
    /// `statistic` of each resample, in ascending order; none for no values.
    ///
    /// It is handed the indices of the resampled values, so that what belongs to several series at
    /// once stays together.
    pub fn distribution(
        &self,
        count: usize,
        mut statistic: impl FnMut(&[usize]) -> f64,
    ) -> Vec<f64> {
        if count == 0 {
            return Vec::new();
        }
        let mut random = Random::new(self.seed);
        let mut indices = Vec::with_capacity(count);
        let mut values: Vec<f64> = (0..self.resamples)
            .map(|_| {
                self.resample(count, &mut random, &mut indices);
                statistic(&indices)
            })
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    /// The interval that this share of the resamples' statistics lie in; `None` for no values.
    pub fn interval(
        &self,
        count: usize,
        confidence: f64,
        statistic: impl FnMut(&[usize]) -> f64,
    ) -> Option<(f64, f64)> {
        let values = self.distribution(count, statistic);
        let last = values.len().checked_sub(1)? as f64;
        let left_out = f64::midpoint(1.0, -confidence) * last;
        let (low, high) = (left_out.round(), (last - left_out).round());
        Some((values[low as usize], values[high as usize]))
    }

    fn resample(&self, count: usize, random: &mut Random, into: &mut Vec<usize>) {
        let block = self.block.clamp(1, count);
        into.clear();
        while into.len() < count {
            let start = random.below(count - block + 1);
            let left = count - into.len();
            into.extend((start..start + block).take(left));
        }
    }
}

/// How many values should stay together: the longer they tell about each other, and the more there
/// are (the rate of Politis and White, *Automatic block-length selection for the dependent
/// bootstrap*, 2004, for a correlation that decays exponentially, which they measure otherwise).
pub fn block_length(values: &[f64]) -> usize {
    let time = autocorrelation::time(values);
    if time <= 1.0 {
        return 1;
    }
    // An exponential decay by `kept` per lag has a time of (1 + kept) / (1 - kept).
    let kept = (time - 1.0) / (time + 1.0);
    let count = values.len() as f64;
    let length = (6.0_f64.sqrt() * kept / (1.0 - kept * kept)).powf(2.0 / 3.0) * count.cbrt();
    (length.ceil() as usize).clamp(1, values.len() / 2)
}
