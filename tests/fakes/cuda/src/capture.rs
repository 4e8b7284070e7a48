//! Stream capture, as far as a look from outside can break it.
//!
//! A call that is "potentially unsafe" (asking an event, making one) is judged by the mode of the
//! thread that makes it, which is global unless it was exchanged: in global mode any capture of
//! global mode forbids it, whichever thread captures. The call fails, and the capture is lost.

use std::cell::Cell;
use std::thread::ThreadId;

use crate::machine::{Code, Machine};

pub const GLOBAL: i32 = 0;
pub const THREAD_LOCAL: i32 = 1;
pub const RELAXED: i32 = 2;

pub const UNSUPPORTED: Code = 900;
pub const INVALIDATED: Code = 901;
pub const IMPLICIT: Code = 906;
pub const CAPTURED_EVENT: Code = 907;

thread_local! {
    /// The mode of this thread.
    pub static MODE: Cell<i32> = const { Cell::new(GLOBAL) };
}

/// A capture that began on a stream.
#[derive(Debug)]
pub struct Capture {
    pub mode: i32,
    pub thread: ThreadId,
    pub is_lost: bool,
}

impl Capture {
    fn forbids(&self, mode: i32) -> bool {
        let is_ours = self.thread == std::thread::current().id();
        match mode {
            RELAXED => false,
            THREAD_LOCAL => is_ours && self.mode != RELAXED,
            _ => self.mode == GLOBAL || (is_ours && self.mode == THREAD_LOCAL),
        }
    }
}

/// Judges an unsafe call of this thread.
pub fn judge(machine: &mut Machine) -> Result<(), Code> {
    let mode = MODE.get();
    let mut result = Ok(());
    for stream in machine.streams.values_mut() {
        if let Some(capture) = &mut stream.capture
            && capture.forbids(mode)
        {
            capture.is_lost = true;
            result = Err(UNSUPPORTED);
        }
    }
    result
}
