//! What functions are known by and called.
//!
//! A code object's address tells a Python function, so it is kept as long as calls are counted.
//! The address of a builtin's definition tells the builtin: nothing is kept for it, or an object
//! whose method was called would live on.

use std::ffi::c_char;

use laptime_recorder::calls::{FunctionKey, NewFunction};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::fast::Locked;

unsafe extern "C" {
    fn laptime_definition(
        callable: *mut ffi::PyObject,
        this: *mut ffi::PyObject,
    ) -> *mut ffi::PyMethodDef;
    fn laptime_definition_name(
        callable: *mut ffi::PyObject,
        this: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// Code objects whose addresses are keys.
static KEPT: Locked<Vec<Py<PyAny>>> = Locked::new(Vec::new());

/// Lets code objects go.
pub fn forget() {
    // SAFETY: the lock is held, and they are dropped when nothing is borrowed any more.
    let kept = std::mem::take(unsafe { KEPT.get() });
    drop(kept);
}

/// The key of a code object.
#[inline]
pub fn of_code(code: *mut ffi::PyObject) -> FunctionKey {
    FunctionKey(code as usize, 0)
}

/// The key of a builtin; `None` for what is none.
///
/// # Safety
/// The lock is held; `callable` is an object, and `this` one or null.
#[inline]
pub unsafe fn of_builtin(
    callable: *mut ffi::PyObject,
    this: *mut ffi::PyObject,
) -> Option<FunctionKey> {
    // SAFETY: the caller's promise.
    let definition = unsafe { laptime_definition(callable, this).as_ref() }?;
    // A definition that was made at run time may give its place to another one, rarely of the same name.
    let name: *const c_char = definition.ml_name;
    Some(FunctionKey(
        std::ptr::from_ref(definition) as usize,
        name as usize,
    ))
}

/// Names a code object and keeps it.
///
/// # Safety
/// The lock is held, and it is a code object.
pub unsafe fn name_code(code: *mut ffi::PyObject) -> NewFunction {
    // SAFETY: the caller's promise.
    let code = unsafe {
        let python = Python::assume_attached();
        Bound::from_borrowed_ptr(python, code)
    };
    let text = |name| -> Option<String> { code.getattr(name).ok()?.extract().ok() };
    let function = NewFunction {
        name: text("co_qualname")
            .or_else(|| text("co_name"))
            .unwrap_or_default(),
        file: text("co_filename").unwrap_or_default(),
        line: code
            .getattr("co_firstlineno")
            .and_then(|line| line.extract())
            .unwrap_or(0),
    };
    // SAFETY: the lock is held, and nothing else is borrowed.
    unsafe { KEPT.get() }.push(code.unbind());
    function
}

/// Names a builtin as `cProfile` does.
///
/// # Safety
/// As for [`of_builtin`], which knew it.
pub unsafe fn name_builtin(callable: *mut ffi::PyObject, this: *mut ffi::PyObject) -> NewFunction {
    // SAFETY: the caller's promise; what comes is new, or null.
    let name = unsafe {
        let python = Python::assume_attached();
        let name = laptime_definition_name(callable, this);
        Bound::from_owned_ptr_or_opt(python, name)
    };
    let name = name.and_then(|name| name.extract().ok());
    NewFunction {
        name: name.unwrap_or_else(|| "<built-in method>".to_owned()),
        file: "~".to_owned(),
        line: 0,
    }
}

/// Runs with no exception set, and sets the one that was there again.
pub fn keeping_error<T>(run: impl FnOnce() -> T) -> T {
    // SAFETY: the lock is held where calls are counted.
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
