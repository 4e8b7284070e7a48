//! Functions of the driver that a program calls and Laptime must not.
#![allow(missing_docs, non_snake_case, clippy::missing_safety_doc)]
// The places to write to are the caller's, as the driver's manual has it.
#![allow(clippy::undocumented_unsafe_blocks, clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::{c_int, c_uint};

use crate::driver::{called, current};
use crate::machine::{INVALID_CONTEXT, Stream};

/// Makes a stream of the context in use.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreate(stream: *mut usize, _flags: c_uint) -> c_int {
    called("cuStreamCreate", |machine| {
        let context = current();
        if context == 0 {
            return Err(INVALID_CONTEXT);
        }
        let handle = machine.handle();
        let made = Stream {
            context,
            ..Stream::default()
        };
        machine.streams.insert(handle, made);
        unsafe { *stream = handle };
        Ok(())
    })
}
