//! The account of a program's operations.

use std::sync::Arc;

use laptime_core::operations::{CONVENTIONS, Counts, Uncounted};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::cost::OpCost;
use super::row::{self, OpRow};

/// What a program's operations cost.
#[pyclass(frozen, extends = OpCost, module = "laptime")]
pub struct OpCounts {
    /// What is shown of it.
    pub counts: Arc<Counts>,
}

impl OpCounts {
    /// Of an account.
    pub fn new(python: Python<'_>, counts: Counts) -> PyResult<Py<Self>> {
        let cost = OpCost::new(&counts.total);
        let counts = Arc::new(counts);
        Py::new(python, (Self { counts }, cost))
    }
}

/// An operator that is not counted, or not in all its calls.
#[pyclass(frozen, module = "laptime._core")]
pub struct UncountedOp(Uncounted);

#[pymethods]
impl UncountedOp {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    #[getter]
    fn calls(&self) -> u64 {
        self.0.calls
    }

    #[getter]
    fn elements(&self) -> u128 {
        self.0.elements
    }

    fn __repr__(&self) -> String {
        let Uncounted {
            name,
            reason,
            calls,
            ..
        } = &self.0;
        format!("<{name}, {calls} calls: {reason}>")
    }
}

#[pymethods]
impl OpCounts {
    #[getter]
    fn params(&self) -> Option<u64> {
        self.counts.params
    }

    #[getter]
    fn by_op<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = PyDict::new(python);
        for operator in &self.counts.by_op {
            rows.set_item(&operator.name, OpRow::of_operator(python, operator)?)?;
        }
        Ok(rows)
    }

    #[getter]
    fn by_module<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = PyDict::new(python);
        for module in &self.counts.by_module {
            rows.set_item(&module.path, OpRow::of_module(python, module)?)?;
        }
        Ok(rows)
    }

    #[getter]
    fn by_phase<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        row::by_phase(python, &self.counts.total)
    }

    /// Multiply-accumulates that run, by the type of what is multiplied.
    #[getter]
    fn by_dtype<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = PyDict::new(python);
        for (dtype, mac) in &self.counts.by_dtype {
            rows.set_item(dtype, mac)?;
        }
        Ok(rows)
    }

    #[getter]
    fn uncounted<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = self.counts.uncounted.iter().cloned().map(UncountedOp);
        PyList::new(python, rows.collect::<Vec<_>>())
    }

    #[getter]
    fn warnings(&self) -> Vec<&str> {
        let warnings = self.counts.warnings.iter();
        warnings.map(|warning| warning.message.as_str()).collect()
    }

    #[classattr]
    fn conventions() -> Vec<&'static str> {
        CONVENTIONS.to_vec()
    }

    fn __repr__(&self) -> String {
        let total = self.counts.total.total();
        let calls = total.calls();
        format!("<OpCounts: {} FLOP, {calls} operations>", total.cost.flop())
    }
}
