//! Ends a process before what libraries put off to its end, where that never ends.
//!
//! A framework's profiler joins a thread of its own there, which a forked child doesn't have. The
//! child would wait for it forever, having done all that it is for.

use crate::guard::guard;
use crate::recording;

/// Has this process end at the beginning of what C does at its end, with the code that it ends with.
///
/// Its recording is closed and C's streams are written out. What is put off to the end from here on is
/// still done. Does nothing where the C library has no `on_exit`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn end_early() {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        /// What `exit` does of C's streams: it waits for nobody who reads one, and puts back what was read ahead.
        fn fcloseall() -> c_int;
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    extern "C" fn end(code: c_int, _: *mut c_void) {
        guard((), recording::close);
        // SAFETY: nothing runs after the end.
        unsafe {
            fcloseall();
            libc::_exit(code);
        }
    }
    // SAFETY: a plain function that may run at any time, and no argument.
    unsafe { on_exit(end, std::ptr::null_mut()) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn end_early() {}
