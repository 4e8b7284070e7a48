//! What devices tell of spans, written as records beside them: their [`times`] and their [`memory`]; spans
//! that open ([`opening`]), that close ([`closing`]) and that wait for their device ([`waits`]); and the last
//! of it, before the driver shuts down ([`at_exit`]).
//!
//! This stands between the stacks and the drivers: [`crate::device`] and [`crate::device_memory`] know
//! nothing of threads and records.

pub mod at_exit;
pub mod closing;
pub mod memory;
pub mod opening;
pub mod times;
pub mod waits;

use std::ffi::OsStr;
use std::sync::Once;

use crate::device::wishes::{Wish, hold, is_held};
use crate::device::{self, table};
use crate::environment::{self, DeviceTime, Streams};
use crate::fork;
use crate::state::{self, More};
use crate::thread::Thread;

/// What the environment asks for is asked for once.
static ENVIRONMENT: Once = Once::new();

/// Times spans on the device from now on, once the program uses one, as the environment says: it may say
/// that none is timed, that they wait for their device, or that they end at all streams.
///
/// Spans have to name their streams: see [`device::here`].
pub fn turn_on() {
    let wanted = environment::device_time();
    if wanted == DeviceTime::Off {
        return;
    }
    ENVIRONMENT.call_once(|| {
        if wanted == DeviceTime::Sync {
            hold(Wish::Sync);
        }
        if environment::streams() == Streams::All {
            hold(Wish::AllStreams);
        }
    });
    turn_on_with(table::LIBRARY.as_ref());
}

/// As [`turn_on`], by the driver in this library, which the program has loaded.
pub fn turn_on_with(library: &OsStr) {
    fork::install();
    device::turn_on_with(library);
    state::set(More::DeviceTime, device::is_on());
}

/// Times no more. What was begun can still be ended and read; of spans that are open, those of the calling
/// thread.
pub fn turn_off() {
    Thread::with(|thread| thread.stack().carry_timed());
    device::turn_off();
    state::set(More::DeviceTime, device::is_on());
}

/// Whether what was noted of a recording holds for the next one, which is told what was noted before.
pub fn is_still_so(code: &str) -> bool {
    match code {
        waits::SYNCHRONIZED => is_held(Wish::Sync),
        times::STREAMS => is_held(Wish::AllStreams),
        _ => true,
    }
}
