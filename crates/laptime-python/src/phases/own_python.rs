//! Laptime's own Python, which nobody but Laptime is to see.
//!
//! A tracer or a profiler of the program's would find frames that aren't the program's, and
//! `torch.compile`, which looks at every frame that runs inside what it compiles, would compile
//! them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::entry::{memory_error, was_used_up};
use crate::fast::Locked;

unsafe extern "C" {
    fn laptime_hide();
    fn laptime_show();
}

/// What switches the looking at frames of this thread's: it takes what is to look at them, or
/// None, and returns what did.
static COMPILES: Locked<Option<Py<PyAny>>> = Locked::new(None);

/// Says how `torch.compile` is kept away.
pub fn compiles_by(set_eval_frame: Bound<'_, PyAny>) {
    // SAFETY: the lock is held, and the old one is dropped when nothing is borrowed any more.
    let old = unsafe { COMPILES.get() }.replace(set_eval_frame.unbind());
    drop(old);
}

/// Hides what runs, until it is dropped.
pub struct Hidden<'py> {
    python: Python<'py>,
    /// What looks at the frames of the program that runs here: it is inside of what is compiled.
    compiling: Option<Bound<'py, PyAny>>,
}

impl<'py> Hidden<'py> {
    /// Hides what runs from here on.
    pub fn new(python: Python<'py>) -> Self {
        // SAFETY: the lock is held.
        unsafe { laptime_hide() };
        let none = python.None().into_bound(python);
        let compiling = set(none).filter(|looks| !looks.is_none());
        Self { python, compiling }
    }

    /// Whether the program is inside of something that `torch.compile` compiles.
    pub fn is_compiling(&self) -> bool {
        self.compiling.is_some()
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        if let Some(looks) = self.compiling.take() {
            let raised = PyErr::take(self.python);
            set(looks);
            if let Some(raised) = raised {
                raised.restore(self.python);
            }
        }
        // SAFETY: the lock is held, on the thread that made it.
        unsafe { laptime_show() };
    }
}

/// Asks a function of Laptime's own, hidden, whether something is so.
pub fn answers<'py>(
    python: Python<'py>,
    question: &Py<PyAny>,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<bool> {
    let _hidden = Hidden::new(python);
    question.bind(python).call1(arguments)?.is_truthy()
}

/// Lets `looks` look at frames from here on. None: nothing does, or could be kept from it.
fn set(looks: Bound<'_, PyAny>) -> Option<Bound<'_, PyAny>> {
    let python = looks.py();
    // SAFETY: the lock is held, and the reference ends here.
    let switch = unsafe { COMPILES.get() }.as_ref()?.clone_ref(python);
    switch.into_bound(python).call1((looks,)).ok()
}

/// Runs what is Laptime's own: a panic is trouble of Laptime's, never of the program's. The lock is held.
pub fn guarded<R>(body: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|panic| Err(failed(panic, "automatic phases panicked")))
}

/// What a panic comes to: there is no memory left, or a mistake. The lock is held.
pub fn failed(panic: Box<dyn Any + Send>, mistake: &'static str) -> PyErr {
    // Dropping it runs foreign code, which may panic again.
    std::mem::forget(panic);
    if was_used_up() {
        // SAFETY: the caller's promise.
        memory_error(unsafe { Python::assume_attached() })
    } else {
        PyRuntimeError::new_err(mistake)
    }
}
