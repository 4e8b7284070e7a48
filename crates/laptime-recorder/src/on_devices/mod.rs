//! What devices tell of spans, written as records beside them: their [`times`] and their [`memory`].
//!
//! This stands between the stacks and the drivers: [`crate::device`] and [`crate::device_memory`] know
//! nothing of threads and records.

pub mod memory;
pub mod times;

use std::ffi::OsStr;

use crate::device::{self, table};
use crate::fork;
use crate::state::{self, More};

/// Times spans on the device from now on, once the program uses one.
///
/// Spans have to name their streams: see [`device::here`].
pub fn turn_on() {
    turn_on_with(table::LIBRARY.as_ref());
}

/// As [`turn_on`], by the driver in this library, which the program has loaded.
pub fn turn_on_with(library: &OsStr) {
    fork::install();
    device::turn_on_with(library);
    state::set(More::DeviceTime, device::is_on());
}

/// Times no more. What was begun can still be ended and read.
pub fn turn_off() {
    device::turn_off();
    state::set(More::DeviceTime, device::is_on());
}
