//! From `CPython` 3.12 on: `sys.monitoring`, under a tool's number that nobody has.
//!
//! Number 2 is the profiler's, under which the program's own `cProfile` goes on. All threads are
//! told of, those that start later too. What is listened to is what `cProfile` listens to.

use std::ffi::CStr;
use std::ptr::null_mut;

use laptime_recorder::calls::{self, FunctionKey, NewFunction};
use pyo3::ffi;
use pyo3::prelude::*;

use super::interpreter::{self, path, this_thread};
use super::names;
use crate::entry::{keeping_error, measuring};
use crate::fast::Locked;

/// Numbers that no kind of tool has by convention, the ones first that are free most often.
const NUMBERS: [u8; 2] = [4, 3];
const BEGINNINGS: [&str; 3] = ["PY_START", "PY_RESUME", "PY_THROW"];
const ENDS: [&str; 3] = ["PY_RETURN", "PY_YIELD", "PY_UNWIND"];
const BUILTIN_BEGINS: [&str; 1] = ["CALL"];
const BUILTIN_ENDS: [&str; 2] = ["C_RETURN", "C_RAISE"];

type Callback = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *mut *mut ffi::PyObject,
    ffi::Py_ssize_t,
) -> *mut ffi::PyObject;

/// What is called at which events.
const CALLBACKS: [(&CStr, Callback, &[&str]); 4] = [
    (c"laptime_begins", on_begin, &BEGINNINGS),
    (c"laptime_ends", on_end, &ENDS),
    (c"laptime_builtin_begins", on_builtin, &BUILTIN_BEGINS),
    (c"laptime_builtin_ends", on_builtin_end, &BUILTIN_ENDS),
];

/// Our tool's number, and what stands for an argument that there is none of.
static TOOL: Locked<Option<(u8, Py<PyAny>)>> = Locked::new(None);
static MISSING: Locked<usize> = Locked::new(0);

/// Whether this interpreter has it.
pub fn is_there(python: Python<'_>) -> bool {
    python.version_info() >= (3, 12)
}

/// Has the interpreter call us. **Errors** with why it can't.
pub fn begin(python: Python<'_>) -> Result<(), String> {
    super::profile::find_builtins(python);
    keeping_error(|| listen(python)).map_err(|error| {
        end(python);
        error.to_string()
    })
}

fn listen(python: Python<'_>) -> PyResult<()> {
    let monitoring = python.import("sys")?.getattr("monitoring")?;
    let mut tool = None;
    for number in NUMBERS {
        if monitoring.call_method1("get_tool", (number,))?.is_none() {
            monitoring.call_method1("use_tool_id", (number, "laptime"))?;
            tool = Some(number);
            break;
        }
    }
    let Some(number) = tool else {
        return Err(pyo3::exceptions::PyRuntimeError::new_err(
            "calls are not counted: other tools have the numbers 3 and 4 of sys.monitoring",
        ));
    };
    let missing = monitoring.getattr("MISSING")?;
    // SAFETY: the lock is held, and nothing else is borrowed.
    unsafe {
        *MISSING.get() = missing.as_ptr() as usize;
        *TOOL.get() = Some((number, missing.unbind()));
    }
    let events = monitoring.getattr("events")?;
    let mut all = 0_u32;
    for (name, callback, of) in CALLBACKS {
        let method = ffi::PyMethodDefPointer {
            PyCFunctionFast: callback,
        };
        let callback = interpreter::builtin(python, name, method, ffi::METH_FASTCALL)?;
        for event in of {
            let event: u32 = events.getattr(*event)?.extract()?;
            monitoring.call_method1("register_callback", (number, event, &callback))?;
            all |= event;
        }
    }
    monitoring.call_method1("set_events", (number, all))?;
    Ok(())
}

/// Has it call us no more.
pub fn end(python: Python<'_>) {
    // SAFETY: the lock is held, and nothing else is borrowed.
    let Some((number, _missing)) = (unsafe { TOOL.get() }).take() else {
        return;
    };
    let left = keeping_error(|| -> PyResult<()> {
        let monitoring = python.import("sys")?.getattr("monitoring")?;
        monitoring.call_method1("set_events", (number, 0))?;
        let events = monitoring.getattr("events")?;
        for (_, _, of) in CALLBACKS {
            for event in of {
                let event = events.getattr(*event)?;
                monitoring.call_method1("register_callback", (number, event, python.None()))?;
            }
        }
        monitoring.call_method1("free_tool_id", (number,))?;
        Ok(())
    });
    // Where the program freed the number itself there is nothing left to do.
    drop(left);
}

/// What every callback answers.
fn none() -> *mut ffi::PyObject {
    // SAFETY: the lock is held.
    unsafe { ffi::Py_NewRef(ffi::Py_None()) }
}

/// Runs what counts, if the arguments are those of the event.
fn counting(
    count: ffi::Py_ssize_t,
    least: ffi::Py_ssize_t,
    run: impl FnOnce(),
) -> *mut ffi::PyObject {
    if count >= least && calls::is_on() {
        run();
    }
    none()
}

/// A Python function begins, or a generator goes on: (code, offset, …).
unsafe extern "C" fn on_begin(
    _: *mut ffi::PyObject,
    args: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    measuring(none, || {
        counting(count, 1, || {
            // SAFETY: the interpreter's arguments, with the lock held.
            let code = unsafe { *args };
            let name = || {
                // SAFETY: as above.
                keeping_error(|| unsafe { names::name_code(code) })
            };
            calls::enter(names::of_code(code), path(), this_thread, name);
        })
    })
}

/// It ends, or lets go: (code, offset, …).
unsafe extern "C" fn on_end(
    _: *mut ffi::PyObject,
    args: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    measuring(none, || {
        counting(count, 1, || {
            // SAFETY: the interpreter's arguments, with the lock held.
            calls::leave(names::of_code(unsafe { *args }));
        })
    })
}

/// Something is called: (code, offset, callable, first argument).
unsafe extern "C" fn on_builtin(
    _: *mut ffi::PyObject,
    args: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    measuring(none, || {
        counting(count, 4, || {
            // SAFETY: the interpreter's arguments, with the lock held.
            let (callable, this, key) = unsafe { builtin(args) };
            if let Some(key) = key {
                let name = || -> NewFunction {
                    // SAFETY: as above; it has a key.
                    keeping_error(|| unsafe { names::name_builtin(callable, this) })
                };
                calls::enter(key, path(), this_thread, name);
                // SAFETY: as above.
                unsafe { super::profile::flush_before_exit(callable) };
            }
        })
    })
}

/// A builtin returns or raises: (code, offset, callable, first argument).
unsafe extern "C" fn on_builtin_end(
    _: *mut ffi::PyObject,
    args: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    measuring(none, || {
        counting(count, 4, || {
            // SAFETY: the interpreter's arguments, with the lock held.
            if let (_, _, Some(key)) = unsafe { builtin(args) } {
                calls::leave(key);
            }
        })
    })
}

/// What is called, its first argument or null, and its key if it is a builtin.
///
/// # Safety
/// The lock is held, and there are four arguments.
unsafe fn builtin(
    args: *mut *mut ffi::PyObject,
) -> (*mut ffi::PyObject, *mut ffi::PyObject, Option<FunctionKey>) {
    // SAFETY: the caller's promise.
    unsafe {
        let (callable, mut this) = (*args.add(2), *args.add(3));
        if this as usize == *MISSING.get() {
            this = null_mut();
        }
        (callable, this, names::of_builtin(callable, this))
    }
}
