//! What tests do to the library and read of it. None of these is a call of the library's.

use std::ffi::{c_int, c_uint};

use crate::script::with;

/// What a device tells, call by call; devices are numbered as the fake driver does.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_series(
    device: c_uint,
    reading: c_uint,
    values: *const u64,
    length: usize,
) {
    let values = unsafe { std::slice::from_raw_parts(values, length) }.to_vec();
    with(|script| script.series.insert((device as usize, reading), values));
}

/// All calls for a number of a device fail from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_fail(device: c_uint, reading: c_uint, code: c_int) {
    with(|script| script.failing.insert((device as usize, reading), code));
}

/// Every n-th call fails; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_fail_every(n: u64, code: c_int) {
    with(|script| script.every = (n > 0).then_some((n, code)));
}

/// A device falls off the bus.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_lose(device: c_uint) {
    with(|script| script.lost.push(device as usize));
}

/// A device is split: it has an instance of MIG.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_split(device: c_uint) {
    with(|script| script.split.push(device as usize));
}

/// Processes are listed by numbers that they don't have themselves, as in a container.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_contain() {
    with(|script| script.is_contained = true);
}

/// Calls never return from now on, as where a driver waits for a device that is gone.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_get_stuck() {
    with(|script| script.is_stuck = true);
}

/// How often a device was asked for a number.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_made(device: c_uint, reading: c_uint) -> usize {
    with(|script| script.made(device as usize, reading))
}

/// How often the library was called.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_calls() -> u64 {
    with(|script| script.calls)
}

/// How often it was started, less how often it was shut down.
#[unsafe(no_mangle)]
pub extern "C" fn fake_nvml_started() -> u64 {
    with(|script| script.starts - script.ends)
}
