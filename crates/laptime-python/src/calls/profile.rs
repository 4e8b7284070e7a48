//! Before `CPython` 3.12: the profile function of each thread.
//!
//! It is set without an object, so `sys.getprofile()` answers None as before. A thread that starts
//! later gets it from the one that starts it: when `start_new_thread` returns there, the new thread
//! exists and has run nothing, as it lacks the interpreter's lock. A profile function that the
//! program sets takes the place of ours in that thread, for good.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use laptime_recorder::calls;
use pyo3::ffi;
use pyo3::prelude::*;

use super::interpreter::{REPLACED, path, this_thread};
use super::names;
use crate::entry::{keeping_error, measuring};

unsafe extern "C" {
    fn laptime_may_profile() -> c_int;
    fn laptime_profile_all(function: ffi::Py_tracefunc) -> c_int;
    fn laptime_profile_new(function: ffi::Py_tracefunc);
    fn laptime_profile_none(function: ffi::Py_tracefunc);
    fn laptime_profiles(function: ffi::Py_tracefunc, state: *mut ffi::PyThreadState) -> c_int;
}

/// Of what isn't a builtin: no address, and not 0.
const NOWHERE: usize = usize::MAX;

/// Addresses of the C functions behind `_thread.start_new_thread`, `os._exit`, and what `os.exec…`
/// calls; 0 where unknown.
static STARTS_THREAD: AtomicUsize = AtomicUsize::new(0);
static EXITS: AtomicUsize = AtomicUsize::new(0);
static EXECUTES: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Has every thread call us. **Errors** with why it can't.
pub fn begin() -> Result<(), String> {
    // SAFETY: the lock is held.
    let python = unsafe { Python::assume_attached() };
    find_builtins(python);
    // SAFETY: the lock is held.
    if keeping_error(|| unsafe { laptime_may_profile() }) != 0 {
        return Err("the program's audit hook refuses a profile function".to_owned());
    }
    // SAFETY: the lock is held.
    if unsafe { laptime_profile_all(on_event) } > 0 {
        calls::say(
            REPLACED,
            "a thread had a profile function of its own: its calls are not counted",
        );
    }
    Ok(())
}

/// Finds the builtins that are looked out for.
pub fn find_builtins(python: Python<'_>) {
    STARTS_THREAD.store(address(python, "_thread", "start_new_thread"), Relaxed);
    EXITS.store(address(python, "posix", "_exit"), Relaxed);
    for (place, name) in EXECUTES.iter().zip(["execv", "execve"]) {
        place.store(address(python, "posix", name), Relaxed);
    }
}

/// Writes what the calling thread counted, if the builtin that it is about to call may end the process
/// without a word.
///
/// # Safety
/// The lock is held, and it is an object.
pub unsafe fn flush_before_exit(builtin: *mut ffi::PyObject) {
    // SAFETY: the caller's promise.
    let called = unsafe { behind(builtin) };
    let is_sure = called == EXITS.load(Relaxed);
    if is_sure || EXECUTES.iter().any(|one| one.load(Relaxed) == called) {
        calls::flush(is_sure);
    }
}

/// Has no thread call us any more.
pub fn end() {
    // SAFETY: the lock is held.
    unsafe { laptime_profile_none(on_event) };
}

/// Whether a thread calls us still.
pub fn is_counting(thread: usize) -> bool {
    // SAFETY: the lock is held; the thread is looked for, not followed.
    unsafe { laptime_profiles(on_event, thread as *mut ffi::PyThreadState) != 0 }
}

/// The C function behind a builtin.
fn address(python: Python<'_>, module: &str, name: &str) -> usize {
    let found = keeping_error(|| python.import(module)?.getattr(name));
    // SAFETY: the lock is held, and it is checked to be a builtin.
    found.map_or(0, |builtin| unsafe { behind(builtin.as_ptr()) })
}

/// # Safety
/// The lock is held, and it is an object.
#[inline]
unsafe fn behind(builtin: *mut ffi::PyObject) -> usize {
    // SAFETY: the caller's promise, and its type is checked.
    unsafe {
        if ffi::PyCFunction_Check(builtin) == 0 {
            return NOWHERE;
        }
        let function = ffi::PyCFunction_GetFunction(builtin);
        function.map_or(NOWHERE, |function| function as usize)
    }
}

/// What `CPython` calls when a function begins or ends. Never an error of the program's.
unsafe extern "C" fn on_event(
    _: *mut ffi::PyObject,
    frame: *mut ffi::PyFrameObject,
    what: c_int,
    arg: *mut ffi::PyObject,
) -> c_int {
    if calls::is_on() {
        // SAFETY: called by the interpreter, with the lock held.
        measuring(|| (), || unsafe { take(frame, what, arg) });
    }
    0
}

/// # Safety
/// As the interpreter calls a profile function.
#[inline]
unsafe fn take(frame: *mut ffi::PyFrameObject, what: c_int, arg: *mut ffi::PyObject) {
    // SAFETY: the caller's promise: the frame has a code, which it keeps alive; the argument of a
    // builtin's events is the builtin.
    unsafe {
        match what {
            ffi::PyTrace_CALL | ffi::PyTrace_RETURN => {
                let code: *mut ffi::PyObject = ffi::PyFrame_GetCode(frame).cast();
                let key = names::of_code(code);
                if what == ffi::PyTrace_CALL {
                    let name = || keeping_error(|| names::name_code(code));
                    calls::enter(key, path(), this_thread, name);
                } else {
                    calls::leave(key);
                }
                ffi::Py_DECREF(code);
            }
            ffi::PyTrace_C_CALL => {
                let none = std::ptr::null_mut();
                if let Some(key) = names::of_builtin(arg, none) {
                    let name = || keeping_error(|| names::name_builtin(arg, none));
                    calls::enter(key, path(), this_thread, name);
                    flush_before_exit(arg);
                }
            }
            ffi::PyTrace_C_RETURN | ffi::PyTrace_C_EXCEPTION => {
                if let Some(key) = names::of_builtin(arg, std::ptr::null_mut()) {
                    calls::leave(key);
                    if behind(arg) == STARTS_THREAD.load(Relaxed) {
                        laptime_profile_new(on_event);
                    }
                }
            }
            _ => {}
        }
    }
}
