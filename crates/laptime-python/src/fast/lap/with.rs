//! What a `with` of a lap calls: `__enter__`, `__exit__`, and their asynchronous twins.

use std::sync::Arc;

use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, Site};
use pyo3::exceptions::PyStopIteration;
use pyo3::ffi;
use pyo3::prelude::*;

use super::handle::{handle, raise, work};
use crate::entry::{answered, measuring_lap};
use crate::fast::{none, span, thread};
use crate::jax::launches;
use crate::steps;

/// `__enter__`: arguments are ignored, since `ExitStack` passes the handle once more. `LOOKS`: what its lap
/// launches is looked at.
pub unsafe extern "C" fn enter<const LOOKS: bool>(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with a handle, bound or as `self`.
    unsafe {
        let site = handle(this).site;
        if LOOKS {
            measuring_lap(|| None, || launches::open(site));
        } else {
            measuring_lap(|| None, || span::open(site));
        }
        ffi::Py_NewRef(this)
    }
}

/// `__exit__`: swallows no exception. `TELLS`: somebody may listen to its lap's end.
pub unsafe extern "C" fn exit<const LOOKS: bool, const TELLS: bool>(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        let handle = handle(this);
        let step = if TELLS { closing(handle.site) } else { None };
        let ticks = if LOOKS {
            measuring_lap(|| None, || launches::close(handle.site))
        } else {
            measuring_lap(|| None, || span::close(handle.site))
        };
        if let Some(ticks) = ticks
            && handle.site.index() >= thread::MAX_REMEMBERED
        {
            handle.last.set(ticks);
        }
        if let Some(step) = step
            && let Err(error) = tell(&step)
        {
            return raise(Python::assume_attached(), error);
        }
    }
    none()
}

/// The step that the innermost lap of a site is to who listens.
///
/// # Safety
/// The lock is held.
#[cold]
unsafe fn closing(site: &'static Site) -> Option<Arc<str>> {
    let innermost = || span::at(|| recorder::innermost_of(site));
    measuring_lap(|| None, || steps::closing(innermost()?))
}

/// Tells who listens that a step has ended.
///
/// # Safety
/// The lock is held.
#[cold]
unsafe fn tell(step: &str) -> PyResult<()> {
    let tell = || {
        steps::ended(step, false);
        // SAFETY: the caller's promise.
        steps::deliver(unsafe { Python::assume_attached() })
    };
    measuring_lap(|| Ok(()), tell)
}

/// `__aenter__`: opens at once; awaiting it gives the handle. Without memory for that it doesn't open.
pub unsafe extern "C" fn enter_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        let ready = ready(this);
        if !ready.is_null() {
            measuring_lap(|| None, || span::open(handle(this).site));
        }
        ready
    }
}

/// `__aexit__`: closes at once; awaiting it gives `None`.
pub unsafe extern "C" fn exit_async<const TELLS: bool>(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        let site = handle(this).site;
        let step = if TELLS { closing(site) } else { None };
        measuring_lap(|| None, || span::close(site));
        if let Some(step) = step
            && let Err(error) = tell(&step)
        {
            return raise(Python::assume_attached(), error);
        }
        ready(ffi::Py_None())
    }
}

/// `__enter__` of a handle with work: the span is told it.
pub unsafe extern "C" fn enter_worked(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        measuring_lap(|| (), || open_worked(this));
        ffi::Py_NewRef(this)
    }
}

/// `__aenter__` of a handle with work.
pub unsafe extern "C" fn enter_worked_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    unsafe {
        let ready = ready(this);
        if !ready.is_null() {
            measuring_lap(|| (), || open_worked(this));
        }
        ready
    }
}

/// Opens the span and says what it does.
///
/// # Safety
/// `this` is a handle with work, and the lock is held.
unsafe fn open_worked(this: *mut ffi::PyObject) {
    // SAFETY: the caller's promise.
    unsafe {
        let site = handle(this).site;
        let open = if launches::is_on() {
            launches::open(site)
        } else {
            span::open(site)
        };
        if let Some(open) = open {
            span::at(|| recorder::give(open, work(this)));
        }
    }
}

/// `__enter__` of the handle that records nothing.
pub unsafe extern "C" fn enter_idle(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    measuring_lap(none, || unsafe { ffi::Py_NewRef(this) })
}

/// `__exit__` of the handle that records nothing.
pub unsafe extern "C" fn exit_idle(
    _this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    measuring_lap(none, none)
}

/// `__aenter__` of the handle that records nothing.
pub unsafe extern "C" fn enter_idle_async(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    measuring_lap(std::ptr::null_mut, || unsafe { ready(this) })
}

/// `__aexit__` of the handle that records nothing.
pub unsafe extern "C" fn exit_idle_async(
    _this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: as in `enter`.
    measuring_lap(std::ptr::null_mut, || unsafe { ready(ffi::Py_None()) })
}

/// An awaitable that is done.
///
/// # Safety
/// `value` is a live object and the lock is held.
unsafe fn ready(value: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let (python, value) = unsafe {
        let python = Python::assume_attached();
        (python, Bound::from_borrowed_ptr(python, value).unbind())
    };
    match answered(|| Py::new(python, Ready { value })) {
        Ok(ready) => ready.into_ptr(),
        Err(error) => raise(python, error),
    }
}

/// An awaitable whose value is there already.
#[pyclass(frozen, module = "laptime._core")]
struct Ready {
    value: Py<PyAny>,
}

#[guarded]
#[pymethods]
impl Ready {
    fn __await__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, python: Python<'_>) -> PyResult<Option<()>> {
        Err(PyStopIteration::new_err((self.value.clone_ref(python),)))
    }
}
