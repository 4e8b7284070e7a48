//! Operators by lap: plain values for reports and JSON.

use laptime_core::DeviceWorkKind;
use serde::Serialize;

use crate::summary::span_row::RowKind;

/// Operators and kernels that a profiler saw in a run, in the steps that it was on for.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operators {
    /// Number of operators that ran, inner ones included.
    pub call_count: u64,
    /// Self time of the operators: without what they called, so that it adds up.
    pub self_ns: u64,
    /// Error of an operator's moment on the clock of laps; absent where that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_ns: Option<u64>,
    /// Laps in which operators began, the longest self time first.
    pub laps: Vec<LapOperators>,
    /// Devices that worked, by their index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceUse>,
}

/// Operators that began while one lap was the innermost one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LapOperators {
    /// The lap's path, or the name of the time outside of laps.
    pub path: String,
    /// Names of the path.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether it is a lap.
    pub kind: RowKind,
    /// Self time of the lap, where all of its laps were profiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lap_ns: Option<u64>,
    /// Number of operators that ran in it.
    pub call_count: u64,
    /// Self time of these operators.
    pub self_ns: u64,
    /// Operators by name, the longest self time first.
    pub operators: Vec<OperatorTime>,
    /// Kernels and copies that the operators launched, by name, the longest time first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelTime>,
    /// Use of the device by the lap's work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceUse>,
}

/// Operators of one name in one lap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorTime {
    /// Name of the operator, as the framework has it.
    pub name: String,
    /// Number of operators of this name that ran.
    pub call_count: u64,
    /// Time in the operators, without what they called.
    pub self_ns: u64,
    /// Time in the operators and in what they called.
    pub total_ns: u64,
}

/// Kernels or copies of one name that one lap launched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelTime {
    /// Name of the kernel, as the framework has it; of a copy its kind, such as `Memcpy HtoD`.
    pub name: String,
    /// Kind of work.
    pub kind: DeviceWorkKind,
    /// Number of kernels or copies that ran.
    pub call_count: u64,
    /// Sum of their times, also of those that ran at once.
    pub total_ns: u64,
}

/// Use of a device while it was watched, from its first kernel to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceUse {
    /// Index of the device; of a lap's work, that of the first device.
    pub device: u32,
    /// Time in which at least one kernel or copy ran.
    pub busy_ns: u64,
    /// Idle time in which the host had not launched the next kernel yet.
    pub launch_bound_ns: u64,
    /// Idle time in which the next kernel was launched, and waited for something else.
    pub waiting_ns: u64,
}
