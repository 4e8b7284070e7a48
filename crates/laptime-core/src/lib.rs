//! The words of Laptime, as types.
//!
//! This crate holds what a measurement *is*: spans and their paths, histograms,
//! tallies, anchors between clocks, the description of a run, and the file format
//! over byte slices. It reads no clock, starts no thread and opens no file; the
//! recorder fills these types, the analysis reads them.

#![forbid(unsafe_code)]

pub mod anchor;
pub mod calls;
pub mod ceilings;
mod code_file;
mod device_memory;
mod device_sample;
mod device_span;
pub mod facts;
mod files;
pub mod format;
pub mod histogram;
pub mod input_sizes;
mod live;
mod machine;
pub mod memory;
mod name;
pub mod news;
pub mod operations;
pub mod operators;
pub mod path;
mod phase_name;
pub mod run;
mod sampled;
pub mod span;
pub mod stack;
pub mod tally;
pub mod timeline;
mod total;
pub mod warning;
pub mod work;

pub use anchor::{Anchor, ClockKind, ClockMap};
pub use calls::{CallSums, CalledFunction, FunctionCalls};
pub use ceilings::{Ceiling, Ceilings};
pub use code_file::{
    FileOrigin, file_origin, module_below, module_of_file, package_of_file, short_file,
};
pub use device_memory::{DeviceMemory, DeviceMemorySpan, DeviceMemoryTally, MemoryOnDevice};
pub use device_sample::{DeviceReading, DeviceReadings, DeviceSample, Throttle};
pub use device_span::{DevicePlace, DeviceSpan, DeviceTally, DeviceTimes, NoDeviceTime};
pub use facts::{ProcessFacts, zero_ns};
pub use files::Files;
pub use format::FormatError;
pub use histogram::Histogram;
pub use input_sizes::{Holds, InputSizes, Sizes};
pub use live::Live;
pub use machine::Machine;
pub use memory::{MemoryTally, PrivateMemory, ProcessMemory, SpanMemory};
pub use name::{csv_field, is_hidden, visible};
pub use news::{CountedStretch, News};
pub use operations::{Cost, CostTally, Counts, Phase};
pub use operators::{DeviceWork, DeviceWorkKind, Operator};
pub use path::{PathId, PathTable};
pub use phase_name::PhaseName;
pub use run::{ProgramEnd, RunInfo};
pub use sampled::{Sample, SamplePlace, Sampled, SampledCall, SampledFunction};
pub use span::{Span, SpanFlags};
pub use stack::{COLLECTION, Runner, SampledStack, StackFrame};
pub use tally::{PathTally, Tallies};
pub use timeline::{Anchors, Timeline};
pub use total::Total;
pub use warning::{Unavailable, Warning};
pub use work::{SpanWork, WorkTally};
