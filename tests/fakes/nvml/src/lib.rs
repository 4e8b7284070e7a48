//! A management library of two NVIDIA devices that are not there: what Laptime calls of
//! `libnvidia-ml.so.1`, for tests only. `devices` says which there are, `readings` what they tell, by a
//! `script` that the test writes through `control`. The devices are those of the fake driver, in reverse
//! order, as numbers of the two libraries need not agree: the UUID tells which is which.
#![allow(missing_docs, non_snake_case)]
// The places to write to are the caller's, as the library's manual has it.
#![allow(clippy::undocumented_unsafe_blocks, clippy::not_unsafe_ptr_arg_deref)]

mod control;
mod devices;
mod readings;
mod script;

/// A result of the library.
pub type Code = i32;

pub const SUCCESS: Code = 0;
pub const UNINITIALIZED: Code = 1;
pub const INVALID_ARGUMENT: Code = 2;
pub const NOT_SUPPORTED: Code = 3;
pub const NOT_FOUND: Code = 6;
pub const INSUFFICIENT_SIZE: Code = 7;
pub const LOST: Code = 15;
