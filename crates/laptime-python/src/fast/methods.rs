//! Puts methods of the hot path into a class that the bindings made.
//!
//! The bindings' own methods convert their arguments and make strings on the way; these take
//! the interpreter's arguments as they come.

use std::ffi::{CStr, c_int};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Adds one; its definition lives as long as the process.
///
/// `flags` say how the interpreter calls `function`: they go together.
pub fn add(
    class: &Bound<'_, PyType>,
    name: &'static CStr,
    function: ffi::PyMethodDefPointer,
    flags: c_int,
    doc: &'static CStr,
) -> PyResult<()> {
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: function,
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    }));
    // SAFETY: a class and a definition that stay.
    let method = unsafe {
        let method = ffi::PyDescr_NewMethod(class.as_ptr().cast(), definition);
        Bound::from_owned_ptr_or_err(class.py(), method)?
    };
    class.setattr(name.to_string_lossy().as_ref(), method)
}
