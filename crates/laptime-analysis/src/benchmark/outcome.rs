//! The result of a benchmark: the median of its samples, and reasons for doubt about it.

use laptime_core::Unavailable;

use super::limits::Ending;
use super::warm_up::Later;
use crate::statistics::percentiles;
use crate::statistics::quantiles;

/// Figures of a benchmark.
///
/// **Units** nanoseconds for one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Median of the samples.
    pub median_ns: f64,
    /// Interval that holds the median with 95 % confidence, or why there is none.
    pub interval_ns: Result<(f64, f64), Unavailable>,
    /// Each sample after warm-up, in the order they were measured.
    pub samples_ns: Vec<f64>,
    /// Iterations in a sample.
    pub iterations: u64,
    /// Samples and estimates before those that count: before steady state, and before a contest's rounds.
    pub warmup: usize,
    /// The reason why it ended; `None` while it runs.
    pub ending: Option<Ending>,
    /// Time that all runs may take together.
    pub budget_ns: f64,
    /// Precision at which the median was to be known: half the interval's width over it.
    pub asked_precision_ratio: f64,
    /// Reasons for doubt.
    pub doubts: Vec<Doubt>,
}

impl Outcome {
    /// Returns the 99th percentile of single runs, or why it isn't known.
    pub fn p99_ns(&self) -> Result<f64, NoPercentile> {
        if self.iterations > 1 {
            let iterations = self.iterations;
            return Err(NoPercentile::RunsTogether { iterations });
        }
        let mut sorted = self.samples_ns.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let found = percentiles::percentile(&sorted, 99, "run");
        found
            .map(|found| found.value_ns)
            .map_err(NoPercentile::TooFewRuns)
    }

    /// Returns the name for a sample: a single run is one, and several together are a sample.
    pub fn noun(&self) -> &'static str {
        noun(self.iterations)
    }

    /// Returns the mean of the samples and their standard deviation; a single one has none.
    pub fn mean_ns(&self) -> (f64, Option<f64>) {
        let count = self.samples_ns.len() as f64;
        let mean = self.samples_ns.iter().sum::<f64>() / count;
        let squares = self.samples_ns.iter().map(|ns| (ns - mean).powi(2));
        let deviation = (count > 1.0).then(|| (squares.sum::<f64>() / (count - 1.0)).sqrt());
        (mean, deviation)
    }

    /// Returns the shortest and the longest sample.
    pub fn range_ns(&self) -> (f64, f64) {
        let all = || self.samples_ns.iter().copied();
        (
            all().fold(f64::INFINITY, f64::min),
            all().fold(0.0, f64::max),
        )
    }

    /// Tells whether the median is known as well as it was to be.
    pub fn is_precise(&self) -> bool {
        self.precision_ratio()
            .is_some_and(|ratio| ratio <= self.asked_precision_ratio)
    }

    /// Returns a budget that may do where this one did not: several times as much, and enough for an interval.
    pub fn larger_budget_ns(&self) -> f64 {
        larger_ns(
            self.budget_ns,
            self.sample_ns() * quantiles::LEAST_VALUES as f64,
        )
    }

    /// Returns about how long a sample takes.
    pub(crate) fn sample_ns(&self) -> f64 {
        self.median_ns * self.iterations as f64
    }

    /// Returns half the interval's width over the median.
    pub fn precision_ratio(&self) -> Option<f64> {
        let (low, high) = self.interval_ns.as_ref().ok()?;
        (self.median_ns > 0.0).then(|| (high - low) / 2.0 / self.median_ns)
    }
}

/// Returns the name for a sample of so many iterations.
pub(super) fn noun(iterations: u64) -> &'static str {
    if iterations == 1 { "run" } else { "sample" }
}

/// The least factor by which the next budget is larger.
const LARGER: f64 = 5.0;
/// Factor by which a budget is larger than the time that is needed.
const SPARE: f64 = 1.2;

/// Returns a budget that is larger than one that did not do, and than the time that is needed, to two digits.
pub(crate) fn larger_ns(budget_ns: f64, needed_ns: f64) -> f64 {
    let wanted = (budget_ns * LARGER).max(needed_ns * SPARE);
    let digit = 10_f64.powf(wanted.max(1.0).log10().floor() - 1.0);
    (wanted / digit).ceil() * digit
}

/// A reason why the 99th percentile of single runs isn't known.
#[derive(Debug, Clone, PartialEq)]
pub enum NoPercentile {
    /// A sample is several runs, which hides how long single ones took.
    RunsTogether {
        /// Runs in a sample.
        iterations: u64,
    },
    /// There are too few runs, as it says.
    TooFewRuns(Unavailable),
}

/// A reason why a benchmark's median is doubtful.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// The process was on a CPU for this part of wall time only.
    Waited(f64),
    /// Warm-up went on for as long as it may.
    NeverSteady,
    /// Samples changed after warm-up.
    Changed(Later),
    /// Samples are too few to tell where warm-up ends.
    Unknown(Unavailable),
}
