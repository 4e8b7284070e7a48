//! What a signal's handler of the program's raises while Laptime is at work.
//!
//! The interpreter runs handlers between two steps of whatever runs, which may be Python of
//! Laptime's. What a handler raises there, because a time is up or somebody wants an exit, is
//! meant for the program: it goes on its way, and is no failure of Laptime's.

use std::ffi::{c_int, c_void};

use laptime_python_macros::guarded;
use laptime_recorder::guard;
use pyo3::exceptions::{PyBaseException, PyException, PyKeyboardInterrupt};
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyTraceback, PyTuple};

use crate::interned::intern;

/// Whether a handler raised what came out of Laptime's own code. Then the traceback shows what the
/// handler did, and nothing of what it interrupted.
#[must_use]
pub fn raised(python: Python<'_>, error: &PyErr) -> bool {
    raised_in(python, error, true)
}

/// Whether a handler raised what came out of code that may run the program's own, whose errors are no
/// handler's.
#[must_use]
pub fn raised_amid(python: Python<'_>, error: &PyErr) -> bool {
    raised_in(python, error, false)
}

/// Whether a handler raised what came out of code that is `own`, or runs the program's, which has
/// errors of its own.
fn raised_in(python: Python<'_>, error: &PyErr, own: bool) -> bool {
    if error.is_instance_of::<PanicException>(python) {
        return false;
    }
    let traceback = error.traceback(python);
    let from_handler = traceback.and_then(|first| part_of_handler(first).ok().flatten());
    // The interpreter's own handler of interrupts has no frame, nor has what another thread raises.
    let is = from_handler.is_some()
        || !error.is_instance_of::<PyException>(python)
        || (own && is_of_the_program(error.value(python)).unwrap_or(false));
    if is {
        set_traceback(error.value(python), from_handler.as_ref());
        error.set_traceback(python, from_handler);
    }
    is
}

/// Raises in the main thread, which runs handlers, what one raised where nothing can be raised: soon after,
/// between two steps of the program's. What another thread was to raise is lost.
pub fn raise_later(python: Python<'_>, error: PyErr) {
    extern "C" fn raise(error: *mut c_void) -> c_int {
        guard(0, || {
            // SAFETY: pending calls are made with the lock held, and this one owns the object.
            unsafe {
                let error = error.cast::<ffi::PyObject>();
                ffi::PyErr_SetObject(ffi::Py_TYPE(error).cast(), error);
                ffi::Py_DECREF(error);
            }
            -1
        })
    }
    // SAFETY: plain calls.
    if unsafe { libc::gettid() != libc::getpid() } {
        return;
    }
    let error = error.into_value(python).into_ptr();
    // SAFETY: the lock is held, and the call owns the object from here on, unless there is no room for it.
    unsafe {
        if ffi::Py_AddPendingCall(Some(raise), error.cast()) != 0 {
            ffi::Py_DECREF(error);
        }
    }
}

/// Lets go of what a handler interrupted, also where its error was replaced by another's.
///
/// A traceback keeps frames, and these keep context managers that were cut short: they would undo
/// what they did only when the program forgets the error, which is too late. So the frames are
/// emptied; the traceback stays. What the program itself raises is left alone.
pub fn forget_interrupted(python: Python<'_>, error: &PyErr) {
    let mut next = Some(error.clone_ref(python));
    for _ in 0..MOST_ERRORS {
        let Some(error) = next else {
            break;
        };
        for frame in interrupted(python, &error).unwrap_or_default().iter().rev() {
            let _ = frame.call_method0(intern!(python, "clear"));
            // Before Python 3.13 a frame that was asked for its variables has them twice: the
            // second time they are those that are left.
            let _ = frame.getattr(intern!(python, "f_locals"));
        }
        let before = error.value(python).getattr(intern!(python, "__context__"));
        next = before
            .ok()
            .filter(|it| !it.is_none())
            .map(PyErr::from_value);
    }
}

/// The frames that a handler interrupted with this error, outermost first; none if none did.
fn interrupted<'py>(python: Python<'py>, error: &PyErr) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Some(first) = error.traceback(python) else {
        return Ok(Vec::new());
    };
    let handler = part_of_handler(first.clone())?;
    // The interpreter's own handler of interrupts has no frame.
    if handler.is_none() && !error.is_instance_of::<PyKeyboardInterrupt>(python) {
        return Ok(Vec::new());
    }
    let mut entry = first.into_any();
    let mut frames = Vec::new();
    while !entry.is_none() && !handler.as_ref().is_some_and(|it| it.is(&entry)) {
        frames.push(entry.getattr(intern!(python, "tb_frame"))?);
        entry = entry.getattr(intern!(python, "tb_next"))?;
    }
    if let Some(handler) = handler {
        // Of a function that was interrupted as it began the traceback may have nothing.
        let frame = handler.getattr(intern!(python, "tb_frame"))?;
        frames.push(frame.getattr(intern!(python, "f_back"))?);
    }
    Ok(frames)
}

/// Errors may be made to go round in a circle.
const MOST_ERRORS: usize = 100;

/// Gives an error another traceback. Not as an attribute, of which its class may make what it likes.
pub fn set_traceback(
    error: &Bound<'_, PyBaseException>,
    traceback: Option<&Bound<'_, PyTraceback>>,
) {
    let none = error.py().None();
    let left = traceback.map_or(none.as_ptr(), Bound::as_ptr);
    // SAFETY: the lock is held and both are alive. The one failure is of what is no traceback.
    unsafe { ffi::PyException_SetTraceback(error.as_ptr(), left) };
}

/// Where what Laptime calls comes from; its errors are no signs of the program's will.
const CALLED: [&str; 5] = ["builtins", "laptime", "torch", "numpy", "sympy"];

/// Whether a class of errors is the program's own: nothing that Laptime calls raises it.
fn is_of_the_program(error: &Bound<'_, PyBaseException>) -> PyResult<bool> {
    let python = error.py();
    let module: String = error
        .get_type()
        .getattr(intern!(python, "__module__"))?
        .extract()?;
    let root = module.split('.').next().unwrap_or_default();
    let standard = python
        .import(intern!(python, "sys"))?
        .getattr(intern!(python, "stdlib_module_names"))?;
    Ok(root == "__main__" || !(CALLED.contains(&root) || standard.contains(root)?))
}

/// The part of a traceback that begins with a handler: what the interpreter called with a number
/// and the frame that it interrupted.
fn part_of_handler(first: Bound<'_, PyTraceback>) -> PyResult<Option<Bound<'_, PyTraceback>>> {
    let python = first.py();
    let mut entry = first.into_any();
    while !entry.is_none() {
        let frame = entry.getattr(intern!(python, "tb_frame"))?;
        if is_handler(&frame)? {
            return Ok(Some(entry.cast_into()?));
        }
        entry = entry.getattr(intern!(python, "tb_next"))?;
    }
    Ok(None)
}

fn is_handler(frame: &Bound<'_, PyAny>) -> PyResult<bool> {
    let python = frame.py();
    let interrupted = frame.getattr(intern!(python, "f_back"))?;
    if interrupted.is_none() {
        return Ok(false);
    }
    let code = frame.getattr(intern!(python, "f_code"))?;
    if is_registered(&code)? {
        return Ok(true); // it may have forgotten what it was called with
    }
    let count: usize = code.getattr(intern!(python, "co_argcount"))?.extract()?;
    let locals = frame.getattr(intern!(python, "f_locals"))?;
    // The arguments come first, and one that takes all there are right behind them.
    let names = code.getattr(intern!(python, "co_varnames"))?;
    for name in names.try_iter()?.take(count + 1) {
        let Ok(value) = locals.get_item(name?) else {
            continue; // it has been deleted
        };
        let is_among = |all: &Bound<'_, PyTuple>| all.iter().any(|one| one.is(&interrupted));
        if value.is(&interrupted) || value.cast::<PyTuple>().is_ok_and(is_among) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether this is the code of a handler that is registered now.
fn is_registered(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let signals = code.py().import(intern!(code.py(), "_signal"))?;
    let count: i32 = signals.getattr(intern!(code.py(), "NSIG"))?.extract()?;
    let get = signals.getattr(intern!(code.py(), "getsignal"))?;
    for number in 1..count {
        let handler = get.call1((number,))?;
        if handler.is_callable() && code_of(handler).is_ok_and(|of| of.is(code)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The code that a call of `handler` runs: of a function, a method, a partial one, an object.
fn code_of(handler: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let python = handler.py();
    let mut callee = handler;
    for inner in [intern!(python, "func"), intern!(python, "__func__")] {
        callee = callee.getattr_opt(inner)?.unwrap_or(callee);
    }
    let code = intern!(python, "__code__");
    match callee.getattr_opt(code)? {
        Some(code) => Ok(code),
        None => callee
            .get_type()
            .getattr(intern!(python, "__call__"))?
            .getattr(code),
    }
}

/// Whether a handler of a signal raised `error`, which is then the program's to see. `own`: it came
/// out of code of Laptime's that runs none of the program's.
#[guarded]
#[pyfunction]
#[pyo3(signature = (error, *, own=true))]
pub fn raised_by_handler(python: Python<'_>, error: Bound<'_, PyAny>, own: bool) -> bool {
    raised_in(python, &PyErr::from_value(error), own)
}
