//! `lt.ceilings()`: the most that this machine's devices can do.

use std::time::{Duration, Instant};

use laptime_core::ceilings::{Bound as What, Ceiling as Known, Measured, Origin, Sample};
use laptime_core::{Ceilings as Core, Unavailable};
use laptime_python_macros::guarded;
use laptime_recorder::{ceilings, delay_ns};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// How long a piece of a framework's work is repeated each time, and how often at least.
const BUDGET: Duration = Duration::from_millis(120);
const FEWEST: usize = 2;

/// The ceilings of a machine.
#[pyclass(module = "laptime")]
pub struct Ceilings {
    pub core: Core,
}

/// What a device reaches at most in one type of element, or of bytes.
#[pyclass(frozen, module = "laptime")]
pub struct Ceiling {
    device: String,
    dtype: Option<String>,
    per_s: f64,
    label: String,
    origin: &'static str,
    how: String,
    samples: Option<u64>,
    median_ratio: Option<f64>,
    cpu_ratio: Option<f64>,
    threads: Option<u64>,
    is_disturbed: bool,
}

impl From<&Known> for Ceiling {
    fn from(known: &Known) -> Self {
        let (origin, how, measured) = match &known.origin {
            Origin::Instructions(measured) => ("instructions", &measured.how, Some(measured)),
            Origin::Framework(measured) => ("framework", &measured.how, Some(measured)),
            Origin::Published { source } => ("published", source, None),
        };
        Self {
            device: known.device.clone(),
            dtype: match &known.bound {
                What::Flop(dtype) => Some(dtype.clone()),
                What::Bytes => None,
            },
            per_s: known.per_s,
            label: known.label(),
            origin,
            how: how.clone(),
            samples: measured.map(|measured| measured.samples),
            median_ratio: measured.map(|measured| measured.median_ratio),
            cpu_ratio: measured.and_then(|measured| measured.cpu_ratio),
            threads: measured.and_then(|measured| measured.threads),
            is_disturbed: known.was_disturbed(),
        }
    }
}

#[guarded(
    device,
    dtype,
    per_s,
    label,
    origin,
    how,
    samples,
    median_ratio,
    cpu_ratio,
    threads,
    is_disturbed
)]
#[pymethods]
impl Ceiling {
    fn __repr__(&self) -> String {
        format!("<Ceiling {}: {:e} /s>", self.label, self.per_s)
    }
}

#[guarded]
#[pymethods]
impl Ceilings {
    #[getter]
    fn machine(&self) -> &str {
        &self.core.machine
    }

    #[getter]
    fn all(&self) -> Vec<Ceiling> {
        self.core.all.iter().map(Into::into).collect()
    }

    #[getter]
    fn absent(&self) -> Vec<(String, String)> {
        let absent = self.core.absent.iter();
        absent
            .map(|(what, why)| (what.clone(), why.0.clone()))
            .collect()
    }

    #[pyo3(signature = (dtype="float32", device="cpu"))]
    fn flop_per_s(&self, dtype: &str, device: &str) -> Option<f64> {
        Some(self.core.flop(device, dtype).ok()?.per_s)
    }

    #[pyo3(signature = (device="cpu"))]
    fn bytes_per_s(&self, device: &str) -> Option<f64> {
        Some(self.core.bytes(device).ok()?.per_s)
    }

    #[pyo3(
        signature = (dtype=Some("float32"), device="cpu"),
        text_signature = "($self, dtype='float32', device='cpu')"
    )]
    fn get(&self, dtype: Option<&str>, device: &str) -> Option<Ceiling> {
        let bound = dtype.map_or(What::Bytes, |dtype| What::Flop(dtype.into()));
        self.core.get(device, &bound).ok().map(Into::into)
    }

    fn to_json(&self) -> String {
        laptime_report::tables::ceilings::json(&self.core).into_string()
    }

    fn __str__(&self) -> String {
        laptime_report::tables::ceilings::text(&self.core).into_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Ceilings of {}: {}>",
            self.core.machine,
            self.core.all.len()
        )
    }

    /// Those of the same machine, none of them measured yet.
    #[pyo3(name = "_empty")]
    fn empty(&self) -> Self {
        let core = Core {
            machine: self.core.machine.clone(),
            ..Core::default()
        };
        Self { core }
    }

    /// Times a framework's work: so many FLOP or bytes a call, all of which is done when it returns.
    /// On the processor, whose threads are told, it is told whether something else ran.
    #[pyo3(name = "_sample", signature = (device, dtype, how, work, threads, call))]
    fn sample(
        &mut self,
        device: String,
        dtype: Option<String>,
        how: String,
        work: f64,
        threads: Option<u64>,
        call: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let samples = repeat(call, threads.is_some())?;
        if let Some((per_s, measured)) = Measured::best_of(how, work, &samples) {
            self.core.add(Known {
                device,
                bound: dtype.map_or(What::Bytes, What::Flop),
                per_s,
                origin: Origin::Framework(measured.on_threads(threads)),
            });
        }
        Ok(())
    }

    /// Whether what a framework reaches on a device is known: the same one, and beyond doubt.
    #[pyo3(name = "_knows")]
    fn knows(&self, device: &str, how: &str) -> bool {
        let known = |one: &&Known| match &one.origin {
            Origin::Framework(measured) => one.device == device && measured.how.starts_with(how),
            _ => false,
        };
        let mut all = self.core.all.iter().filter(known).peekable();
        all.peek().is_some() && !all.any(Known::is_to_measure_again)
    }

    /// Takes in what was measured now, in place of what another number of threads reached.
    #[pyo3(name = "_take")]
    fn take(&mut self, fresh: &Self) {
        let fresh = &fresh.core;
        let threads = |one: &Known| match &one.origin {
            Origin::Framework(measured) => Some((one.device.clone(), measured.threads)),
            _ => None,
        };
        self.core.all.retain(|one| {
            let same = |other: &Known| one.device == other.device && one.bound == other.bound;
            let mut others = fresh.all.iter().filter(|other| same(other));
            threads(one).is_none() || others.all(|other| threads(other) == threads(one))
        });
        self.core.extend(fresh.clone());
    }

    /// What a device could not do.
    #[pyo3(name = "_absent")]
    fn note_absent(&mut self, what: String, why: String) {
        let absent = (what, Unavailable(why));
        if !self.core.absent.contains(&absent) {
            self.core.absent.push(absent);
        }
    }

    /// What the maker of a device says, by the name that its driver tells.
    #[pyo3(name = "_published")]
    fn published(&mut self, device: &str, name: &str) {
        for known in laptime_ops::published_ceilings::ceilings(device, name) {
            self.core.add(known);
        }
    }

    /// Keeps them for this machine.
    #[pyo3(name = "_store")]
    fn store(&self) -> PyResult<String> {
        let stored = ceilings::store(&self.core);
        let path = stored.map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(path.display().to_string())
    }
}

/// Each call but the first.
fn repeat(call: &Bound<'_, PyAny>, on_cpu: bool) -> PyResult<Vec<Sample>> {
    call.call0()?;
    let begun = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < FEWEST || begun.elapsed() < BUDGET {
        let (start, before) = (Instant::now(), delay_ns());
        call.call0()?;
        let (seconds, after) = (start.elapsed().as_secs_f64(), delay_ns());
        let waited = before.zip(after).filter(|_| on_cpu);
        let cpu_ratio =
            waited.map(|(before, after)| 1.0 - (after - before) as f64 * 1e-9 / seconds);
        samples.push(Sample { seconds, cpu_ratio });
    }
    Ok(samples)
}

/// What was kept of this machine, or is measured now with the interpreter let go.
#[guarded]
#[pyfunction]
pub fn kept_or_measured_ceilings(python: Python<'_>) -> Ceilings {
    let core = python.detach(ceilings::kept_or_measured);
    Ceilings { core }
}

/// Measures the processor with the interpreter let go.
#[guarded]
#[pyfunction]
pub fn measure_ceilings(python: Python<'_>) -> Ceilings {
    let core = python.detach(ceilings::measure);
    Ceilings { core }
}
