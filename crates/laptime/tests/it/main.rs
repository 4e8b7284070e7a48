//! The Rust face, as programs use it.
//!
//! The recorder is one per process: a test that makes laps runs in a process of its own ([`own_process`]).

#[path = "../../../laptime-recorder/tests/it/own_process.rs"]
mod own_process;

mod attribute;
mod count;
mod laps;
mod memory;
mod recorded;
