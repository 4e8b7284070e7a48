//! What both ways of being told of calls ask of the interpreter.

use std::ffi::{CStr, c_int};
use std::ptr::null_mut;

use laptime_core::PathId;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::fast::thread;

/// What readers are told when calls of a thread are missing.
pub const REPLACED: &str = "calls-stopped";

/// A builtin that lives as long as the process.
pub fn builtin<'py>(
    python: Python<'py>,
    name: &'static CStr,
    method: ffi::PyMethodDefPointer,
    flags: c_int,
) -> PyResult<Bound<'py, PyAny>> {
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: method,
        ml_flags: flags,
        ml_doc: null_mut(),
    }));
    // SAFETY: the lock is held, and the definition is never freed.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, null_mut(), null_mut());
        Bound::from_owned_ptr_or_err(python, made)
    }
}

/// The laps that the running task is in.
#[inline]
pub fn path() -> PathId {
    // SAFETY: the lock is held.
    unsafe { thread::path() }
}

/// The calling thread, as the interpreter knows it.
pub fn this_thread() -> usize {
    // SAFETY: the lock is held.
    unsafe { ffi::PyThreadState_Get() as usize }
}
