//! What tests do to the driver and read of it. None of these is a call of the driver's: the log and
//! the failures pass them by.
#![allow(missing_docs, clippy::missing_safety_doc)]
// Tests give places of the length that they say.
#![allow(clippy::undocumented_unsafe_blocks, clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::c_int;

use crate::capture::{Capture, INVALIDATED};
use crate::driver::{CONTEXTS, current};
use crate::machine::{
    DEINITIALIZED, FIRST_CONTEXT, Failure, INVALID_HANDLE, SUCCESS, Stream, machine,
};

#[unsafe(no_mangle)]
pub extern "C" fn fake_advance(ns: u64) {
    machine().now_ns += ns;
}

#[unsafe(no_mangle)]
pub extern "C" fn fake_set_devices(count: c_int) {
    machine().devices = count;
}

/// The program uses a device: `cuInit`, its primary context, current on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn fake_use_device(device: c_int) {
    let mut machine = machine();
    machine.initialize();
    machine.active |= 1 << device;
    CONTEXTS.with_borrow_mut(|contexts| {
        contexts.pop();
        contexts.push(FIRST_CONTEXT + device as usize);
    });
}

/// The program initialises the driver and uses no device.
#[unsafe(no_mangle)]
pub extern "C" fn fake_initialize() {
    machine().initialize();
}

/// A stream of the context that is current.
#[unsafe(no_mangle)]
pub extern "C" fn fake_stream() -> usize {
    let mut machine = machine();
    let handle = machine.handle();
    let stream = Stream {
        context: current(),
        ..Stream::default()
    };
    machine.streams.insert(handle, stream);
    handle
}

/// The program destroys a stream: its handle means nothing any more.
#[unsafe(no_mangle)]
pub extern "C" fn fake_destroy_stream(stream: usize) {
    machine().streams.remove(&stream);
}

/// Logs no call from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fake_log_nothing() {
    machine().is_silent = true;
}

/// The device's time.
#[unsafe(no_mangle)]
pub extern "C" fn fake_now() -> u64 {
    machine().now_ns
}

/// Enqueues a kernel that runs so long.
#[unsafe(no_mangle)]
pub extern "C" fn fake_work(stream: usize, ns: u64) {
    let mut machine = machine();
    let now = machine.now_ns;
    if let Ok(stream) = machine.stream(stream, current())
        // What is captured runs when its graph is replayed.
        && stream.capture.is_none()
    {
        stream.ready_at_ns = stream.ready_at_ns.max(now) + ns;
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fake_begin_capture(stream: usize, mode: c_int) -> c_int {
    let mut machine = machine();
    let Ok(stream) = machine.stream(stream, current()) else {
        return INVALID_HANDLE;
    };
    stream.capture = Some(Capture {
        mode,
        thread: std::thread::current().id(),
        is_lost: false,
    });
    SUCCESS
}

/// Ends a capture: `INVALIDATED` if somebody broke it.
#[unsafe(no_mangle)]
pub extern "C" fn fake_end_capture(stream: usize) -> c_int {
    let mut machine = machine();
    let capture = machine.stream(stream, current());
    match capture.ok().and_then(|stream| stream.capture.take()) {
        Some(capture) if !capture.is_lost => SUCCESS,
        Some(_) => INVALIDATED,
        None => INVALID_HANDLE,
    }
}

/// The n-th call from now on fails; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn fake_fail_once(n: u64, code: c_int) {
    machine().failure = match n {
        0 => Failure::None,
        n => Failure::Once(n, code),
    };
}

/// Every n-th call fails.
#[unsafe(no_mangle)]
pub extern "C" fn fake_fail_every(n: u64, code: c_int) {
    machine().failure = Failure::Every(n, 0, code);
}

/// All calls fail from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fake_fail_from_now(code: c_int) {
    machine().failure = Failure::From(code);
}

/// The driver shuts down when the program exits, before what registered with the C library earlier runs.
#[unsafe(no_mangle)]
pub extern "C" fn fake_shut_down_at_exit() {
    unsafe extern "C" {
        fn atexit(run: extern "C" fn()) -> c_int;
    }
    extern "C" fn shut_down() {
        machine().failure = Failure::From(DEINITIALIZED);
    }
    unsafe { atexit(shut_down) };
}

/// How often the driver was asked whether the device got to an event.
#[unsafe(no_mangle)]
pub extern "C" fn fake_queries() -> u64 {
    machine().queries
}

/// The device is reset: no event is known any more.
#[unsafe(no_mangle)]
pub extern "C" fn fake_reset_device() {
    machine().events.clear();
}

/// Most events that there ever were at once.
#[unsafe(no_mangle)]
pub extern "C" fn fake_most_events() -> usize {
    machine().most_events
}

/// Copies the names of the calls since the last time, a line each; 0 and nothing taken where the
/// place is too small.
#[unsafe(no_mangle)]
pub extern "C" fn fake_take_log(place: *mut u8, length: usize) -> usize {
    let mut machine = machine();
    let text = machine.log.join("\n");
    if text.len() > length {
        return 0;
    }
    unsafe { text.as_ptr().copy_to(place, text.len()) };
    machine.log.clear();
    text.len()
}
