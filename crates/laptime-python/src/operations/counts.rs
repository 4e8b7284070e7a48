//! The account of a program's operations.

use std::sync::Arc;

use laptime_core::Warning;
use laptime_core::operations::{CONVENTIONS, Counts, Uncounted};
use laptime_python_macros::guarded;
use laptime_report::Format;
use laptime_report::tables::operations::{OperationsView, Subject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::cost::OpCost;
use super::lookup_errors::Rows;
use super::rendering;
use super::row::{self, OpRow};
use crate::errors;
use crate::file_path::FilePath;
use crate::notebook;

/// What a program's operations cost.
#[pyclass(frozen, extends = OpCost, module = "laptime")]
pub struct OpCounts {
    /// What is shown of the account.
    pub counts: Arc<Counts>,
    /// What the account is of.
    pub subject: Subject,
    /// Who else reckoned, and the FLOP that came out.
    cross_check: Option<(String, f64)>,
}

impl OpCounts {
    /// The counts of an account.
    pub fn new(python: Python<'_>, counts: Counts) -> PyResult<Py<Self>> {
        Self::cross_checked(python, counts, None)
    }

    /// The counts of an account, beside what somebody else says of the same program.
    pub fn cross_checked(
        python: Python<'_>,
        counts: Counts,
        cross_check: Option<(String, f64)>,
    ) -> PyResult<Py<Self>> {
        let account = Self {
            counts: Arc::new(counts),
            subject: Subject::default(),
            cross_check,
        };
        account.with_cost(python)
    }

    fn with_cost(self, python: Python<'_>) -> PyResult<Py<Self>> {
        let cost = OpCost::from(self.counts.total.total());
        Py::new(python, (self, cost))
    }
}

/// An operator that is not counted, or not in all its calls.
#[pyclass(frozen, module = "laptime._core")]
pub struct UncountedOp {
    name: String,
    reason: String,
    calls: u64,
    elements: u128,
}

#[guarded(name, reason, calls, elements)]
#[pymethods]
impl UncountedOp {
    fn __repr__(&self) -> String {
        format!("<{}, {} calls: {}>", self.name, self.calls, self.reason)
    }
}

#[guarded]
#[pymethods]
impl OpCounts {
    #[getter]
    fn params(&self) -> Option<u64> {
        self.counts.params
    }

    #[getter]
    fn by_op<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = Rows::empty(python, "operator")?;
        for operator in &self.counts.by_op {
            rows.set_item(&operator.name, OpRow::of_operator(python, operator)?)?;
        }
        Ok(rows)
    }

    #[getter]
    fn by_module<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = Rows::empty(python, "module")?;
        for module in &self.counts.by_module {
            rows.set_item(
                &module.path,
                OpRow::of_module(python, &self.counts, module)?,
            )?;
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
        let rows = Rows::empty(python, "type")?;
        for (dtype, mac) in &self.counts.by_dtype {
            rows.set_item(dtype, mac)?;
        }
        Ok(rows)
    }

    #[getter]
    fn uncounted<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let row = |one: &Uncounted| UncountedOp {
            name: one.name.clone(),
            reason: one.reason.clone(),
            calls: one.calls,
            elements: one.elements,
        };
        let rows = self.counts.uncounted.iter().map(row);
        PyList::new(python, rows.collect::<Vec<_>>())
    }

    #[getter]
    fn warnings(&self) -> Vec<&str> {
        let warnings = self.counts.warnings.iter();
        warnings.map(|warning| warning.message.as_str()).collect()
    }

    #[getter]
    fn cross_check(&self) -> Option<(String, f64)> {
        self.cross_check.clone()
    }

    #[classattr]
    fn conventions() -> Vec<&'static str> {
        CONVENTIONS.to_vec()
    }

    /// The counts with warnings that came after they were closed.
    fn _warned(&self, python: Python<'_>, messages: Vec<String>) -> PyResult<Py<Self>> {
        let mut counts = Counts::clone(&self.counts);
        for message in &messages {
            counts.warnings.push(Warning::new("put-back", message));
        }
        let account = Self {
            counts: Arc::new(counts),
            subject: self.subject.clone(),
            cross_check: self.cross_check.clone(),
        };
        account.with_cost(python)
    }

    /// The counts with what they are of: a name, its inputs by label, sizes and type, and how it
    /// was counted.
    #[pyo3(signature = (name="", *, inputs=Vec::new(), how=""))]
    fn _of(
        &self,
        python: Python<'_>,
        name: &str,
        inputs: Vec<(String, Vec<u64>, String)>,
        how: &str,
    ) -> PyResult<Py<Self>> {
        let subject = Subject {
            name: name.to_owned(),
            inputs: inputs
                .iter()
                .map(|(label, sizes, dtype)| Subject::input(label, sizes, dtype))
                .collect(),
            how: how.to_owned(),
        };
        let account = Self {
            counts: self.counts.clone(),
            subject,
            cross_check: self.cross_check.clone(),
        };
        account.with_cost(python)
    }

    fn __str__(&self, python: Python<'_>) -> String {
        rendering::printed(self, python)
    }

    /// As a table for a terminal.
    #[pyo3(signature = (*, by=None, depth=None, sort=None, exact=false))]
    fn to_text(
        &self,
        by: Option<&str>,
        depth: Option<i64>,
        sort: Option<&str>,
        exact: bool,
    ) -> PyResult<String> {
        let view = rendering::view(by, depth, sort, exact)?;
        Ok(rendering::rendered(self, Format::Text, &view))
    }

    /// As markdown.
    #[pyo3(signature = (*, by=None, depth=None, sort=None, exact=false))]
    fn to_markdown(
        &self,
        by: Option<&str>,
        depth: Option<i64>,
        sort: Option<&str>,
        exact: bool,
    ) -> PyResult<String> {
        let view = rendering::view(by, depth, sort, exact)?;
        Ok(rendering::rendered(self, Format::Markdown, &view))
    }

    /// As JSON, with the names of the published schema.
    fn to_json(&self) -> String {
        rendering::rendered(self, Format::Json, &OperationsView::default())
    }

    /// As comma-separated values.
    fn to_csv(&self) -> String {
        rendering::rendered(self, Format::Csv, &OperationsView::default())
    }

    /// Writes a page to open in a browser.
    fn to_html(&self, path: FilePath) -> PyResult<()> {
        let path = path.path()?;
        let text = rendering::rendered(self, Format::Html, &OperationsView::default());
        laptime_recorder::output::write(&path, text).map_err(|error| errors::from_io(&error, &path))
    }

    /// What notebooks show.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (plain, html) = (rendering::printed(self, python), rendering::fragment(self));
        let bundle = notebook::bundle(python, plain, html, None)?;
        notebook::only(bundle, include, exclude)
    }

    fn __repr__(&self) -> String {
        let total = self.counts.total.total();
        let calls = total.calls();
        format!("<OpCounts: {} FLOP, {calls} operations>", total.cost.flop())
    }
}
