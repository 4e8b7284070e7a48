//! The guard around every way from Python into the extension.
//!
//! A panic is a mistake of ours: it ends the recording with one warning, and the program goes on.
//! What the program gets then depends on why it came: whoever measures gets an answer that
//! changes nothing ([`measuring`]), whoever asks for figures gets an ordinary error ([`asked`]).
//! A destructor has nothing to answer and uses [`laptime_recorder::guard`] as it is.

use laptime_recorder::guard;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::errors::LaptimeError;

/// Runs `body`, which measures; after a panic `instead` says what the program gets.
///
/// The interpreter lock is held. **Cost** none, unless it panics.
#[inline]
pub fn measuring<T>(instead: impl FnOnce() -> T, body: impl FnOnce() -> T) -> T {
    guard(None, || Some(body())).unwrap_or_else(|| {
        // SAFETY: the lock is held. What was raised on the way is no error of the program's.
        unsafe { ffi::PyErr_Clear() };
        instead()
    })
}

/// Runs with no exception set, and sets the one that was there again. The interpreter lock is held.
pub fn keeping_error<T>(run: impl FnOnce() -> T) -> T {
    // SAFETY: the lock is held.
    let python = unsafe { Python::assume_attached() };
    let raised = PyErr::take(python);
    let done = run();
    // What was raised on the way is no error of the program's.
    drop(PyErr::take(python));
    if let Some(raised) = raised {
        raised.restore(python);
    }
    done
}

/// Runs `body`, which answers a question of the program's; a panic becomes an error.
pub fn asked<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    if laptime_recorder::is_unknown_child() {
        return Err(LaptimeError::new_err(
            "this process was made by _Fork or clone, which run no fork handlers: nothing is measured here; use os.fork()",
        ));
    }
    measuring(|| Err(mistake()), body)
}

/// The error of a question that could not be answered.
pub fn mistake() -> PyErr {
    LaptimeError::new_err(
        "a mistake of Laptime itself: this could not be answered, and recording has stopped",
    )
}
