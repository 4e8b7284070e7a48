//! What Python calls a thread.
//!
//! Asked once for each thread, at its first span, of the `threading` module that the program imported.
//! The module's list is read as it stands: `threading.current_thread()` would add an entry for a
//! thread that isn't on it.

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::name::Text;

/// Python's name for the thread that every process begins with. Readers say "main thread".
const MAIN: &str = "MainThread";

/// The calling thread's name, if it has one of its own.
pub fn of_caller(python: Python<'_>) -> Option<String> {
    let modules = python.import(intern!(python, "sys")).ok()?;
    let modules = modules.getattr(intern!(python, "modules")).ok()?;
    let modules = modules.cast_into::<PyDict>().ok()?;
    let threading = modules.get_item(intern!(python, "threading")).ok()??;
    let active = threading.getattr(intern!(python, "_active")).ok()?;
    // SAFETY: asks the system, or a variable of this thread.
    let ident = unsafe { ffi::PyThread_get_thread_ident() };
    let thread = active.cast_into::<PyDict>().ok()?.get_item(ident).ok()??;
    let name = thread.getattr(intern!(python, "_name")).ok()?;
    let name: Text = name.extract().ok()?;
    (name.0 != MAIN).then_some(name.0)
}
