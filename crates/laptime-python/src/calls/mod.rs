//! Calls of Python's functions and of builtins, counted one by one: what `cProfile` counts.
//!
//! `CPython` tells of calls in two ways: before 3.12 by the profile function of each thread
//! ([`profile`]), from then on by `sys.monitoring` ([`monitor`]). Both end in the recorder's
//! [`calls::enter`] and [`calls::leave`], which know no interpreter.

mod ends;
mod interpreter;
mod monitor;
mod names;
mod profile;

use laptime_python_macros::guarded;
use laptime_recorder::calls;
use pyo3::prelude::*;

use self::interpreter::REPLACED;
use crate::entry::{keeping_error, measuring};

/// What readers are told when there are no calls, or fewer than there were.
const UNAVAILABLE: &str = "calls-unavailable";
const DISORDER: &str = "calls-out-of-order";
const FULL: &str = "calls-of-too-many-functions";

/// Counts calls from now on, in all threads. Returns whether it began: false where calls are counted
/// already, or can't be. The recording says why.
#[guarded]
#[pyfunction]
pub fn count_calls(python: Python<'_>) -> bool {
    measuring(
        || false,
        || {
            if !calls::start() {
                return false;
            }
            let named = keeping_error(|| names::begin(python).and_then(|()| ends::begin(python)));
            let begun = match named {
                Err(error) => Err(error.to_string()),
                Ok(()) if monitor::is_there(python) => monitor::begin(python),
                Ok(()) => profile::begin(),
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
#[guarded]
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
            ends::end();
            if stopped.was_replaced {
                calls::say(
                    REPLACED,
                    "the program set a profile function of its own, or took ours away: calls of that thread are counted until then",
                );
            }
            if stopped.is_full {
                calls::say(
                    FULL,
                    "the program called more than 65,536 different functions: calls of the rest are counted together, as <other functions>",
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
