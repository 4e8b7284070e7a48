//! A management library of two NVIDIA devices that are not there: what Laptime calls of
//! `libnvidia-ml.so.1`, for tests only. The devices are those of the fake driver, in reverse order, as
//! numbers of the two libraries need not agree: the UUID tells which is which.
#![allow(missing_docs, non_snake_case)]
// The places to write to are the caller's, as the library's manual has it.
#![allow(clippy::undocumented_unsafe_blocks, clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::{CStr, c_char, c_int, c_uint};

const SUCCESS: c_int = 0;
const INVALID_ARGUMENT: c_int = 2;
const NOT_FOUND: c_int = 6;
const INSUFFICIENT_SIZE: c_int = 7;

/// Devices; their handles are 1 and up.
const DEVICES: usize = 2;

fn write(text: &str, place: *mut c_char, length: c_uint) -> c_int {
    if text.len() >= length as usize {
        return INSUFFICIENT_SIZE;
    }
    unsafe {
        text.as_ptr().copy_to(place.cast(), text.len());
        *place.add(text.len()) = 0;
    }
    SUCCESS
}

/// The number of a device in the fake driver.
fn number(device: usize) -> Option<usize> {
    (1..=DEVICES).contains(&device).then(|| DEVICES - device)
}

fn uuid(number: usize) -> String {
    format!("GPU-fafafafa-fafa-fafa-fafa-fafafafafa{number:02x}")
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlSystemGetDriverVersion(place: *mut c_char, length: c_uint) -> c_int {
    write("580.95.05", place, length)
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> c_int {
    unsafe { *count = DEVICES as c_uint };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut usize) -> c_int {
    if index as usize >= DEVICES {
        return INVALID_ARGUMENT;
    }
    unsafe { *device = index as usize + 1 };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetHandleByUUID(text: *const c_char, device: *mut usize) -> c_int {
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let found = (1..=DEVICES).find(|device| number(*device).is_some_and(|one| uuid(one) == text));
    match found {
        Some(found) => {
            unsafe { *device = found };
            SUCCESS
        }
        None => NOT_FOUND,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetName(device: usize, place: *mut c_char, length: c_uint) -> c_int {
    match number(device) {
        Some(number) => write(&format!("Fake GPU {number}"), place, length),
        None => INVALID_ARGUMENT,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetUUID(device: usize, place: *mut c_char, length: c_uint) -> c_int {
    match number(device) {
        Some(number) => write(&uuid(number), place, length),
        None => INVALID_ARGUMENT,
    }
}
