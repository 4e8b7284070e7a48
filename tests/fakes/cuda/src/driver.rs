//! The driver's functions that Laptime knows, and two that it must not call.
#![allow(missing_docs, non_snake_case, clippy::missing_safety_doc)]
// The places to write to are the caller's, as the driver's manual has it.
#![allow(clippy::undocumented_unsafe_blocks, clippy::not_unsafe_ptr_arg_deref)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint};

use crate::capture::{self, CAPTURED_EVENT, IMPLICIT, INVALIDATED, MODE};
use crate::machine::{
    Code, Event, FIRST_CONTEXT, INVALID_HANDLE, INVALID_VALUE, Machine, NO_DEVICE, NOT_INITIALIZED,
    NOT_READY, QUANTUM_NS, SUCCESS, machine,
};
use crate::queue;
use crate::visible::Visible;

thread_local! {
    /// Contexts of this thread, the current one last.
    pub static CONTEXTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

pub fn current() -> usize {
    CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0))
}

/// One call: noted, failed if the test asked for it, and refused before `cuInit`.
pub fn called(name: &'static str, work: impl FnOnce(&mut Machine) -> Result<(), Code>) -> c_int {
    let mut machine = machine();
    let result = machine.call(name).and_then(|()| {
        let is_early = !matches!(name, "cuInit" | "cuDriverGetVersion");
        if is_early && !machine.is_initialized {
            return Err(NOT_INITIALIZED);
        }
        work(&mut machine)
    });
    result.err().unwrap_or(SUCCESS)
}

fn device_of(machine: &Machine, device: c_int) -> Result<usize, Code> {
    shown(machine, device).map(|_| device as usize)
}

/// Which one of the machine's a device is.
fn shown(machine: &Machine, device: c_int) -> Result<Visible, Code> {
    let visible = machine.visible();
    visible.get(device as usize).copied().ok_or(INVALID_VALUE)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(_flags: c_uint) -> c_int {
    called("cuInit", |machine| {
        if machine.devices == 0 {
            return Err(NO_DEVICE);
        }
        machine.initialize();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    called("cuDriverGetVersion", |machine| {
        unsafe { *version = machine.version };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    called("cuDeviceGetCount", |machine| {
        unsafe { *count = machine.visible().len() as c_int };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int {
    called("cuDeviceGet", |machine| {
        device_of(machine, ordinal)?;
        unsafe { *device = ordinal };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> c_int {
    called("cuDeviceGetName", |machine| {
        let text = format!("Fake GPU {}\0", shown(machine, device)?.number);
        if text.len() > length as usize {
            return Err(INVALID_VALUE);
        }
        unsafe { text.as_ptr().copy_to(name.cast(), text.len()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) -> c_int {
    called("cuDeviceGetUuid", |machine| {
        let whole = Visible {
            is_instance: false,
            ..shown(machine, device)?
        };
        unsafe { *uuid = whole.uuid() };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) -> c_int {
    called("cuDeviceGetUuid_v2", |machine| {
        unsafe { *uuid = shown(machine, device)?.uuid() };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> c_int {
    called("cuDeviceTotalMem_v2", |machine| {
        unsafe { *bytes = (device_of(machine, device)? + 1) << 34 };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) -> c_int {
    called("cuDeviceGetAttribute", |machine| {
        device_of(machine, device)?;
        let known = match which {
            16 => 132,
            75 => 9,
            76 => 0,
            _ => return Err(INVALID_VALUE),
        };
        unsafe { *value = known };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxGetState(
    device: c_int,
    flags: *mut c_uint,
    active: *mut c_int,
) -> c_int {
    called("cuDevicePrimaryCtxGetState", |machine| {
        let device = device_of(machine, device)?;
        unsafe {
            *flags = 0;
            *active = c_int::from(machine.active & (1 << device) != 0);
        }
        Ok(())
    })
}

/// Makes a context: what a tool that looks on must never do.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) -> c_int {
    called("cuDevicePrimaryCtxRetain", |machine| {
        let device = device_of(machine, device)?;
        machine.active |= 1 << device;
        unsafe { *context = FIRST_CONTEXT + device };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetCurrent(context: *mut usize) -> c_int {
    called("cuCtxGetCurrent", |_| {
        unsafe { *context = current() };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPushCurrent_v2(context: usize) -> c_int {
    called("cuCtxPushCurrent_v2", |_| {
        CONTEXTS.with_borrow_mut(|contexts| contexts.push(context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPopCurrent_v2(context: *mut usize) -> c_int {
    called("cuCtxPopCurrent_v2", |_| {
        let popped = CONTEXTS.with_borrow_mut(Vec::pop);
        unsafe { *context = popped.unwrap_or(0) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx(stream: usize, context: *mut usize) -> c_int {
    called("cuStreamGetCtx", |machine| {
        let found = machine.stream(stream, current())?.context;
        unsafe { *context = found };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamIsCapturing(stream: usize, status: *mut c_int) -> c_int {
    called("cuStreamIsCapturing", |machine| {
        let is_captured = machine.streams.values().any(|one| one.capture.is_some());
        if stream == 0 && is_captured {
            return Err(IMPLICIT);
        }
        let capture = &machine.stream(stream, current())?.capture;
        let found = capture
            .as_ref()
            .map_or(0, |one| 1 + c_int::from(one.is_lost));
        unsafe { *status = found };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery(stream: usize) -> c_int {
    called("cuStreamQuery", |machine| {
        capture::judge(machine)?;
        let now = machine.now_ns;
        let found = machine.stream(stream, current())?;
        if let Some(capture) = &mut found.capture {
            capture.is_lost = true;
            return Err(capture::UNSUPPORTED);
        }
        (found.ready_at_ns <= now).then_some(()).ok_or(NOT_READY)
    })
}

/// Waits for a stream: what a tool does only if it was asked to. Here time jumps.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize(stream: usize) -> c_int {
    called("cuStreamSynchronize", |machine| {
        capture::judge(machine)?;
        let found = machine.stream(stream, current())?;
        if let Some(capture) = &mut found.capture {
            capture.is_lost = true;
            return Err(capture::UNSUPPORTED);
        }
        let ready_at_ns = found.ready_at_ns;
        machine.now_ns = machine.now_ns.max(ready_at_ns);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) -> c_int {
    called("cuThreadExchangeStreamCaptureMode", |_| {
        unsafe { *mode = MODE.replace(*mode) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventCreate(event: *mut usize, _flags: c_uint) -> c_int {
    called("cuEventCreate", |machine| {
        capture::judge(machine)?;
        if current() == 0 {
            return Err(crate::machine::INVALID_CONTEXT);
        }
        let handle = machine.handle();
        let made = Event {
            context: current(),
            at_ns: None,
            is_captured: false,
        };
        machine.events.insert(handle, made);
        machine.most_events = machine.most_events.max(machine.events.len());
        unsafe { *event = handle };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: usize, stream: usize) -> c_int {
    queue::wait_for_room(stream, current());
    called("cuEventRecord", |machine| {
        let now = machine.now_ns;
        let on = machine.stream(stream, current())?;
        let (at, context) = (now.max(on.ready_at_ns), on.context);
        let is_captured = match &on.capture {
            Some(capture) if capture.is_lost => return Err(INVALIDATED),
            capture => capture.is_some(),
        };
        let found = machine.events.get_mut(&event).ok_or(INVALID_HANDLE)?;
        if found.context != context {
            return Err(INVALID_HANDLE);
        }
        (found.at_ns, found.is_captured) = (Some(at), is_captured);
        Ok(())
    })
}

fn is_complete(machine: &Machine, event: usize) -> Result<u64, Code> {
    let found = machine.events.get(&event).ok_or(INVALID_HANDLE)?;
    if found.is_captured {
        return Err(CAPTURED_EVENT);
    }
    let at = found.at_ns.ok_or(INVALID_HANDLE)?;
    (at <= machine.now_ns).then_some(at).ok_or(NOT_READY)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: usize) -> c_int {
    called("cuEventQuery", |machine| {
        machine.queries += 1;
        capture::judge(machine)?;
        is_complete(machine, event).map(|_| ())
    })
}

/// Waits for an event: what a tool that looks on must never do. Here time jumps.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(event: usize) -> c_int {
    called("cuEventSynchronize", |machine| {
        capture::judge(machine)?;
        let found = machine.events.get(&event).ok_or(INVALID_HANDLE)?;
        machine.now_ns = machine.now_ns.max(found.at_ns.unwrap_or(0));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime(ms: *mut f32, start: usize, end: usize) -> c_int {
    called("cuEventElapsedTime", |machine| {
        capture::judge(machine)?;
        machine.queries += 1;
        let stamp = |at: u64| (at / QUANTUM_NS * QUANTUM_NS) as i64;
        let start = stamp(is_complete(machine, start)?);
        let end = stamp(is_complete(machine, end)?);
        unsafe { *ms = ((end - start) as f64 / 1e6) as f32 };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int {
    let text = match code {
        1 => c"CUDA_ERROR_INVALID_VALUE",
        3 => c"CUDA_ERROR_NOT_INITIALIZED",
        4 => c"CUDA_ERROR_DEINITIALIZED",
        100 => c"CUDA_ERROR_NO_DEVICE",
        201 => c"CUDA_ERROR_INVALID_CONTEXT",
        400 => c"CUDA_ERROR_INVALID_HANDLE",
        600 => c"CUDA_ERROR_NOT_READY",
        719 => c"CUDA_ERROR_LAUNCH_FAILED",
        804 => c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        900 => c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        _ => return INVALID_VALUE,
    };
    unsafe { *name = text.as_ptr() };
    SUCCESS
}
