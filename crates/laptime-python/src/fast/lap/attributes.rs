//! A handle's attributes: its name, its last duration, and the work of the span that is open.
//!
//! `lap.flop = …` inside a `with` reaches the innermost open span of that name here, whatever its
//! handle.

use std::ffi::{c_int, c_void};

use laptime_core::SpanWork;
use laptime_recorder::{self as recorder, Site};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::handle::{handle, own_work, raise};
use super::work::{KEYWORDS, amount};
use crate::entry::measuring;
use crate::fast::{none, span, thread};
use crate::rate;

/// `repr()`.
pub unsafe extern "C" fn repr(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: a handle; its name is a `str`.
    unsafe { ffi::PyUnicode_FromFormat(c"<lap %R>".as_ptr(), handle(this).name) }
}

/// The name as given.
pub unsafe extern "C" fn name(
    this: *mut ffi::PyObject,
    _closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    unsafe { ffi::Py_NewRef(handle(this).name) }
}

/// The last duration in this task, in nanoseconds.
///
/// # Safety
/// `this` is a handle and the lock is held.
unsafe fn last_ns(this: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the caller's promise.
    let handle = unsafe { handle(this) };
    let index = handle.site.index();
    let last = || {
        let ticks = if index < thread::MAX_REMEMBERED {
            // SAFETY: the caller's promise.
            unsafe { thread::with(|thread| thread.last(index)) }
        } else {
            Some(handle.last.get()).filter(|ticks| *ticks != u64::MAX)
        };
        Some(rate::nanoseconds(ticks?))
    };
    measuring(|| None, last)
}

/// The last duration in this task, in seconds.
pub unsafe extern "C" fn seconds(
    this: *mut ffi::PyObject,
    _closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    match unsafe { last_ns(this) } {
        // SAFETY: the lock is held.
        Some(ns) => unsafe { ffi::PyFloat_FromDouble(ns / 1e9) },
        None => none(),
    }
}

/// The last duration in this task, in whole nanoseconds.
pub unsafe extern "C" fn duration_ns(
    this: *mut ffi::PyObject,
    _closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: a handle.
    match unsafe { last_ns(this) } {
        // SAFETY: the lock is held.
        Some(ns) => unsafe { ffi::PyLong_FromUnsignedLongLong(ns.round() as u64) },
        None => none(),
    }
}

/// Reads `flop` or `bytes`; `closure` is the index of the keyword.
pub unsafe extern "C" fn work(
    this: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with a handle.
    let read = || unsafe {
        let python = Python::assume_attached();
        let site = handle(this).site;
        let open = span::at(|| recorder::innermost_of(site).map(recorder::given));
        let own = own_work(this);
        let SpanWork { flop, bytes } = own.unwrap_or_default().or_later(open.unwrap_or_default());
        let amount = [flop, bytes][closure.addr()];
        match amount.into_pyobject(python) {
            Ok(number) => number.into_ptr(),
            Err(error) => raise(python, error.into()),
        }
    };
    measuring(none, read)
}

/// Sets `flop` or `bytes` of the span that is open.
pub unsafe extern "C" fn set_work(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    // SAFETY: called by the interpreter with a handle and a value, or null to delete it.
    let (python, result) = unsafe {
        let python = Python::assume_attached();
        let value = Bound::from_borrowed_ptr_or_opt(python, value);
        let said = || say(handle(this).site, KEYWORDS[closure.addr()], value);
        (python, measuring(|| Ok(()), said))
    };
    match result {
        Ok(()) => 0,
        Err(error) => {
            raise(python, error);
            -1
        }
    }
}

fn say(site: &Site, what: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<()> {
    let value = value.ok_or_else(|| {
        PyAttributeError::new_err(format!("{what} of a lap is set, and never deleted"))
    })?;
    let amount = amount(what, &value)?;
    let said = |keyword| amount.filter(|_| what == keyword);
    let [flop, bytes] = KEYWORDS.map(said);
    let work = SpanWork { flop, bytes };
    let given = span::at(|| recorder::innermost_of(site).map(|open| recorder::give(open, work)));
    if given == Some(true) || !recorder::is_on() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "the lap {:?} is not open here: set its {what} inside its `with`",
        site.name()
    )))
}
