//! What to say of a row or a column that counts don't have: those that they have.

use laptime_python_macros::guarded;
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Names that an error lists; models have thousands of modules.
const MOST: usize = 12;

/// Rows by name: a dict whose `KeyError` names those that are there.
#[pyclass(extends = PyDict, frozen, module = "laptime._core")]
pub struct Rows {
    noun: &'static str,
}

impl Rows {
    /// None yet; `noun` is what a row is.
    pub fn empty<'py>(python: Python<'py>, noun: &'static str) -> PyResult<Bound<'py, PyDict>> {
        Ok(Bound::new(python, Self { noun })?.into_super())
    }
}

#[guarded]
#[pymethods]
impl Rows {
    /// For copies.
    #[new]
    fn new() -> Self {
        Self { noun: "row" }
    }

    fn __missing__(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let names: Vec<String> = this.as_super().keys().extract()?;
        let typed = key.str()?.to_string();
        let noun = this.get().noun;
        let listed = listed(names, &typed);
        let error = if listed.is_empty() {
            format!("no {noun} {typed:?}: there is none")
        } else {
            format!("no {noun} {typed:?}; there are {listed}")
        };
        Err(PyKeyError::new_err(error))
    }
}

/// The error of an attribute that a thing doesn't have.
pub fn attribute(thing: &Bound<'_, PyAny>, typed: &str) -> PyErr {
    let kind = thing.get_type();
    let own = kind.name().map(|name| name.to_string()).unwrap_or_default();
    let known = kind.dir().and_then(|names| names.extract::<Vec<String>>());
    let mut known = known.unwrap_or_default();
    known.retain(|name| !name.starts_with('_'));
    if typed.starts_with('_') {
        return PyAttributeError::new_err(format!("{own:?} object has no attribute {typed:?}"));
    }
    let near = known.iter().find(|name| is_near(name, typed));
    let near = match near {
        Some(name) => format!(": did you mean {name}? It has"),
        None => "; it has".to_owned(),
    };
    PyAttributeError::new_err(format!("{own} has no {typed:?}{near} {}", known.join(", ")))
}

/// Whether one of two names is the other with something before or behind it.
fn is_near(name: &str, typed: &str) -> bool {
    !name.is_empty() && !typed.is_empty() && (name.contains(typed) || typed.contains(name))
}

/// Some names, those that are like what was typed first.
fn listed(mut names: Vec<String>, typed: &str) -> String {
    names.sort_by_key(|name| !is_near(name, typed));
    let more = names.len().saturating_sub(MOST);
    let shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("{name:?}"))
        .collect();
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    shown.join(", ") + &rest
}
