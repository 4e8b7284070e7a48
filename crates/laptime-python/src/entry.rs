//! The guard around every way from Python into the extension.
//!
//! A panic is a mistake of ours: it ends the recording with one warning, and the program goes on.
//! What the program gets then depends on why it came: whoever measures gets an answer that
//! changes nothing ([`measuring`]), whoever asks for figures gets an ordinary error ([`asked`]).
//! An object that could not be made because the memory is used up is no mistake: the bindings panic, but
//! the recording goes on, and who asked gets a `MemoryError`. `#[guarded]` puts [`answered`] or its like around
//! every function that the bindings expose.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use laptime_recorder::has_room;
use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, ffi};

use crate::errors::LaptimeError;

unsafe extern "C" {
    fn laptime_memory_was_used_up() -> c_int;
    fn laptime_make_no_text() -> c_int;
    fn laptime_guards(change: c_int);
}

/// What became of a body that was guarded.
enum Done<T> {
    Well(T),
    /// The memory was used up; nothing is raised.
    UsedUp,
    /// A mistake of ours, which is told; nothing is raised.
    Wrong,
}

/// Runs `body`. Nothing that it raised stays raised if it panics.
///
/// The interpreter lock is held. **Cost** none, unless it panics.
#[inline]
fn done<T>(body: impl FnOnce() -> T) -> Done<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(done) => Done::Well(done),
        Err(panic) => {
            // SAFETY: the lock is held. What was raised on the way is no error of the program's.
            unsafe { ffi::PyErr_Clear() };
            if was_used_up() {
                // Dropping it runs foreign code, which may panic again.
                std::mem::forget(panic);
                return Done::UsedUp;
            }
            laptime_recorder::guard((), || resume_unwind(panic));
            Done::Wrong
        }
    }
}

/// The same where texts are made: one that can't be made ends `body` here, and nothing stands for it.
///
/// **Cost** 4 ns.
fn done_in_words<T>(body: impl FnOnce() -> T) -> Done<T> {
    // SAFETY: plain calls of the shim's, of which each first has its second: nothing unwinds out of `done`.
    unsafe {
        laptime_guards(1);
        let done = done(body);
        laptime_guards(-1);
        done
    }
}

/// Runs `body`, which measures; after a panic `instead` says what the program gets.
///
/// The interpreter lock is held. **Cost** 4 ns.
pub fn measuring<T>(instead: impl FnOnce() -> T, body: impl FnOnce() -> T) -> T {
    match done_in_words(body) {
        Done::Well(done) => done,
        Done::UsedUp | Done::Wrong => instead(),
    }
}

/// The same for what makes no text: laps and segments.
///
/// **Cost** none, unless it panics.
#[inline]
pub fn measuring_lap<T>(instead: impl FnOnce() -> T, body: impl FnOnce() -> T) -> T {
    match done(body) {
        Done::Well(done) => done,
        Done::UsedUp | Done::Wrong => instead(),
    }
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

/// Runs `body`, which answers a question of the program's about what was measured.
///
/// **Errors** where nothing is measured, because the process was made behind the interpreter's back.
pub fn asked<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    if laptime_recorder::is_unknown_child() {
        return Err(LaptimeError::new_err(
            "this process was made by _Fork or clone, which run no fork handlers: nothing is measured here; use os.fork()",
        ));
    }
    answered(body)
}

/// The same where the answer takes memory: `bytes` more than [`ROOM`] can be had before it is begun.
///
/// **Errors** `MemoryError`, where the libraries that make the answer would abort.
pub fn asked_at_length<T>(bytes: usize, body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    asked(|| {
        if !has_room(ROOM.saturating_add(bytes)) {
            // SAFETY: the lock is held.
            return Err(memory_error(unsafe { Python::assume_attached() }));
        }
        body()
    })
}

/// Bytes that any report takes.
const ROOM: usize = 8 << 20;

/// Runs `body` and raises in it what it fails with; a panic becomes an error.
///
/// The interpreter lock is held.
pub fn answered<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // SAFETY: the lock is held.
    let python = unsafe { Python::assume_attached() };
    let raising = || {
        body().map_err(|error| {
            // Made here, where a text that could not be made is caught.
            error.restore(python);
            raised(python)
        })
    };
    match done_in_words(raising) {
        Done::Well(answer) => answer,
        Done::UsedUp => Err(memory_error(python)),
        Done::Wrong => {
            let made = done(|| {
                mistake().restore(python);
                raised(python)
            });
            Err(match made {
                Done::Well(error) => error,
                Done::UsedUp | Done::Wrong => memory_error(python),
            })
        }
    }
}

/// The same, and makes the object that is the answer.
pub fn answered_object<'py, T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<Py<PyAny>>
where
    T: IntoPyObject<'py>,
{
    answered(|| object(body()?))
}

/// The same of an iterator, which may have no more.
pub fn answered_next<'py, T>(
    body: impl FnOnce() -> PyResult<Option<T>>,
) -> PyResult<Option<Py<PyAny>>>
where
    T: IntoPyObject<'py>,
{
    answered(|| body()?.map(object).transpose())
}

fn object<'py, T: IntoPyObject<'py>>(answer: T) -> PyResult<Py<PyAny>> {
    // SAFETY: called in a guard, with the lock held.
    let python: Python<'py> = unsafe { Python::assume_attached() };
    answer.into_py_any(python)
}

/// What was raised. Where a call failed and raised nothing, the interpreter had no memory for that.
pub fn raised(python: Python<'_>) -> PyErr {
    PyErr::take(python).unwrap_or_else(|| memory_error(python))
}

/// Whether this thread's last panic came of an object that could not be made. Only the first to ask is told.
pub fn was_used_up() -> bool {
    // SAFETY: a plain call of the shim's.
    unsafe { laptime_memory_was_used_up() != 0 }
}

/// Makes what stands for the text of an error where there is no memory for one.
pub fn make_no_text(python: Python<'_>) -> PyResult<()> {
    // SAFETY: the lock is held.
    match unsafe { laptime_make_no_text() } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(python)),
    }
}

/// The interpreter has a few of these in store.
pub fn memory_error(python: Python<'_>) -> PyErr {
    // SAFETY: the lock is held, and the call raises.
    unsafe { ffi::PyErr_NoMemory() };
    PyErr::fetch(python)
}

/// The error of a question that could not be answered.
pub fn mistake() -> PyErr {
    LaptimeError::new_err(
        "a mistake of Laptime itself: this could not be answered, and recording has stopped",
    )
}
