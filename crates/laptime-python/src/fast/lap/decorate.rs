//! A lap as a decorator: `@lt.lap`, and a call of a handle.

use laptime_core::SpanWork;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::handle::{TYPES, handle, own_work, raise};
use super::work;
use crate::entry::{answered, measuring};
use crate::interned::intern;

/// `handle(function)`: the decorator with a name.
pub unsafe extern "C" fn call(
    this: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes a handle, a tuple, and a dictionary or null.
    unsafe {
        let python = Python::assume_attached();
        match answered(|| only_function(arguments, keywords)) {
            Ok(function) if ffi::Py_TYPE(this) == TYPES.get().idle => ffi::Py_NewRef(function),
            Ok(function) => {
                let name = Bound::from_borrowed_ptr(python, handle(this).name);
                let work = own_work(this).unwrap_or_default();
                decorate(python, function, Some(name), work)
            }
            Err(error) => raise(python, error),
        }
    }
}

/// The one argument of a call of a handle.
///
/// # Safety
/// A tuple, a dictionary or null, and the lock is held.
unsafe fn only_function(
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller's promise.
    unsafe {
        let count = ffi::PyTuple_Size(arguments);
        if count != 1 || (!keywords.is_null() && ffi::PyDict_Size(keywords) > 0) {
            return Err(PyTypeError::new_err(
                "a lap takes the function to decorate, and nothing else",
            ));
        }
        Ok(ffi::PyTuple_GetItem(arguments, 0))
    }
}

/// `laptime._decorate.decorate(function, name, flop=…, bytes=…)`.
///
/// # Safety
/// `function` is a live object and the lock is held.
pub unsafe fn decorate(
    python: Python<'_>,
    function: *mut ffi::PyObject,
    name: Option<Bound<'_, PyAny>>,
    work: SpanWork,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let function = unsafe { Bound::from_borrowed_ptr(python, function) };
    let decorated = || {
        let module = python.import(intern!(python, "laptime._decorate"))?;
        let decorate = module.getattr(intern!(python, "decorate"))?;
        let keywords = work::keywords(python, work)?;
        decorate.call((&function, name), Some(&keywords))
    };
    // After a mistake of ours it is the function as it was.
    match measuring(|| Ok(function.clone()), decorated) {
        Ok(wrapper) => wrapper.into_ptr(),
        Err(error) => raise(python, error),
    }
}
