//! `lt.bench_inference`: what the loops in Python ask and tell, and what was found.

pub mod case;
pub mod plans;

use laptime_analysis::benchmark::inference::Sweep;
use laptime_python_macros::guarded;
use laptime_report::sentences::inference_absences::{no_crossover, no_knee};
use laptime_report::tables::inference as layout;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::notebook;
use crate::report::stdout_width;
use case::InferenceCase;

/// All cases of a model.
#[pyclass(frozen, module = "laptime._core")]
pub struct InferenceOutcome(Sweep);

#[guarded]
#[pymethods]
impl InferenceOutcome {
    #[new]
    fn new(name: String, cases: Vec<PyRef<'_, InferenceCase>>) -> Self {
        let cases = cases.iter().map(|case| case.0.clone()).collect();
        Self(Sweep { name, cases })
    }

    /// The batch size of a device's knee, one that it may be as well, or why there is none.
    fn knee(&self, device: &str) -> (Option<u64>, Option<u64>, Option<String>) {
        match self.0.knee(device) {
            Ok(knee) => (Some(knee.batch), knee.or_else, None),
            Err(why) => (None, None, Some(no_knee(&why))),
        }
    }

    /// The batch size from which a device is faster than another, or why there is none.
    fn crossover(&self, base: &str, device: &str) -> (Option<u64>, Option<String>) {
        match self.0.crossover(base, device) {
            Ok(found) => (Some(found.batch), None),
            Err(why) => (None, Some(no_crossover(&why))),
        }
    }

    #[getter]
    fn headline(&self) -> String {
        layout::headline(&self.0)
    }

    #[getter]
    fn text(&self, python: Python<'_>) -> String {
        layout::text(&self.0, stdout_width(python)).into_string()
    }

    #[getter]
    fn markdown(&self) -> String {
        layout::markdown(&self.0)
    }

    #[getter]
    fn json(&self) -> String {
        layout::json(&self.0).into_string()
    }

    /// What notebooks show.
    #[pyo3(signature = (include=None, exclude=None))]
    fn mimebundle<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let html = layout::fragment(&self.0);
        let plain = layout::text(&self.0, stdout_width(python)).into_string();
        let bundle = notebook::bundle(python, plain, html, Some(layout::markdown(&self.0)))?;
        notebook::only(bundle, include, exclude)
    }
}
