//! What Python's `threading` knows of a thread: its name, and the context that it runs in.
//!
//! Asked once for each thread, at its first span, of the module that the program imported. The
//! module's list is read as it stands: `threading.current_thread()` would add an entry for a thread
//! that isn't on it.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::name::Text;

use crate::interned::intern;

/// Python's name for the thread that every process begins with. Readers say "main thread".
const MAIN: &str = "MainThread";

/// The calling thread as the module has it, if it does.
pub fn of_caller(python: Python<'_>) -> Option<Bound<'_, PyAny>> {
    let modules = python.import(intern!(python, "sys")).ok()?;
    let modules = modules.getattr(intern!(python, "modules")).ok()?;
    let modules = modules.cast_into::<PyDict>().ok()?;
    let threading = modules.get_item(intern!(python, "threading")).ok()??;
    let active = threading.getattr(intern!(python, "_active")).ok()?;
    // SAFETY: asks the system, or a variable of this thread.
    let ident = unsafe { ffi::PyThread_get_thread_ident() };
    active.cast_into::<PyDict>().ok()?.get_item(ident).ok()?
}

/// A thread's name, if it has one of its own.
pub fn name(thread: &Bound<'_, PyAny>) -> Option<String> {
    let name = thread.getattr(intern!(thread.py(), "_name")).ok()?;
    let name: Text = name.extract().ok()?;
    (name.0 != MAIN).then_some(name.0)
}

/// The context that all of a thread runs in, from `CPython` 3.14 on. The thread holds it.
pub fn context<'py>(thread: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if !cfg!(Py_3_14) {
        return None;
    }
    let context = thread.getattr(intern!(thread.py(), "_context")).ok()?;
    // SAFETY: an object, with the lock held.
    let is_context = unsafe { ffi::PyContext_CheckExact(context.as_ptr()) } != 0;
    is_context.then_some(context)
}
