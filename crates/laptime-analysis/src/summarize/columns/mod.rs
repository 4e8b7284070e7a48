//! The columns of a row, one kind a file: memory, devices, CPU time, operations, launches.

pub(crate) mod cpu_time;
pub(crate) mod device_memory;
pub(crate) mod device_time;
pub(crate) mod launches;
pub(crate) mod left_outside;
pub(crate) mod memory;
pub(crate) mod operations;
