//! What a lap says that it does: `lt.lap("gemm", flop=…, bytes=…)`, from Python and back.

use laptime_core::SpanWork;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat};

/// The keywords, and the attributes.
pub const KEYWORDS: [&str; 2] = ["flop", "bytes"];

/// A whole number from Python; `None` stands for nothing said.
pub fn amount(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Option<u128>> {
    if given.is_none() {
        return Ok(None);
    }
    let wrong = |kind: fn(String) -> PyErr| {
        let shown = given.repr().map(|repr| repr.to_string());
        kind(format!(
            "{what} of a lap is a whole number from 0 on, not {}",
            shown.unwrap_or_default()
        ))
    };
    if given.is_instance_of::<PyBool>() {
        return Err(wrong(PyTypeError::new_err));
    }
    if let Ok(float) = given.cast::<PyFloat>() {
        let value = float.value();
        let is_whole = value >= 0.0 && value < 2_f64.powi(128) && value.fract() == 0.0;
        return if is_whole {
            Ok(Some(value as u128))
        } else {
            Err(wrong(PyValueError::new_err))
        };
    }
    match given.extract::<u128>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => {
            Err(wrong(PyTypeError::new_err))
        }
        Err(_) => Err(wrong(PyValueError::new_err)),
    }
}

/// The work in keywords.
///
/// # Safety
/// `values` has as many as `keywords`, which is a tuple of `str`, and the lock is held.
pub unsafe fn of_call(
    python: Python<'_>,
    keywords: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
) -> PyResult<SpanWork> {
    let mut work = SpanWork::default();
    // SAFETY: the caller's promise.
    for index in 0..unsafe { ffi::PyTuple_Size(keywords) } {
        // SAFETY: as above.
        let (keyword, value) = unsafe {
            let keyword = ffi::PyTuple_GetItem(keywords, index);
            (
                Bound::from_borrowed_ptr(python, keyword),
                Bound::from_borrowed_ptr(python, *values.offset(index)),
            )
        };
        let keyword: String = keyword.extract()?;
        let place = match keyword.as_str() {
            "flop" => &mut work.flop,
            "bytes" => &mut work.bytes,
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "lap() takes flop= and bytes=, not {keyword:?}"
                )));
            }
        };
        *place = amount(&keyword, &value)?;
    }
    Ok(work)
}

/// The work as keywords for Python.
pub fn keywords(python: Python<'_>, work: SpanWork) -> PyResult<Bound<'_, PyDict>> {
    let keywords = PyDict::new(python);
    for (keyword, amount) in KEYWORDS.into_iter().zip([work.flop, work.bytes]) {
        keywords.set_item(keyword, amount)?;
    }
    Ok(keywords)
}
