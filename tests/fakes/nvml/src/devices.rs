//! Which devices there are: starting and ending the library, and finding devices by number and UUID.

use std::ffi::{CStr, c_char, c_int, c_uint};

use crate::script::with;
use crate::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_FOUND, SUCCESS};

/// Devices; their handles are 1 and up, those of their instances so much higher.
const DEVICES: usize = 2;
const INSTANCES: usize = 100;

fn write(text: &str, place: *mut c_char, length: c_uint) -> Result<(), Code> {
    if text.len() >= length as usize {
        return Err(INSUFFICIENT_SIZE);
    }
    unsafe {
        text.as_ptr().copy_to(place.cast(), text.len());
        *place.add(text.len()) = 0;
    }
    Ok(())
}

/// Of a handle: the device's number in the fake driver, and whether it is an instance of it.
pub fn number(handle: usize) -> Option<(usize, bool)> {
    let is_instance = handle > INSTANCES;
    let device = if is_instance {
        handle - INSTANCES
    } else {
        handle
    };
    (1..=DEVICES)
        .contains(&device)
        .then(|| (DEVICES - device, is_instance))
}

fn handle(number: usize, is_instance: bool) -> usize {
    let device = DEVICES - number;
    if is_instance {
        device + INSTANCES
    } else {
        device
    }
}

fn uuid(number: usize, is_instance: bool) -> String {
    if is_instance {
        return format!("MIG-abababab-abab-abab-abab-ababababab{number:02x}");
    }
    format!("GPU-fafafafa-fafa-fafa-fafa-fafafafafa{number:02x}")
}

/// One call that is noted, and fails if the test asked for it.
pub fn called(name: &'static str, work: impl FnOnce() -> Result<(), Code>) -> c_int {
    let result = with(|script| script.call(name));
    while with(|script| script.is_stuck) {
        std::thread::yield_now();
    }
    let result = result.and_then(|()| work());
    result.err().unwrap_or(SUCCESS)
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> c_int {
    called("nvmlInit_v2", || {
        with(|script| script.starts += 1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> c_int {
    called("nvmlShutdown", || {
        with(|script| script.ends += 1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlSystemGetDriverVersion(place: *mut c_char, length: c_uint) -> c_int {
    called("nvmlSystemGetDriverVersion", || {
        write("580.95.05", place, length)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> c_int {
    called("nvmlDeviceGetCount_v2", || {
        unsafe { *count = DEVICES as c_uint };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut usize) -> c_int {
    called("nvmlDeviceGetHandleByIndex_v2", || {
        if index as usize >= DEVICES {
            return Err(INVALID_ARGUMENT);
        }
        unsafe { *device = index as usize + 1 };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetHandleByUUID(text: *const c_char, device: *mut usize) -> c_int {
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    called("nvmlDeviceGetHandleByUUID", || {
        let split = with(|script| script.split.clone());
        let whole = (0..DEVICES).map(|number| (number, false));
        let instances = split.into_iter().map(|number| (number, true));
        let found = whole
            .chain(instances)
            .find(|(number, is_instance)| uuid(*number, *is_instance) == text);
        let (number, is_instance) = found.ok_or(NOT_FOUND)?;
        with(|script| script.device(handle(number, false)))?;
        unsafe { *device = handle(number, is_instance) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle(
    instance: usize,
    device: *mut usize,
) -> c_int {
    called("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", || {
        let (number, _) = with(|script| script.device(instance))?;
        unsafe { *device = handle(number, false) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetName(device: usize, place: *mut c_char, length: c_uint) -> c_int {
    called("nvmlDeviceGetName", || {
        let (number, is_instance) = with(|script| script.device(device))?;
        let part = if is_instance { " MIG 1g.10gb" } else { "" };
        write(&format!("Fake GPU {number}{part}"), place, length)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetUUID(device: usize, place: *mut c_char, length: c_uint) -> c_int {
    called("nvmlDeviceGetUUID", || {
        let (number, is_instance) = with(|script| script.device(device))?;
        write(&uuid(number, is_instance), place, length)
    })
}
