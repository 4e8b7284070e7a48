//! When a code object ends, its address may become another one's: a weak reference tells.

use std::collections::HashMap;
use std::ffi::CStr;
use std::ptr::null_mut;

use laptime_recorder::calls::{self, FunctionKey};
use pyo3::ffi;
use pyo3::prelude::*;

use super::{interpreter, names};
use crate::entry::measuring;
use crate::fast::Locked;

/// A weak reference, and the key of what it refers to.
type Watched = (Py<PyAny>, FunctionKey);

/// Weak references to the code objects whose addresses are keys, by their own addresses.
static WATCHED: Locked<Option<HashMap<usize, Watched>>> = Locked::new(None);
/// What such a reference calls.
static ON_END: Locked<Option<Py<PyAny>>> = Locked::new(None);

/// Prepares to watch.
pub fn begin(python: Python<'_>) -> PyResult<()> {
    let method = ffi::PyMethodDefPointer {
        PyCFunction: on_end,
    };
    let name: &CStr = c"laptime_code_ends";
    let on_end = interpreter::builtin(python, name, method, ffi::METH_O)?;
    // SAFETY: the lock is held, and nothing else is borrowed.
    unsafe {
        *ON_END.get() = Some(on_end.unbind());
        WATCHED.get().get_or_insert_default();
    }
    Ok(())
}

/// Watches no code object any more.
pub fn end() {
    // SAFETY: the lock is held, and they are dropped when nothing is borrowed any more.
    let watched = unsafe { (WATCHED.get().take(), ON_END.get().take()) };
    drop(watched);
}

/// Has the end of a code object told. One that can't be watched lives on until the process ends.
pub fn watch(code: &Bound<'_, PyAny>) {
    let key = names::of_code(code.as_ptr());
    // SAFETY: the lock is held; nothing is borrowed while the interpreter is asked.
    unsafe {
        let on_end = ON_END.get().as_ref().map_or(null_mut(), Py::as_ptr);
        let reference = ffi::PyWeakref_NewRef(code.as_ptr(), on_end);
        let reference = Bound::from_owned_ptr_or_opt(code.py(), reference);
        match (reference, WATCHED.get()) {
            (Some(reference), Some(watched)) => {
                let address = reference.as_ptr() as usize;
                watched.insert(address, (reference.unbind(), key));
            }
            _ => std::mem::forget(code.clone()),
        }
    }
}

/// A code object is no more: (its weak reference).
unsafe extern "C" fn on_end(
    _: *mut ffi::PyObject,
    reference: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let forget = || {
        // SAFETY: the lock is held, and nothing else is borrowed.
        let watched = unsafe { WATCHED.get() }.as_mut();
        if let Some((reference, key)) = watched.and_then(|all| all.remove(&(reference as usize))) {
            // SAFETY: the lock is held, without which nobody counts.
            unsafe { calls::forget(key) };
            // SAFETY: the lock is held; `PyO3` doesn't know, and would put the release off.
            unsafe { ffi::Py_DECREF(reference.into_ptr()) };
        }
    };
    measuring(|| (), forget);
    // SAFETY: the lock is held.
    unsafe { ffi::Py_NewRef(ffi::Py_None()) }
}
