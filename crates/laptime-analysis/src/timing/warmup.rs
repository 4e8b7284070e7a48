//! The warm-up of a training run, from the seconds of its epochs.
//!
//! The plain figures compare the first epoch with the mean of the others, which is what
//! people compute by hand. Where warm-up really ends is asked of the rule for steps.

use laptime_core::Unavailable;

use crate::warmup;

/// What the first epoch cost beyond the others.
#[derive(Debug, Clone, PartialEq)]
pub struct EpochWarmup {
    /// Seconds of the first epoch.
    pub first_seconds: f64,
    /// Mean seconds of the others; `None` when there are none.
    pub steady_seconds: Option<f64>,
    /// The first less that mean.
    pub overhead_seconds: Option<f64>,
    /// The overhead over that mean; `None` over a mean of zero.
    pub overhead_ratio: Option<f64>,
    /// Epochs before the steady state, or why that cannot be told.
    pub warmup_epochs: Result<usize, Unavailable>,
}

/// Compares the first epoch with the others; `None` without epochs.
pub fn epoch_warmup(epoch_seconds: &[f64]) -> Option<EpochWarmup> {
    let (first, others) = epoch_seconds.split_first()?;
    let steady = (!others.is_empty()).then(|| others.iter().sum::<f64>() / others.len() as f64);
    let overhead = steady.map(|steady| first - steady);
    let ratio = steady.zip(overhead).and_then(|(steady, overhead)| {
        if overhead == 0.0 {
            Some(0.0)
        } else {
            (steady > 0.0).then(|| overhead / steady)
        }
    });
    let nanoseconds: Vec<u64> = epoch_seconds
        .iter()
        .map(|seconds| (seconds * 1e9) as u64)
        .collect();
    Some(EpochWarmup {
        first_seconds: *first,
        steady_seconds: steady,
        overhead_seconds: overhead,
        overhead_ratio: ratio,
        warmup_epochs: warmup::first_steady(&nanoseconds),
    })
}
