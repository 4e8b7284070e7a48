//! A benchmark's plan, for the loop in Python that runs what is measured.

use laptime_analysis::benchmark::{Count, Ending, Limits, Next, Outcome, Plan};
use laptime_python_macros::guarded;
use laptime_recorder::clock;
use laptime_report::sentences::benchmark as layout;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fast::name::Text;
use crate::rate;

/// Half of the interval's width over the median at which a benchmark ends.
const PRECISION_RATIO: f64 = 0.01;
/// Readings of the clock among which its smallest step is looked for.
const READINGS: usize = 100;

/// What to run next, told how long everything took.
#[pyclass(module = "laptime._core")]
pub struct BenchmarkPlan(Plan);

#[guarded]
#[pymethods]
impl BenchmarkPlan {
    /// One whose runs take so many seconds together, at most, or until the median is known so well.
    #[new]
    #[pyo3(signature = (budget_seconds, precision=PRECISION_RATIO))]
    fn new(budget_seconds: f64, precision: f64) -> PyResult<Self> {
        if !(0.0..=1.0).contains(&precision) {
            let message =
                format!("a precision is a part of the median from 0 to 1, not {precision}");
            return Err(PyValueError::new_err(message));
        }
        Ok(Self(Plan::new(Limits {
            quantum_ns: quantum_ns(),
            budget_ns: checked_budget_ns(budget_seconds)?,
            precision_ratio: precision,
            count: Count::Budget,
        })))
    }

    /// Iterations to run now; 0 when nothing more is to be done.
    fn next(&self) -> u64 {
        match self.0.next() {
            Next::WarmUp(iterations) | Next::Sample(iterations) => iterations,
            Next::Done(_) => 0,
        }
    }

    /// How long preparing them took: it is spent, and isn't theirs.
    fn spend(&mut self, ticks: u64) {
        self.0.spend(rate::nanoseconds(ticks));
    }

    /// How long they took.
    fn told(&mut self, ticks: u64, cpu_ns: u64) {
        self.0.add_run(rate::nanoseconds(ticks), cpu_ns as f64);
    }

    /// What was found.
    fn outcome(&self) -> PyResult<BenchmarkOutcome> {
        let outcome = self.0.outcome();
        let none = || PyValueError::new_err("a benchmark without a run has no median");
        outcome.map(BenchmarkOutcome).ok_or_else(none)
    }
}

/// What a benchmark found.
#[pyclass(frozen, module = "laptime._core")]
pub struct BenchmarkOutcome(pub Outcome);

#[guarded]
#[pymethods]
impl BenchmarkOutcome {
    #[getter]
    fn median_ns(&self) -> f64 {
        self.0.median_ns
    }

    /// Interval that holds the median with 95 % confidence; `None` with too few samples.
    #[getter]
    fn ci(&self) -> Option<(f64, f64)> {
        self.0.interval_ns.as_ref().ok().copied()
    }

    /// Nanoseconds for one run, of every sample.
    #[getter]
    fn samples(&self) -> Vec<f64> {
        self.0.samples_ns.clone()
    }

    /// 99th percentile of single runs, or why it isn't known.
    #[getter]
    fn p99(&self) -> (Option<f64>, Option<String>) {
        match self.0.p99_ns() {
            Ok(p99_ns) => (Some(p99_ns), None),
            Err(why) => (None, Some(layout::no_percentile(&why))),
        }
    }

    #[getter]
    fn iterations(&self) -> u64 {
        self.0.iterations
    }

    #[getter]
    fn warmup(&self) -> usize {
        self.0.warmup
    }

    /// Why it ended.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.0.ending.map(|ending| match ending {
            Ending::Precise => "precision",
            Ending::Budget => "budget",
            Ending::Count => "count",
        })
    }

    /// The figures in one line.
    #[getter]
    fn line(&self) -> String {
        layout::line(&self.0)
    }

    /// Why it ended early and what makes it doubtful. `asked` is how a budget is asked for.
    fn doubts(&self, asked: &str) -> Vec<String> {
        layout::doubts(&self.0, asked)
    }
}

/// A budget in nanoseconds.
pub fn checked_budget_ns(seconds: f64) -> PyResult<f64> {
    if seconds > 0.0 && seconds.is_finite() {
        return Ok(seconds * 1e9);
    }
    let message = format!("a budget is a number of seconds above 0, not {seconds}");
    Err(PyValueError::new_err(message))
}

/// A rate such as items a second, with the prefix that fits it.
#[guarded]
#[pyfunction]
pub fn rate_text(per_s: f64, unit: &str) -> String {
    laptime_report::quantity::si(per_s, unit)
}

/// Bytes, with the prefix that fits them.
#[guarded]
#[pyfunction]
pub fn bytes_text(bytes: u64) -> String {
    laptime_report::quantity::bytes(bytes)
}

/// A measured duration in nanoseconds, in the unit that fits it.
#[guarded]
#[pyfunction]
pub fn duration_text(ns: f64) -> String {
    laptime_report::quantity::measured(ns).inline()
}

/// A name on one line, with escapes for what a terminal would obey.
#[guarded]
#[pyfunction]
pub fn visible_text(name: Text) -> String {
    laptime_report::visible(&name.0)
}

/// The smallest step between two readings of the clock that differ.
pub fn quantum_ns() -> f64 {
    let readings: Vec<u64> = (0..READINGS).map(|_| clock::now()).collect();
    let steps = readings
        .windows(2)
        .map(|pair| pair[1].saturating_sub(pair[0]));
    let smallest = steps.filter(|step| *step > 0).min();
    rate::nanoseconds(smallest.unwrap_or(1))
}
