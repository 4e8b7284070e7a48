//! What a benchmark found: the median of its samples, and what makes that doubtful.

use laptime_core::Unavailable;

use super::{Ending, Plan};
use crate::benchmark::warm_up::{self, Later};
use crate::statistics::percentiles;
use crate::statistics::quantiles;

/// CPU time below this part of wall time is a doubt: the program waited, or the machine was busy.
const LEAST_CPU_RATIO: f64 = 0.90;

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
    /// Why it ended; `None` while it runs.
    pub ending: Option<Ending>,
    /// Time that all runs may take together.
    pub budget_ns: f64,
    /// How well the median was to be known: half the interval's width over it.
    pub asked_precision_ratio: f64,
    /// Reasons for doubt.
    pub doubts: Vec<Doubt>,
}

impl Outcome {
    /// 99th percentile of single runs, or why it isn't known: samples of several runs don't tell it.
    pub fn p99_ns(&self) -> Result<f64, Unavailable> {
        if self.iterations > 1 {
            return Err(Unavailable(format!(
                "a sample is {} runs together, which hides how long single ones took",
                self.iterations
            )));
        }
        let mut sorted = self.samples_ns.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        percentiles::percentile(&sorted, 99, "run").map(|found| found.value_ns)
    }

    /// What a sample is called: a single run is one, and several together are a sample.
    pub fn noun(&self) -> &'static str {
        noun(self.iterations)
    }

    /// Mean of the samples, and their standard deviation; none of a single one.
    pub fn mean_ns(&self) -> (f64, Option<f64>) {
        let count = self.samples_ns.len() as f64;
        let mean = self.samples_ns.iter().sum::<f64>() / count;
        let squares = self.samples_ns.iter().map(|ns| (ns - mean).powi(2));
        let deviation = (count > 1.0).then(|| (squares.sum::<f64>() / (count - 1.0)).sqrt());
        (mean, deviation)
    }

    /// The shortest and the longest sample.
    pub fn range_ns(&self) -> (f64, f64) {
        let all = || self.samples_ns.iter().copied();
        (
            all().fold(f64::INFINITY, f64::min),
            all().fold(0.0, f64::max),
        )
    }

    /// Whether the median is known as well as it was to be.
    pub fn is_precise(&self) -> bool {
        self.precision_ratio()
            .is_some_and(|ratio| ratio <= self.asked_precision_ratio)
    }

    /// A budget that may do where this one did not: several times as much, and enough for an interval.
    pub fn larger_budget_ns(&self) -> f64 {
        larger_ns(
            self.budget_ns,
            self.sample_ns() * quantiles::LEAST_VALUES as f64,
        )
    }

    /// About how long a sample takes.
    pub(crate) fn sample_ns(&self) -> f64 {
        self.median_ns * self.iterations as f64
    }

    /// Half the interval's width over the median.
    pub fn precision_ratio(&self) -> Option<f64> {
        let (low, high) = self.interval_ns.as_ref().ok()?;
        (self.median_ns > 0.0).then(|| (high - low) / 2.0 / self.median_ns)
    }
}

fn noun(iterations: u64) -> &'static str {
    if iterations == 1 { "run" } else { "sample" }
}

/// How many times as large the next budget is, at least, and how much of it is to spare.
const LARGER: f64 = 5.0;
const SPARE: f64 = 1.2;

/// A budget that is larger than one that did not do, and than what is needed, to two digits.
pub(crate) fn larger_ns(budget_ns: f64, needed_ns: f64) -> f64 {
    let wanted = (budget_ns * LARGER).max(needed_ns * SPARE);
    let digit = 10_f64.powf(wanted.max(1.0).log10().floor() - 1.0);
    (wanted / digit).ceil() * digit
}

/// Why a benchmark's median is doubtful.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// CPU time of the process, as a part of wall time.
    Waited(f64),
    /// Warm-up went on for as long as it may.
    NeverSteady,
    /// It changed after warm-up.
    Changed(Later),
    /// Too few samples to tell where warm-up ends.
    Unknown(Unavailable),
}

/// The figures of a plan.
pub fn of(plan: &Plan) -> Option<Outcome> {
    let samples_ns = plan.per_iteration();
    let mut sorted = samples_ns.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let warmup = plan.warmup.unwrap_or(0);
    let last = plan.samples.last();
    let iterations = last.map_or(plan.iterations, |sample| sample.iterations);
    Some(Outcome {
        median_ns: quantiles::median(&sorted)?,
        interval_ns: quantiles::median_interval(&sorted),
        samples_ns,
        iterations,
        warmup: warmup + plan.estimates,
        ending: plan.ending,
        budget_ns: plan.limits.budget_ns,
        asked_precision_ratio: plan.limits.precision_ratio,
        doubts: doubts(plan, warmup, noun(iterations)),
    })
}

fn doubts(plan: &Plan, warmup: usize, noun: &str) -> Vec<Doubt> {
    let samples = &plan.samples[warmup..];
    let wall: f64 = samples.iter().map(|sample| sample.wall_ns).sum();
    let cpu: f64 = samples.iter().map(|sample| sample.cpu_ns).sum();
    let cpu_ratio = cpu / wall;
    let waited = (cpu_ratio < LEAST_CPU_RATIO).then_some(Doubt::Waited(cpu_ratio));
    let steadiness = match warm_up::find_among(&plan.durations(warmup), noun) {
        _ if plan.was_cut => Some(Doubt::NeverSteady),
        Ok(found) => {
            let told = found.worth_telling(&plan.durations(warmup));
            told.later.map(Doubt::Changed)
        }
        // Few samples of a plan that knew where warm-up ended are no doubt about that.
        Err(_) if warmup > 0 => None,
        Err(why) => Some(Doubt::Unknown(why)),
    };
    waited.into_iter().chain(steadiness).collect()
}
