//! A window of steps in Python.

use laptime_analysis as analysis;
use laptime_python_macros::guarded;
use laptime_recorder as recorder;
use laptime_report::step_line;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Some steps of a running training, one after the other.
#[pyclass(frozen, module = "laptime")]
pub struct StepWindow {
    name: String,
    window: analysis::StepWindow,
    resident_peak_bytes: Option<u64>,
}

impl StepWindow {
    /// A window of steps of a name, and the process's memory now.
    pub fn new(name: &str, window: analysis::StepWindow) -> Self {
        Self {
            name: name.to_owned(),
            window,
            resident_peak_bytes: recorder::resident().map(|resident| resident.most_bytes),
        }
    }
}

#[guarded]
#[pymethods]
impl StepWindow {
    /// The name of the laps.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The number of the last step, counted from 1 since the process began.
    #[getter]
    fn step(&self) -> u64 {
        self.window.step
    }

    /// How many steps.
    #[getter]
    fn count(&self) -> u64 {
        self.window.count
    }

    /// The time of all.
    #[getter]
    fn total_ns(&self) -> u64 {
        self.window.total_ns
    }

    /// The mean time of one.
    #[getter]
    fn mean_ns(&self) -> u64 {
        self.window.mean_ns
    }

    /// 95 % of them took at most this; known to 1.1 %.
    #[getter]
    fn p95_ns(&self) -> Option<u64> {
        self.window.p95_ns
    }

    /// The longest.
    #[getter]
    fn max_ns(&self) -> u64 {
        self.window.max_ns
    }

    /// How many of them there were in a second of their time.
    #[getter]
    fn steps_per_s(&self) -> Option<f64> {
        self.window.steps_per_s()
    }

    /// The shares of the phases in the steps' time, by name.
    #[getter]
    fn share_ratios<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shares = PyDict::new(python);
        for phase in &self.window.phases {
            shares.set_item(&phase.name, phase.share_ratio)?;
        }
        Ok(shares)
    }

    /// The time of the phases in all steps, by name.
    #[getter]
    fn phases_ns<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let phases = PyDict::new(python);
        for phase in &self.window.phases {
            phases.set_item(&phase.name, phase.total_ns)?;
        }
        Ok(phases)
    }

    /// The most resident memory of the process so far.
    #[getter]
    fn resident_peak_bytes(&self) -> Option<u64> {
        self.resident_peak_bytes
    }

    /// The most host memory that a step held above its start, where the memory of laps is counted.
    #[getter]
    fn host_memory_peak_bytes(&self) -> Option<u64> {
        self.window.host_memory_peak_bytes
    }

    /// FLOP per second, where operations are known.
    #[getter]
    fn flop_per_s(&self) -> Option<f64> {
        self.window.flop_per_s
    }

    /// That over the machine's peak.
    #[getter]
    fn mfu_ratio(&self) -> Option<f64> {
        self.window.mfu_ratio
    }

    /// What a logger takes: numbers by stable names. What isn't known is left out.
    fn metrics<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (name, window) = (&self.name, &self.window);
        let metrics = PyDict::new(python);
        let ms = |ns: u64| ns as f64 / 1e6;
        metrics.set_item(format!("laptime/{name}_ms"), ms(window.mean_ns))?;
        let bytes = |bytes: u64| bytes as f64;
        for (what, value) in [
            (format!("{name}_p95_ms"), window.p95_ns.map(ms)),
            (format!("{name}s_per_s"), window.steps_per_s()),
            (
                "resident_peak_bytes".to_owned(),
                self.resident_peak_bytes.map(bytes),
            ),
            (
                "host_memory_peak_bytes".to_owned(),
                window.host_memory_peak_bytes.map(bytes),
            ),
            ("flop_per_s".to_owned(), window.flop_per_s),
            ("mfu_ratio".to_owned(), window.mfu_ratio),
        ] {
            if let Some(value) = value {
                metrics.set_item(format!("laptime/{what}"), value)?;
            }
        }
        for phase in &window.phases {
            let share = format!("laptime/{}_share", phase.name);
            metrics.set_item(share, phase.share_ratio)?;
        }
        Ok(metrics)
    }

    /// The line that `lt.log_every` prints.
    fn __str__(&self) -> String {
        step_line(&self.name, &self.window, self.resident_peak_bytes)
    }

    fn __repr__(&self) -> String {
        let line = step_line(&self.name, &self.window, self.resident_peak_bytes);
        format!("<laptime.StepWindow {line}>")
    }

    /// Nothing of it changes: a copy is the same.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        this
    }

    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (State,))> {
        let made_by = python.import("laptime._core")?.getattr("_step_window")?;
        let window = &self.window;
        let phases = window.phases.iter();
        let phases = phases.map(|one| (one.name.clone(), one.total_ns, one.share_ratio));
        let times = (
            window.total_ns,
            window.mean_ns,
            window.p95_ns,
            window.max_ns,
        );
        let bytes = (self.resident_peak_bytes, window.host_memory_peak_bytes);
        let rates = (window.flop_per_s, window.mfu_ratio);
        let steps = (self.name.clone(), window.step, window.count);
        Ok((made_by, ((steps, times, phases.collect(), bytes, rates),)))
    }
}

/// What a window is pickled as.
type State = (
    (String, u64, u64),
    (u64, u64, Option<u64>, u64),
    Vec<(String, u64, f64)>,
    (Option<u64>, Option<u64>),
    (Option<f64>, Option<f64>),
);

/// A window as it was when it was pickled.
#[guarded]
#[pyfunction]
#[pyo3(name = "_step_window")]
pub fn step_window(state: State) -> StepWindow {
    let (steps, times, phases, bytes, rates) = state;
    let (name, step, count) = steps;
    let (total_ns, mean_ns, p95_ns, max_ns) = times;
    let phases = phases.into_iter();
    let phases = phases.map(|(name, total_ns, share_ratio)| analysis::StepPhase {
        name,
        total_ns,
        share_ratio,
    });
    StepWindow {
        name,
        window: analysis::StepWindow {
            step,
            count,
            total_ns,
            mean_ns,
            p95_ns,
            max_ns,
            phases: phases.collect(),
            host_memory_peak_bytes: bytes.1,
            flop_per_s: rates.0,
            mfu_ratio: rates.1,
        },
        resident_peak_bytes: bytes.0,
    }
}
