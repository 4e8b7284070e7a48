//! What makes a lap's handle a value: equality, hash, and how it is copied and pickled.
//!
//! Programs copy what they keep: a model that holds a handle is deep-copied, pickled and sent to
//! other processes. A handle stands for a name (and work, if it was given some), so it is taken
//! apart into the call of `lt.lap` that gives it. In the same process that is, for the names that
//! have a handle of their own, the very same object; any other one is equal to it.

use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::ffi;
use pyo3::prelude::*;

use super::handle::{handle, is_handle, own_work, raise};
use super::work;
use crate::entry::{answered, measuring};
use crate::interned::intern;

/// `__reduce__`: `lap, (name,)`.
pub unsafe extern "C" fn reduce(
    this: *mut ffi::PyObject,
    _arguments: *mut *mut ffi::PyObject,
    _count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter with a handle.
    let python = unsafe { Python::assume_attached() };
    match answered(|| parts(python, this)) {
        Ok(parts) => parts.into_ptr(),
        Err(error) => raise(python, error),
    }
}

/// How it is made again.
fn parts(python: Python<'_>, this: *mut ffi::PyObject) -> PyResult<Bound<'_, PyAny>> {
    let core = python.import(intern!(python, "laptime._core"))?;
    let mut lap = core.getattr(intern!(python, "lap"))?;
    // SAFETY: a handle, whose name is a `str`, with the lock held.
    let (name, work) = unsafe {
        let name = Bound::from_borrowed_ptr(python, handle(this).name);
        (name, own_work(this))
    };
    if let Some(work) = work {
        let partial = python.import("functools")?.getattr("partial")?;
        lap = partial.call((lap,), Some(&work::keywords(python, work)?))?;
    }
    Ok((lap, (name,)).into_pyobject(python)?.into_any())
}

/// What two equal handles have in common.
///
/// # Safety
/// `this` is a handle and the lock is held.
unsafe fn value(this: *mut ffi::PyObject) -> (u32, [Option<u128>; 2]) {
    // SAFETY: the caller's promise.
    let (site, work) = unsafe { (handle(this).site, own_work(this)) };
    let work = work.unwrap_or_default();
    (site.index(), [work.flop, work.bytes])
}

/// `==` and `!=`; a handle has no order.
pub unsafe extern "C" fn compare(
    this: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    let compared = || {
        // SAFETY: called by the interpreter with a handle and any object.
        let equal = unsafe { is_handle(other).then(|| value(this) == value(other))? };
        match operation {
            ffi::Py_EQ => Some(equal),
            ffi::Py_NE => Some(!equal),
            _ => None,
        }
    };
    // SAFETY: objects that live as long as the interpreter.
    unsafe {
        ffi::Py_NewRef(match measuring(|| None, compared) {
            Some(true) => ffi::Py_True(),
            Some(false) => ffi::Py_False(),
            None => ffi::Py_NotImplemented(),
        })
    }
}

/// `hash()`, which is the same for equal handles.
pub unsafe extern "C" fn hash(this: *mut ffi::PyObject) -> ffi::Py_hash_t {
    let hashed = || {
        let mut hasher = DefaultHasher::new();
        // SAFETY: called by the interpreter with a handle.
        unsafe { value(this) }.hash(&mut hasher);
        // −1 stands for an error.
        (hasher.finish() >> 1) as ffi::Py_hash_t
    };
    measuring(|| 0, hashed)
}
