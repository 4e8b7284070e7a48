//! Finding rows by what users write: a printed path, a tuple of names, a tail, a pattern.

use laptime_analysis::{Pattern, SpanRow};
use laptime_core::path;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::fast::name;

/// What a path leads to.
pub enum Found {
    /// Nothing.
    None,
    /// This row.
    One(usize),
    /// A tail that these rows share.
    Several(Vec<usize>),
}

/// The names of a path: `"step/forward"` (a `/` in a name is written `\/`) or `("step", "forward")`.
pub fn names(path: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let recorded = |given: &Bound<'_, PyAny>| -> PyResult<String> {
        given.cast::<PyString>().map_err(|_| wrong(path))?;
        Ok(given.extract::<name::Text>()?.0)
    };
    let names = if let Ok(names) = path.cast::<PyTuple>() {
        names
            .iter()
            .map(|name| recorded(&name))
            .collect::<PyResult<_>>()?
    } else {
        path::split(&recorded(path)?)
    };
    Ok(names
        .iter()
        .map(|given| name::shortened(given).into_owned())
        .collect())
}

fn wrong(path: &Bound<'_, PyAny>) -> PyErr {
    let kind = path.get_type().name().map(|name| name.to_string());
    PyTypeError::new_err(format!(
        "a path is a string or a tuple of names, not {}",
        kind.unwrap_or_default()
    ))
}

/// The row that a path leads to; a text that leads nowhere may be one name that has a `/` in it.
pub fn of_path(rows: &[SpanRow], path: &Bound<'_, PyAny>) -> PyResult<Found> {
    let found = one(rows, &names(path)?);
    if matches!(found, Found::None) && path.is_instance_of::<PyString>() {
        let name = path.extract::<name::Text>()?.0;
        return Ok(one(rows, &[name::shortened(&name).into_owned()]));
    }
    Ok(found)
}

/// The row whose path is exactly this, or else the only one that ends in it.
fn one(rows: &[SpanRow], names: &[String]) -> Found {
    if let Some(index) = rows.iter().position(|row| row.names == names) {
        return Found::One(index);
    }
    let mut ends: Vec<usize> = (0..rows.len())
        .filter(|index| !names.is_empty() && rows[*index].names.ends_with(names))
        .collect();
    match ends.len() {
        0 => Found::None,
        1 => Found::One(ends.remove(0)),
        _ => Found::Several(ends),
    }
}

/// The rows that match a pattern.
pub fn all(rows: &[SpanRow], pattern: &str) -> Vec<usize> {
    let pattern = Pattern::new(pattern);
    (0..rows.len())
        .filter(|index| pattern.matches(&rows[*index].names))
        .collect()
}
