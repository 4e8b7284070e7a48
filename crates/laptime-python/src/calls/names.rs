//! What functions are known by and called.
//!
//! A code object's address tells a Python function for as long as it lives: see [`ends`]. The address of
//! a builtin's definition tells the builtin. Nothing is kept: programs that compile again and again
//! would grow, and an object whose method was called would live on.

use std::ffi::c_char;

use laptime_recorder::calls::{FunctionKey, NewFunction};
use pyo3::ffi;
use pyo3::prelude::*;

use super::ends;
use crate::fast::Locked;
use crate::file_names;

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

/// Where this package's own Python stands.
static OWN_FOLDER: Locked<String> = Locked::new(String::new());
/// What builtins of this package have in their names.
const OWN_BUILTIN: &str = "laptime._core";

/// Prepares for functions to be named.
pub fn begin(python: Python<'_>) -> PyResult<()> {
    file_names::learn(python);
    let package = python.import("laptime")?;
    let file: String = package.getattr("__file__")?.extract()?;
    let folder = file.trim_end_matches("__init__.py");
    // SAFETY: the lock is held, and nothing else is borrowed.
    folder.clone_into(unsafe { OWN_FOLDER.get() });
    Ok(())
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

/// Names a code object, and watches it.
///
/// # Safety
/// The lock is held, and it is a code object.
pub unsafe fn name_code(code: *mut ffi::PyObject) -> NewFunction {
    // SAFETY: the caller's promise.
    let code = unsafe {
        let python = Python::assume_attached();
        Bound::from_borrowed_ptr(python, code)
    };
    ends::watch(&code);
    // Without an error where it is missing: an error holds the code object.
    let text = |name| -> Option<String> { code.getattr_opt(name).ok()??.extract().ok() };
    let file = text("co_filename").unwrap_or_default();
    // SAFETY: the lock is held, and nothing else is borrowed.
    let own = unsafe { OWN_FOLDER.get() };
    if !own.is_empty() && file.starts_with(own.as_str()) {
        return NewFunction::own();
    }
    // SAFETY: the lock is held, and nothing else is borrowed.
    let file = unsafe { file_names::of_locked(&file) };
    NewFunction {
        name: text("co_qualname")
            .or_else(|| text("co_name"))
            .unwrap_or_default(),
        file,
        line: code
            .getattr("co_firstlineno")
            .and_then(|line| line.extract())
            .unwrap_or(0),
    }
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
    let name: Option<String> = name.and_then(|name| name.extract().ok());
    if name.as_ref().is_some_and(|name| name.contains(OWN_BUILTIN)) {
        return NewFunction::own();
    }
    NewFunction {
        name: name.unwrap_or_else(|| "<built-in method>".to_owned()),
        file: "~".to_owned(),
        line: 0,
    }
}
