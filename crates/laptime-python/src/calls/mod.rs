//! Calls of Python's functions and of builtins, counted one by one: what `cProfile` counts.
//!
//! `CPython` tells of calls in two ways: before 3.12 by the profile function of each thread
//! ([`profile`]), from then on by `sys.monitoring` ([`monitor`]). Both end in the recorder's
//! [`calls::enter`] and [`calls::leave`], which know no interpreter.

mod monitor;
mod names;
mod profile;

use laptime_recorder::calls;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::entry::measuring;

/// What readers are told when there are no calls, or fewer than there were.
const UNAVAILABLE: &str = "calls-unavailable";
const REPLACED: &str = "calls-stopped";
const DISORDER: &str = "calls-out-of-order";

/// Counts calls from now on, in all threads. Returns whether it began: false where calls are counted
/// already, or can't be. The recording says why.
#[pyfunction]
pub fn count_calls(python: Python<'_>) -> bool {
    measuring(
        || false,
        || {
            if !calls::start() {
                return false;
            }
            let begun = if monitor::is_there(python) {
                monitor::begin(python)
            } else {
                profile::begin()
            };
            if let Err(why) = &begun {
                // SAFETY: nobody was told to count.
                let _ = unsafe { calls::stop(|_| false) };
                calls::say(UNAVAILABLE, why);
            }
            begun.is_ok()
        },
    )
}

/// Ends the counting and writes what is left.
#[pyfunction]
pub fn leave_calls(python: Python<'_>) {
    measuring(
        || (),
        || {
            if !calls::is_on() {
                return;
            }
            // SAFETY: the interpreter's lock is held, without which nobody enters or leaves.
            let stopped = unsafe { calls::stop(profile::is_counting) };
            if monitor::is_there(python) {
                monitor::end(python);
            } else {
                profile::end();
            }
            names::forget();
            if stopped.was_replaced {
                calls::say(
                    REPLACED,
                    "the program set a profile function of its own, or took ours away: calls of that thread are counted until then",
                );
            }
            if stopped.disorder > 0 {
                calls::say(
                    DISORDER,
                    "functions ended in another order than they began, as with greenlets: times of calls are doubtful",
                );
            }
        },
    );
}

/// The calling thread, as the interpreter knows it.
fn this_thread() -> usize {
    // SAFETY: the lock is held.
    unsafe { ffi::PyThreadState_Get() as usize }
}
