//! Latency of a model's calls: one duration a call, taken after warm-up.

use laptime_core::Unavailable;

use crate::benchmark::warm_up::{self, Later, WarmUp};
use crate::statistics::{Question, TooFew, quantiles};

/// Whether calls kept their speed while they were measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Steadiness {
    /// They kept it from the first measured call on.
    Steady,
    /// The first of the measured calls still belong to warm-up.
    WarmingUp {
        /// Calls that belong to it.
        calls: usize,
        /// All measured calls.
        measured: usize,
    },
    /// They changed.
    Drifting(Later),
    /// They are too few to tell.
    Unknown(Unavailable),
}

/// Statistics of a model's latency.
///
/// **Units** nanoseconds for one call on a batch; throughput in samples per second.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    /// Arithmetic mean.
    pub mean_ns: f64,
    /// Fastest call.
    pub min_ns: f64,
    /// Slowest call.
    pub max_ns: f64,
    /// Median.
    pub p50_ns: f64,
    /// 90th percentile (nearest rank).
    pub p90_ns: f64,
    /// 99th percentile (nearest rank).
    pub p99_ns: f64,
    /// Interval that holds the median with 95 % confidence, or why there is none.
    pub interval_ns: Result<(f64, f64), Unavailable>,
    /// Samples of all batches over the time of all calls; `None` when that is zero.
    pub samples_per_s: Option<f64>,
    /// Whether warm-up was over.
    pub steadiness: Steadiness,
}

impl Latency {
    /// Sums up durations in the order they were measured; `None` without any.
    pub fn new(durations_ns: &[f64], batch: u64) -> Option<Self> {
        let mut sorted = durations_ns.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let sum: f64 = sorted.iter().sum();
        let count = sorted.len() as f64;
        Some(Self {
            mean_ns: sum / count,
            min_ns: *sorted.first()?,
            max_ns: *sorted.last()?,
            p50_ns: quantiles::median(&sorted)?,
            p90_ns: quantiles::nearest_rank(&sorted, 0.90)?,
            p99_ns: quantiles::nearest_rank(&sorted, 0.99)?,
            interval_ns: quantiles::median_interval(&sorted),
            samples_per_s: (sum > 0.0).then(|| batch as f64 * count / (sum / 1e9)),
            steadiness: steadiness(durations_ns),
        })
    }
}

fn steadiness(durations_ns: &[f64]) -> Steadiness {
    let durations: Vec<u64> = durations_ns.iter().map(|ns| *ns as u64).collect();
    match warm_up::find(&durations) {
        Ok(WarmUp {
            steps: 0,
            later: None,
        }) => Steadiness::Steady,
        Ok(WarmUp {
            steps: 0,
            later: Some(later),
        }) => Steadiness::Drifting(later),
        Ok(found) => Steadiness::WarmingUp {
            calls: found.steps,
            measured: durations.len(),
        },
        Err(_) => {
            let few = TooFew {
                count: durations.len(),
                noun: "call",
                question: Question::Steadiness,
                needed: warm_up::LEAST_STEPS,
            };
            Steadiness::Unknown(few.into())
        }
    }
}

#[cfg(test)]
#[path = "tests/latency.rs"]
mod tests;
