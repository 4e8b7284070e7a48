//! What devices tell of themselves, by the script.

use std::ffi::{c_int, c_uint, c_ulonglong};

use crate::devices::called;
use crate::script::{
    CLOCK, CLOCK_LIMITS, ENERGY, MEMORY, MEMORY_CLOCK, MEMORY_UTILIZATION, POWER, PROCESS_MEMORY,
    TEMPERATURE, UTILIZATION, with,
};
use crate::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_SUPPORTED};

/// Numbers of clocks, as the library's header has them.
const OF_PROCESSORS: c_uint = 1;
const OF_MEMORY: c_uint = 2;
/// Memory of a whole device.
const ALL_BYTES: u64 = 16 << 30;
/// What a process is called where the library's numbers are those of another namespace.
const ELSEWHERE: c_uint = 4_000_000_000;

#[repr(C)]
pub struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

#[repr(C)]
pub struct Memory {
    version: c_uint,
    total: c_ulonglong,
    reserved: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

#[repr(C)]
pub struct Process {
    pid: c_uint,
    used: c_ulonglong,
    instance: c_uint,
    compute_instance: c_uint,
}

/// What a device tells; of an instance only what it has by itself.
fn told(device: usize, reading: u32, of_instance: bool) -> Result<u64, Code> {
    with(|script| {
        let (number, is_instance) = script.device(device)?;
        if is_instance && !of_instance {
            return Err(NOT_SUPPORTED);
        }
        script.tell(number, reading)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetUtilizationRates(device: usize, place: *mut Utilization) -> c_int {
    called("nvmlDeviceGetUtilizationRates", || {
        let gpu = told(device, UTILIZATION, false)? as c_uint;
        let memory = told(device, MEMORY_UTILIZATION, false)? as c_uint;
        unsafe { place.write(Utilization { gpu, memory }) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: usize, place: *mut Memory) -> c_int {
    called("nvmlDeviceGetMemoryInfo_v2", || {
        let used = told(device, MEMORY, true)?;
        let version = unsafe { (*place).version };
        if version as usize != size_of::<Memory>() | 2 << 24 {
            return Err(INVALID_ARGUMENT);
        }
        let memory = Memory {
            version,
            total: ALL_BYTES,
            reserved: 0,
            free: ALL_BYTES.saturating_sub(used),
            used,
        };
        unsafe { place.write(memory) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: usize,
    count: *mut c_uint,
    place: *mut Process,
) -> c_int {
    called("nvmlDeviceGetComputeRunningProcesses_v3", || {
        if unsafe { *count } == 0 {
            unsafe { *count = 1 };
            return Err(INSUFFICIENT_SIZE);
        }
        let used = told(device, PROCESS_MEMORY, true)?;
        let is_contained = with(|script| script.is_contained);
        let process = Process {
            pid: if is_contained {
                ELSEWHERE
            } else {
                std::process::id()
            },
            used,
            instance: 0,
            compute_instance: 0,
        };
        unsafe {
            *count = 1;
            place.write(process);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetPowerUsage(device: usize, place: *mut c_uint) -> c_int {
    called("nvmlDeviceGetPowerUsage", || {
        unsafe { *place = told(device, POWER, false)? as c_uint };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetTotalEnergyConsumption(
    device: usize,
    place: *mut c_ulonglong,
) -> c_int {
    called("nvmlDeviceGetTotalEnergyConsumption", || {
        unsafe { *place = told(device, ENERGY, false)? };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetClockInfo(
    device: usize,
    which: c_uint,
    place: *mut c_uint,
) -> c_int {
    called("nvmlDeviceGetClockInfo", || {
        let reading = match which {
            OF_PROCESSORS => CLOCK,
            OF_MEMORY => MEMORY_CLOCK,
            _ => return Err(INVALID_ARGUMENT),
        };
        unsafe { *place = told(device, reading, false)? as c_uint };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetTemperature(
    device: usize,
    _sensor: c_uint,
    place: *mut c_uint,
) -> c_int {
    called("nvmlDeviceGetTemperature", || {
        unsafe { *place = told(device, TEMPERATURE, false)? as c_uint };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    device: usize,
    place: *mut c_ulonglong,
) -> c_int {
    called("nvmlDeviceGetCurrentClocksThrottleReasons", || {
        unsafe { *place = told(device, CLOCK_LIMITS, false)? };
        Ok(())
    })
}
