//! Tables, one kind a file: each takes values of the analysis and makes rows with cells.

pub mod benchmark;
pub mod ceilings;
pub mod comparison;
pub mod contest;
pub(crate) mod devices;
pub(crate) mod epochs;
pub(crate) mod functions;
pub mod inference;
pub mod job;
pub(crate) mod modules;
pub mod operations;
pub(crate) mod processes;
pub(crate) mod profiler;
pub(crate) mod spans;
pub(crate) mod stretch;
pub(crate) mod time_to_target;
