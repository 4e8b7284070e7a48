//! What `laptime.timing` has of statistics: latencies, and where warm-up ends. All else of it is plain Python.

use laptime_analysis::{Latency as Statistics, Steadiness};
use laptime_python_macros::guarded;
use laptime_report::sentences::latency::not_steady;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fast::name::Text;
use crate::rate;

/// Latency of a model's calls, in milliseconds.
#[pyclass(frozen, module = "laptime._core")]
pub struct Latency(Statistics);

#[guarded]
#[pymethods]
impl Latency {
    /// The latency from the ticks of every call, in order, on batches of equal size.
    #[new]
    fn new(ticks: Vec<u64>, batch: u64) -> PyResult<Self> {
        let durations: Vec<f64> = ticks.into_iter().map(rate::nanoseconds).collect();
        let statistics = Statistics::new(&durations, batch);
        let none = || PyValueError::new_err("a latency needs at least one call");
        statistics.map(Self).ok_or_else(none)
    }

    /// Mean, minimum, maximum, median, p90 and p99.
    #[getter]
    fn milliseconds(&self) -> [f64; 6] {
        let of = &self.0;
        let all = [
            of.mean_ns, of.min_ns, of.max_ns, of.p50_ns, of.p90_ns, of.p99_ns,
        ];
        all.map(|ns| ns / 1e6)
    }

    /// Interval that holds the median with 95 % confidence.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        let interval = self.0.interval_ns.as_ref().ok();
        interval.map(|(low, high)| (low / 1e6, high / 1e6))
    }

    /// Why there is none.
    #[getter]
    fn interval_reason(&self) -> Option<String> {
        self.0.interval_ns.as_ref().err().map(ToString::to_string)
    }

    /// Samples of all batches over the time of all calls.
    #[getter]
    fn samples_per_s(&self) -> Option<f64> {
        self.0.samples_per_s
    }

    /// Whether warm-up was over, and why that is not so or not known.
    #[getter]
    fn steadiness(&self) -> (Option<bool>, Option<String>) {
        let is_steady = match &self.0.steadiness {
            Steadiness::Steady => Some(true),
            Steadiness::WarmingUp { .. } | Steadiness::Drifting(_) => Some(false),
            Steadiness::Unknown(_) => None,
        };
        (is_steady, not_steady(&self.0.steadiness))
    }
}

/// A length of time in ticks, in seconds.
#[guarded]
#[pyfunction]
pub fn ticks_to_seconds(ticks: u64) -> f64 {
    rate::nanoseconds(ticks) / 1e9
}

/// Epochs, or other stretches of so many seconds, before the steady state, or why that can't be told.
#[guarded]
#[pyfunction]
pub fn first_steady(seconds: Vec<f64>) -> (Option<usize>, Option<String>) {
    let durations: Vec<u64> = seconds.iter().map(|one| (one * 1e9) as u64).collect();
    match laptime_analysis::benchmark::warm_up::first_steady(&durations) {
        Ok(first) => (Some(first), None),
        Err(why) => (None, Some(why.to_string())),
    }
}

/// A field of a CSV row, in quotes where it needs them.
#[guarded]
#[pyfunction]
pub fn csv_field(text: Text) -> String {
    laptime_core::csv_field(&text.0)
}
