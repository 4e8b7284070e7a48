//! What an object has in its own dictionary, which none of its class's answers stands for.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// What stands under a name in an object's own dictionary.
pub fn own<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    // SAFETY: a live object; a new reference, or null with an error.
    let own = unsafe {
        let own = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), own)?
    };
    own.cast::<PyDict>()?.get_item(name)
}
