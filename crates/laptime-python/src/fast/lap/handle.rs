//! The object that `lt.lap("x")` returns, in memory: a name's site and, if it was given, its work.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::null_mut;

use laptime_core::SpanWork;
use laptime_recorder::Site;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::entry::{measuring, memory_error, raised};
use crate::fast::Locked;

/// A handle's memory.
#[repr(C)]
pub struct Handle {
    head: ffi::PyObject,
    /// What the lap opens.
    pub site: &'static Site,
    /// The name as given, a `str`.
    pub name: *mut ffi::PyObject,
    /// Last duration in ticks, for sites that no table remembers.
    pub last: Cell<u64>,
}

/// The memory of a handle with work.
#[repr(C)]
pub struct Worked {
    handle: Handle,
    /// A [`SpanWork`], not aligned: an object of Python's lies where 8 divides its address.
    work: [u8; size_of::<SpanWork>()],
}

/// The types of handles: the base of all, and that of those with work.
pub struct Types {
    /// Shared by handles whose names came too late for a type of their own.
    pub base: *mut ffi::PyTypeObject,
    /// Below it, for handles with work.
    pub worked: *mut ffi::PyTypeObject,
    /// Below it, for the handle that records nothing.
    pub idle: *mut ffi::PyTypeObject,
}

/// Made with the module, before any handle, and never freed.
pub static TYPES: Locked<Types> = Locked::new(Types {
    base: null_mut(),
    worked: null_mut(),
    idle: null_mut(),
});

/// Reads a handle.
///
/// # Safety
/// `object` is an instance of the base type or of a type below it.
#[inline]
pub unsafe fn handle<'a>(object: *mut ffi::PyObject) -> &'a Handle {
    // SAFETY: the caller's promise.
    unsafe { &*object.cast::<Handle>() }
}

/// Whether an object is a handle.
///
/// # Safety
/// `object` is a live object, and the lock is held.
pub unsafe fn is_handle(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's promise, and a type that stays.
    unsafe { ffi::PyObject_TypeCheck(object, TYPES.get().base) as c_int != 0 }
}

/// The site of a lap; `None` for any other object.
pub fn site_of(object: &Bound<'_, PyAny>) -> Option<&'static Site> {
    // SAFETY: a live object, with the lock held; then it is a handle.
    unsafe { is_handle(object.as_ptr()).then(|| handle(object.as_ptr()).site) }
}

/// The work that a handle was made with; `None` where it was given none.
///
/// # Safety
/// `this` is a handle and the lock is held.
pub unsafe fn own_work(this: *mut ffi::PyObject) -> Option<SpanWork> {
    // SAFETY: the caller's promise.
    unsafe { (TYPES.get().worked == ffi::Py_TYPE(this)).then(|| work(this)) }
}

/// The work of a handle with work.
///
/// # Safety
/// `this` is an instance of that type.
#[inline]
pub unsafe fn work(this: *mut ffi::PyObject) -> SpanWork {
    // SAFETY: the caller's promise, so it has that size, and the work was written with it.
    unsafe {
        let work = &raw const (*this.cast::<Worked>()).work;
        work.cast::<SpanWork>().read_unaligned()
    }
}

/// A new handle of a type whose instances are at least as large as one.
///
/// # Safety
/// `kind` is such a type, `name` is a `str`, and the lock is held.
pub unsafe fn instance(
    python: Python<'_>,
    kind: *mut ffi::PyTypeObject,
    name: *mut ffi::PyObject,
    site: &'static Site,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: a type made here, so instances have the size of a handle.
    unsafe {
        let object = ffi::PyType_GenericAlloc(kind, 0);
        if object.is_null() {
            return Err(raised(python));
        }
        let handle = object.cast::<Handle>();
        (&raw mut (*handle).site).write(site);
        // A subclass of `str` may hold anything, the handle too: only its text is kept.
        (&raw mut (*handle).name).write(ffi::PyUnicode_FromObject(name));
        if (*handle).name.is_null() {
            ffi::Py_DECREF(object);
            return Err(raised(python));
        }
        (&raw mut (*handle).last).write(Cell::new(u64::MAX));
        Ok(object)
    }
}

/// A handle with work, as a new reference.
///
/// # Safety
/// `name` is a `str` and the lock is held.
pub unsafe fn worked(
    python: Python<'_>,
    name: *mut ffi::PyObject,
    site: &'static Site,
    work: SpanWork,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller's promise; instances of that type have the size of `Worked`.
    unsafe {
        let object = instance(python, TYPES.get().worked, name, site)?;
        let place = &raw mut (*object.cast::<Worked>()).work;
        place.cast::<SpanWork>().write_unaligned(work);
        Ok(object)
    }
}

/// Hands an error to the interpreter. Where there is no memory for its text, it is a `MemoryError`.
pub fn raise(python: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    measuring(
        || memory_error(python).restore(python),
        || error.restore(python),
    );
    null_mut()
}
