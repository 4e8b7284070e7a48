//! What was found of one case, and of its load: a property for each number of the analysis' tables.

use laptime_analysis::benchmark::inference::{
    Arrivals, CASE_FIELDS, Case, Field, LOAD_FIELDS, Load, Value,
};
use laptime_core::Unavailable;
use laptime_python_macros::guarded;
use laptime_report::sentences::inference_absences::no_answer;
use laptime_report::tables::inference as layout;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple, PyType};

use crate::entry::answered;

/// One batch size on one device.
#[pyclass(frozen, module = "laptime")]
pub struct InferenceCase(pub Case);

#[guarded]
#[pymethods]
impl InferenceCase {
    /// A case that could not be measured.
    #[staticmethod]
    fn absent(device: String, batch: u64, why: String) -> Self {
        Self(Case {
            device,
            batch,
            found: Err(Unavailable(why)),
        })
    }

    #[getter]
    fn device(&self) -> &str {
        &self.0.device
    }

    #[getter]
    fn batch(&self) -> u64 {
        self.0.batch
    }

    /// Why it could not be measured.
    #[getter]
    fn unavailable(&self) -> Option<&str> {
        self.0.found.as_ref().err().map(|why| &*why.0)
    }

    /// Calls after warm-up.
    #[getter]
    fn calls(&self) -> Option<usize> {
        let found = self.0.found.as_ref().ok();
        found.map(|one| one.latency.count)
    }

    /// Calls before steady state, the first one among them.
    #[getter]
    fn warmup(&self) -> Option<usize> {
        self.0.found.as_ref().ok().map(|one| one.warmup)
    }

    /// Nanoseconds of each call after warm-up, without transfers.
    #[getter]
    fn samples(&self) -> Vec<f64> {
        let found = self.0.found.as_ref();
        found.map_or_else(|_| Vec::new(), |one| one.calls_ns.clone())
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        layout::doubts(&self.0)
    }

    /// What it does at the rate that was asked for.
    #[getter]
    fn load(&self) -> Option<InferenceLoad> {
        let found = self.0.found.as_ref().ok()?;
        found.load.clone().map(InferenceLoad)
    }

    /// Why a number is None; None for one that is there.
    fn why(&self, number: &str) -> PyResult<Option<String>> {
        why(&self.0.fields(), number)
    }

    fn __repr__(&self) -> String {
        format!(
            "<laptime.InferenceCase: {} batch {}>",
            laptime_report::visible(&self.0.device),
            self.0.batch
        )
    }
}

/// What a model does under load.
#[pyclass(frozen, module = "laptime")]
pub struct InferenceLoad(Load);

#[guarded]
#[pymethods]
impl InferenceLoad {
    #[getter]
    fn arrivals(&self) -> &'static str {
        match self.0.arrivals {
            Arrivals::Poisson => "poisson",
            Arrivals::Constant => "constant",
        }
    }

    /// Requests that arrived.
    #[getter]
    fn arrived(&self) -> usize {
        self.0.arrived
    }

    /// Requests that were served before the end.
    #[getter]
    fn served(&self) -> usize {
        self.0.served
    }

    /// Whether it kept up with the rate; None where that can't be told.
    #[getter]
    fn kept_up(&self) -> Option<bool> {
        self.0.kept_up().ok()
    }

    /// Whether the true percentiles are larger, as requests still waited at the end.
    #[getter]
    fn is_at_least(&self) -> bool {
        self.0.is_at_least()
    }

    /// Why a number, or `kept_up`, is None; None for one that is there.
    fn why(&self, number: &str) -> PyResult<Option<String>> {
        if number == "kept_up" {
            return Ok(self.0.kept_up().err().map(|why| no_answer(&why)));
        }
        why(&self.0.fields(), number)
    }

    fn __repr__(&self) -> String {
        format!("<laptime.InferenceLoad: {} requests/s>", self.0.rate_per_s)
    }
}

/// Gives both classes a property for each number.
pub fn add_properties(python: Python<'_>) -> PyResult<()> {
    for (name, read) in CASE_FIELDS {
        add(&python.get_type::<InferenceCase>(), name, move |this| {
            Ok(this.cast::<InferenceCase>()?.get().0.read(read))
        })?;
    }
    for (name, read) in LOAD_FIELDS {
        add(&python.get_type::<InferenceLoad>(), name, move |this| {
            Ok(read(&this.cast::<InferenceLoad>()?.get().0))
        })?;
    }
    Ok(())
}

fn add(
    class: &Bound<'_, PyType>,
    name: &str,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<Result<Value, Unavailable>> + Send + Sync + 'static,
) -> PyResult<()> {
    let python = class.py();
    let get = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        answered(|| plain(arguments.py(), read(&arguments.get_item(0)?)?.ok()))
    };
    let get = PyCFunction::new_closure(python, None, None, get)?;
    let property = python.import("builtins")?.getattr("property")?;
    class.setattr(name, property.call1((get,))?)
}

/// A number, the ends of an interval, or None where it is absent.
fn plain(python: Python<'_>, value: Option<Value>) -> PyResult<Py<PyAny>> {
    match value {
        Some(Value::Number(number)) => number.into_py_any(python),
        Some(Value::Interval(low, high)) => (low, high).into_py_any(python),
        None => Ok(python.None()),
    }
}

fn why(fields: &[Field], name: &str) -> PyResult<Option<String>> {
    let known = || {
        let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
        PyValueError::new_err(format!(
            "expected one of {}, found {name:?}",
            names.join(", ")
        ))
    };
    let field = fields.iter().find(|field| field.0 == name);
    let (_, value) = field.ok_or_else(known)?;
    Ok(value.as_ref().err().map(|why| why.0.clone()))
}
