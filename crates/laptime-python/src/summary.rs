//! `report["step/forward"]`: the numbers of one path.
//!
//! The class has a property for each number of the analysis' table of fields. What is absent is
//! `None`, and [`SpanSummary::why`] says for what reason.

use std::sync::Arc;

use laptime_analysis::summary::fields::{self, Number};
use laptime_analysis::{SpanRow, Summary};
use laptime_python_macros::guarded;
use laptime_report::sentences::doubts::in_words;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::entry::answered;

/// Most numbers that an error suggests.
const MOST_NEAR: usize = 4;

/// The numbers of one path.
#[pyclass(frozen, module = "laptime")]
pub struct SpanSummary {
    summary: Arc<Summary>,
    index: usize,
}

impl SpanSummary {
    /// The numbers of a row.
    pub fn new(summary: Arc<Summary>, index: usize) -> Self {
        Self { summary, index }
    }

    fn row(&self) -> &SpanRow {
        &self.summary.rows[self.index]
    }
}

/// Whether a number has this name.
pub fn is_number(name: &str) -> bool {
    fields::find(name).is_some()
}

/// The error for a name that none of the numbers of `what` has, with those that may have been meant.
pub fn no_number(what: &str, name: &str) -> PyErr {
    let near = fields::near(name);
    let near = match &near[..near.len().min(MOST_NEAR)] {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    };
    PyAttributeError::new_err(format!("a {what} has no number called {name:?}{near}"))
}

fn plain(python: Python<'_>, number: Option<Number>) -> PyResult<Py<PyAny>> {
    match number {
        None => Ok(python.None()),
        Some(Number::Whole(number)) => number.into_py_any(python),
        Some(Number::Signed(number)) => number.into_py_any(python),
        Some(Number::Real(number)) => number.into_py_any(python),
        Some(Number::Word(word)) => word.into_py_any(python),
    }
}

/// Gives the class a property for each number.
pub fn add_properties(python: Python<'_>) -> PyResult<()> {
    let class = python.get_type::<SpanSummary>();
    let property = python.import("builtins")?.getattr("property")?;
    for field in fields::all() {
        let read = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            answered(|| {
                let this = arguments.get_item(0)?.cast_into::<SpanSummary>()?;
                plain(arguments.py(), field.number_of(this.get().row()))
            })
        };
        let read = PyCFunction::new_closure(python, None, None, read)?;
        let (none, about) = (python.None(), field.about);
        class.setattr(field.name, property.call1((read, &none, &none, about))?)?;
    }
    Ok(())
}

#[guarded]
#[pymethods]
impl SpanSummary {
    /// The names from the outermost to this one.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.row().names.clone()
    }

    /// The names joined by `/`.
    #[getter]
    fn path(&self) -> &str {
        &self.row().path
    }

    /// Reasons to doubt this row, each a sentence.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.row().warnings.iter();
        warnings.map(|one| in_words(one).message).collect()
    }

    /// Why a number is absent; `None` when it is there.
    fn why(&self, field: &str) -> PyResult<Option<String>> {
        let row = self.row();
        let is_there = match fields::find(field) {
            Some(known) => known.number_of(row).is_some(),
            None => return Err(no_number("span summary", field)),
        };
        let reason = || {
            let reason = self.summary.why(row, field);
            reason.map_or(
                "no span of this path has it".to_owned(),
                ToString::to_string,
            )
        };
        Ok((!is_there).then(reason))
    }

    /// Asked only where there is no such attribute.
    fn __getattr__(&self, name: &str) -> PyResult<()> {
        Err(no_number("span summary", name))
    }

    /// Nothing in it changes: its copy is itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        this
    }

    fn __reduce__(_this: &Bound<'_, Self>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a laptime.SpanSummary cannot be pickled: pickle the numbers you need of it",
        ))
    }

    fn __repr__(&self) -> String {
        let row = self.row();
        let count = row.count.map_or("-".to_owned(), |count| count.to_string());
        format!(
            "<laptime.SpanSummary {:?}: count {count}, total_ns {}, self_ns {}>",
            row.path, row.total_ns, row.self_ns
        )
    }
}
