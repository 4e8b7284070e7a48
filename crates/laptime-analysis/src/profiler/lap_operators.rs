//! Operators by lap: plain values for reports and JSON.

use laptime_core::DeviceWorkKind;
use serde::Serialize;

use crate::summary::span_row::RowKind;

/// What a profiler saw of a run, in the steps that it was on for.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operators {
    /// Operators that ran, those inside of others included.
    pub call_count: u64,
    /// Their own time: without what they called, so that it adds up.
    pub self_ns: u64,
    /// How far the moment of an operator may be off on the clock of laps; absent where that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_ns: Option<u64>,
    /// Laps in which operators began, the longest own time first.
    pub laps: Vec<LapOperators>,
    /// Devices that worked, by their index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceUse>,
}

/// Operators that began while one lap was the innermost one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LapOperators {
    /// The lap's path, or what the time outside of laps is called.
    pub path: String,
    /// The path's names.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether it is a lap.
    pub kind: RowKind,
    /// Own time of the lap, where all of its laps were profiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lap_ns: Option<u64>,
    /// Operators.
    pub call_count: u64,
    /// Their own time.
    pub self_ns: u64,
    /// By name, the longest own time first.
    pub operators: Vec<OperatorTime>,
    /// What they launched, by name, the longest time first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelTime>,
    /// What that meant for the devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceUse>,
}

/// Operators of one name in one lap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorTime {
    /// The name, as the framework has it.
    pub name: String,
    /// How many ran.
    pub call_count: u64,
    /// Time in them, without what they called.
    pub self_ns: u64,
    /// Time in them and in what they called.
    pub total_ns: u64,
}

/// Kernels or copies of one name that one lap launched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelTime {
    /// The name, as the framework has it; of a copy its kind, such as `Memcpy HtoD`.
    pub name: String,
    /// What it is.
    pub kind: DeviceWorkKind,
    /// How many ran.
    pub call_count: u64,
    /// Their time, those that ran at once added up.
    pub total_ns: u64,
}

/// What a device did while it was watched, from its first kernel to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceUse {
    /// The device's index; of a lap's work the first one's.
    pub device: u32,
    /// Time in which at least one kernel or copy ran.
    pub busy_ns: u64,
    /// Idle time in which the host had not launched the next kernel yet.
    pub launch_bound_ns: u64,
    /// Idle time in which the next kernel was launched, and waited for something else.
    pub waiting_ns: u64,
}
