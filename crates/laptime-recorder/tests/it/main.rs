//! The recorder, as whoever records uses it, and the devices that it times.
//!
//! It is one per process. A test of what it records, or of memory, descriptors or threads, which are counted per
//! process too, runs in a process of its own ([`own_process`]); the others share one.

mod deep_nesting;
mod descriptors;
mod device_exit;
mod device_memory;
mod device_pairs;
mod device_probe;
mod device_process;
mod device_programs;
mod device_queue;
mod device_spans;
mod device_streams;
mod device_waits;
mod forks;
mod gated_allocator;
mod guard;
mod long_names;
mod many_names;
mod mappings;
mod notes;
mod overflow;
mod own_process;
mod own_process_tests;
mod pieces;
mod recording;
mod stacks;
mod stacks_reason;
mod telemetry;
mod telemetry_records;
mod threads;
mod windows;
