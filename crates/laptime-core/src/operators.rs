//! Operators that a framework ran and what they launched on a device, as a profiler saw them.
//!
//! A recorder writes them one by one once the profiler has stopped; readers find the lap that each
//! ran in by its start and its thread. Names are numbered from 1 in each process. What an operator
//! took is in nanoseconds of the profiler's own clock; moments are ticks of the recording's.

use serde::Serialize;

/// An operator on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Operator {
    /// When it began, in ticks.
    pub ticks: u64,
    /// The system's id of the thread that it ran on; 0 where it isn't known.
    pub thread: u64,
    /// The number of its name.
    pub name: u32,
    /// Time in the operator itself, without those that it called.
    pub self_ns: u64,
    /// Time in it and in all that it called.
    pub total_ns: u64,
}

/// What a device was given to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum DeviceWorkKind {
    /// A kernel.
    #[default]
    Kernel,
    /// A copy between memories.
    Copy,
    /// Memory is filled with one value.
    Fill,
}

impl DeviceWorkKind {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 3] = [Self::Kernel, Self::Copy, Self::Fill];

    /// The one with a code; a kernel for one that a later version wrote.
    pub fn of(code: u64) -> Self {
        let code = usize::try_from(code).unwrap_or(usize::MAX);
        Self::ALL.get(code).copied().unwrap_or_default()
    }
}

/// A kernel or a copy on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceWork {
    /// When it began, in ticks.
    pub ticks: u64,
    /// How long it ran.
    pub duration_ns: u64,
    /// The number of its name.
    pub name: u32,
    /// What it is.
    pub kind: DeviceWorkKind,
    /// The device's index.
    pub device: u32,
    /// The stream or queue.
    pub stream: u64,
    /// When the operator that launched it began, in ticks, and its thread; thread 0 where none is known.
    pub launched: (u64, u64),
}
