//! Two sides of values, and the options of a verdict on them.

use crate::statistics::quantiles;

/// Smallest difference that is spoken of: alignment of code and memory alone moves times by as much
/// (Mytkowicz et al., *Producing wrong data without doing anything obviously wrong*, 2009).
pub const LEAST_THRESHOLD: f64 = 0.01;
/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    /// Units of inference (runs, processes or ABBA blocks), each with the values measured in it, in
    /// their order.
    ///
    /// **Units** nanoseconds, or any other as long as it is the same everywhere.
    pub units: Vec<Vec<f64>>,
}

/// Options of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictOptions {
    /// Smallest difference that counts, as a part of the base; [`LEAST_THRESHOLD`] at least.
    pub threshold_ratio: f64,
    /// The ratio by which the base differed from itself in an A/A control, if there was one.
    pub noise_ratio: Option<f64>,
    /// Probability that the interval holds the true ratio.
    pub confidence: f64,
    /// Whether the units of both sides with the same index were measured side by side.
    pub are_paired: bool,
}

impl Default for VerdictOptions {
    fn default() -> Self {
        Self {
            threshold_ratio: LEAST_THRESHOLD,
            noise_ratio: None,
            confidence: quantiles::CONFIDENCE,
            are_paired: false,
        }
    }
}

impl VerdictOptions {
    /// Returns the threshold that applies: the one that was asked for, or more on a noisier machine.
    pub fn applied_threshold(&self) -> f64 {
        let noise = self.noise_ratio.filter(|ratio| ratio.is_finite());
        noise.map_or(self.quiet_threshold(), |noise| {
            noise.max(self.quiet_threshold())
        })
    }

    /// Returns the threshold that would apply without noise.
    pub(super) fn quiet_threshold(&self) -> f64 {
        if self.threshold_ratio.is_finite() {
            self.threshold_ratio.max(LEAST_THRESHOLD)
        } else {
            LEAST_THRESHOLD
        }
    }
}
