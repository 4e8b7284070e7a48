//! `laptime.timing`: what its functions compute and how they print it.
//!
//! Names, defaults and checks of arguments are Python's; every formula and layout is the
//! analysis' and the report's.

use laptime_analysis::convergence::{Reached, Relation, first_reached};
use laptime_analysis::timing::{self as analysis, Latency as Statistics, Steadiness};
use laptime_python_macros::guarded;
use laptime_report::timing::{self as layout, Figures, Memory, Row, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

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
        match &self.0.steadiness {
            Steadiness::Steady => (Some(true), None),
            Steadiness::Drifting(why) => (Some(false), Some(why.to_string())),
            Steadiness::Unknown(why) => (None, Some(why.to_string())),
        }
    }

    /// The table that `print_inference_benchmark` prints.
    fn table(&self, name: &str, details: bool) -> String {
        layout::inference(name, &self.0, details)
    }
}

/// A length of time in ticks, in seconds.
#[guarded]
#[pyfunction]
pub fn ticks_to_seconds(ticks: u64) -> f64 {
    rate::nanoseconds(ticks) / 1e9
}

/// Bytes in MB of 2²⁰ bytes.
#[guarded]
#[pyfunction]
pub fn megabytes(bytes: i64) -> f64 {
    layout::megabytes(bytes)
}

/// The line of a tracked call; `memory` is `"host"` or `"device"`.
#[guarded]
#[pyfunction]
#[pyo3(signature = (name, seconds, memory=None, peak_bytes=None))]
pub fn timing_line(
    name: &str,
    seconds: f64,
    memory: Option<&str>,
    peak_bytes: Option<i64>,
) -> String {
    let memory = match (memory, peak_bytes) {
        (None, _) => Memory::NotAsked,
        (Some(_), None) => Memory::Unavailable,
        (Some("device"), Some(bytes)) => Memory::DevicePeak(bytes),
        (Some(_), Some(bytes)) => Memory::HostPeak(bytes),
    };
    layout::complete(name, seconds, memory)
}

/// The summary of timers with their seconds and depths.
#[guarded]
#[pyfunction]
pub fn timing_summary(section: &str, timers: Vec<(String, f64, usize)>, datasets: u64) -> String {
    let rows: Vec<Row<'_>> = timers
        .iter()
        .map(|(name, seconds, depth)| Row {
            name,
            seconds: *seconds,
            depth: *depth,
        })
        .collect();
    layout::summary(section, &rows, datasets)
}

fn borrowed(pairs: &[(String, f64)]) -> Vec<(&str, f64)> {
    pairs.iter().map(|(name, one)| (&**name, *one)).collect()
}

/// Times over a baseline's; `None` where one of them is zero.
#[guarded]
#[pyfunction]
pub fn timing_speedup(baseline: f64, seconds: f64) -> Option<f64> {
    analysis::speedup(baseline, seconds)
}

/// The index of the longest time.
#[guarded]
#[pyfunction]
pub fn timing_slowest(seconds: Vec<f64>) -> Option<usize> {
    analysis::slowest(&seconds)
}

/// The analysis of timers against one of them.
#[guarded]
#[pyfunction]
#[pyo3(signature = (timers, baseline))]
pub fn timing_speedup_analysis(timers: Vec<(String, f64)>, baseline: Option<usize>) -> String {
    layout::speedup_analysis(&borrowed(&timers), baseline)
}

/// The breakdown of phases.
#[guarded]
#[pyfunction]
pub fn timing_breakdown(name: &str, phases: Vec<(String, f64)>, covered: f64) -> String {
    layout::breakdown(name, &borrowed(&phases), covered)
}

/// First, steady, overhead in seconds and in percent; epochs of warm-up; why there are none.
type Warmup = (
    f64,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<usize>,
    Option<String>,
);

/// What the first epoch cost beyond the others.
#[guarded]
#[pyfunction]
pub fn timing_warmup(epochs: Vec<f64>) -> Option<Warmup> {
    let of = analysis::epoch_warmup(&epochs)?;
    Some((
        of.first_seconds,
        of.steady_seconds,
        of.overhead_seconds,
        of.overhead_ratio.map(|ratio| ratio * 100.0),
        of.warmup_epochs.as_ref().ok().copied(),
        of.warmup_epochs.err().map(|why| why.to_string()),
    ))
}

/// The table that `print_warmup_analysis` prints.
#[guarded]
#[pyfunction]
#[pyo3(signature = (name, first, steady, overhead, percent))]
pub fn timing_warmup_table(
    name: &str,
    first: f64,
    steady: Option<f64>,
    overhead: Option<f64>,
    percent: Option<f64>,
) -> String {
    let figures = Figures {
        first_seconds: first,
        steady_seconds: steady,
        overhead_seconds: overhead,
        overhead_ratio: percent.map(|percent| percent / 100.0),
    };
    layout::warmup(name, &figures)
}

/// Where a series first reaches a threshold, and its best value with its place.
#[guarded]
#[pyfunction]
pub fn timing_first_reached(
    values: Vec<f64>,
    is_loss: bool,
    threshold: f64,
) -> (Option<usize>, Option<(usize, f64)>) {
    let relation = if is_loss {
        Relation::AtMost
    } else {
        Relation::AtLeast
    };
    let Reached { first, best } = first_reached(&values, relation, threshold);
    (first.map(|(index, _)| index), best)
}

/// Any value of a timer; what is none of ours becomes its text.
fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if object.is_none() {
        return Ok(Value::Absent);
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_string()));
    }
    if let Ok(entries) = object.cast::<PyDict>() {
        return named(entries).map(Value::Map);
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| value(&item?));
        return items.collect::<PyResult<_>>().map(Value::List);
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract().map(Value::Number);
    }
    if (object.is_instance_of::<PyInt>() || object.hasattr("__index__")?)
        && let Ok(number) = object.extract()
    {
        return Ok(Value::Integer(number));
    }
    // Numbers of numpy and torch are floats to Python.
    Ok(object
        .extract()
        .map_or_else(|_| Value::Text(object.to_string()), Value::Number))
}

fn named(entries: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let entry = |(name, held): (Bound<'_, PyAny>, _)| Ok((name.to_string(), value(&held)?));
    entries.iter().map(entry).collect()
}

/// Timers as comma-separated values.
#[guarded]
#[pyfunction]
pub fn timing_csv(section: &str, timers: &Bound<'_, PyDict>) -> PyResult<String> {
    Ok(layout::csv(section, &named(timers)?))
}

/// Timers as JSON.
#[guarded]
#[pyfunction]
pub fn timing_json(section: &str, timestamp: &str, timers: &Bound<'_, PyDict>) -> PyResult<String> {
    Ok(layout::json(section, timestamp, &named(timers)?))
}
