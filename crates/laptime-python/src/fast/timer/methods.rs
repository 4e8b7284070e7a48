//! What Python calls of a timer and its contexts: `start`, `stop` and `stop_and_start`.
//!
//! Raw FFI, so that a call converts nothing. Also what the methods with torchtimer's names
//! (`torchtimer.rs`) do once they know which context and which segment is meant.

use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;

use super::context::Context;
use super::start_stop::Stopped;
use crate::entry::measuring_lap;
use crate::fast::{methods, none};

/// An object that has a context: a timer has its main one.
pub trait HasContext: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    /// The context.
    fn context(&self) -> &Context;
}

/// The context of `self`.
///
/// # Safety
/// `this` is an instance of `T` that outlives the reference, and the lock is held.
unsafe fn context<'a, T: HasContext>(this: *mut ffi::PyObject) -> &'a Context {
    // SAFETY: the caller's promise.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), this);
        let context: *const Context = object.cast_unchecked::<T>().get().context();
        &*context
    }
}

/// What a method does: [`START`], [`STOP`], or both.
pub type What = u8;
/// Starts a segment.
pub const START: What = 0;
/// Stops a segment.
pub const STOP: What = 1;
/// Stops one segment and starts another.
pub const STOP_AND_START: What = 2;

unsafe extern "C" fn method<T: HasContext, const WHAT: What>(
    this: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter as a method of `T`, with `count` arguments behind `self`.
    measuring_lap(none, || unsafe {
        let arguments = std::slice::from_raw_parts(arguments, count as usize);
        let message = match (WHAT, arguments) {
            (START, [name]) => return start(context::<T>(this), *name),
            (STOP, [name]) => return stop(context::<T>(this), *name),
            (STOP_AND_START, [one, other]) => {
                return stop_and_start(context::<T>(this), *one, *other);
            }
            (STOP_AND_START, _) => c"expected the segment to stop and the segment to start",
            _ => c"expected one argument, the segment's name",
        };
        ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
        null_mut()
    })
}

/// `start`, unless nothing is measured; `None`, or null with a Python error set.
#[inline]
pub fn start(context: &Context, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if context.measures() && !context.start(given) {
        return null_mut();
    }
    none()
}

/// `stop`, unless nothing is measured: the duration, `None`, or null with a Python error set.
#[inline]
pub unsafe fn stop(context: &Context, given: *mut ffi::PyObject) -> *mut ffi::PyObject {
    if !context.measures() {
        return none();
    }
    match context.stop(given) {
        // SAFETY: the lock is held.
        Ok(Some(Stopped::Ns(ns))) => unsafe { ffi::PyFloat_FromDouble(ns as f64 / 1e9) },
        Ok(Some(Stopped::Later(elapsed))) => elapsed.into_ptr(),
        Ok(None) => {
            // SAFETY: a live object, with the lock held.
            unsafe { warn_not_started(given) };
            none()
        }
        Err(()) => null_mut(),
    }
}

/// Tells the log that a segment was stopped that was not started.
unsafe fn warn_not_started(given: *mut ffi::PyObject) {
    // SAFETY: the caller's promise.
    let (python, given) = unsafe {
        let python = Python::assume_attached();
        (python, Bound::from_borrowed_ptr(python, given))
    };
    let warned = python
        .import("logging")
        .and_then(|logging| logging.call_method1("getLogger", ("laptime",)))
        .and_then(|log| {
            let message = "segment %r was stopped but not started: nothing is measured";
            log.call_method1("warning", (message, given))
        });
    // A timer never raises into the program because of its log.
    drop(warned);
}

/// Stops the one, starts the other, and gives the duration of the first.
///
/// # Safety
/// Live objects, with the lock held.
pub unsafe fn stop_and_start(
    context: &Context,
    one: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; what is not handed on is released.
    unsafe {
        let elapsed = stop(context, one);
        if elapsed.is_null() {
            return elapsed;
        }
        let started = start(context, other);
        if started.is_null() {
            ffi::Py_DECREF(elapsed);
            return started;
        }
        ffi::Py_DECREF(started);
        elapsed
    }
}

/// Puts the three methods into the class; their definitions live as long as the process.
pub fn add_methods<T: HasContext>(python: Python<'_>) -> PyResult<()> {
    let table: [(&'static std::ffi::CStr, ffi::PyCFunctionFast, &'static std::ffi::CStr); 3] = [
        (c"start", method::<T, START>, c"start($self, name, /)\n--\n\nStarts a segment."),
        (
            c"stop",
            method::<T, STOP>,
            c"stop($self, name, /)\n--\n\nStops a segment and returns its seconds; None when disabled or not started.",
        ),
        (
            c"stop_and_start",
            method::<T, STOP_AND_START>,
            c"stop_and_start($self, stop, start, /)\n--\n\nStops one segment, starts another, and returns the seconds of the first.",
        ),
    ];
    let class = python.get_type::<T>();
    for (name, function, doc) in table {
        let function = ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        };
        methods::add(&class, name, function, ffi::METH_FASTCALL, doc)?;
    }
    Ok(())
}
