//! Summaries of devices: plain values for reports and JSON.

use std::collections::BTreeMap;

use laptime_core::Unavailable;
use serde::Serialize;

/// A device that a measured process used, as it was sampled.
///
/// **Units** as the names say; ratios are of 1. Numbers are of the whole device, whoever uses it, except for
/// the memory of the process.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceSummary {
    /// The device's index, as the process counts devices.
    pub device: u32,
    /// Its UUID, as the driver's tools write it.
    pub uuid: String,
    /// Its name.
    pub name: String,
    /// The process that sampled it.
    pub pid: u32,
    /// The whole time in which it was sampled.
    pub whole: DeviceStretch,
    /// The steady state of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<DeviceStretch>,
}

/// One device's numbers over a stretch of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceStretch {
    /// Time from the first sample to the last.
    pub sampled_ns: u64,
    /// Number of samples.
    pub sample_count: u64,
    /// Mean part of the time in which a kernel ran.
    pub utilization_mean_ratio: Option<f64>,
    /// 95th percentile of the part of the time in which a kernel ran, over the samples.
    pub utilization_p95_ratio: Option<f64>,
    /// Mean part of the time in which its memory was read or written.
    pub memory_utilization_mean_ratio: Option<f64>,
    /// Most memory in use, by all processes.
    pub memory_peak_bytes: Option<u64>,
    /// Most memory in use by the process.
    pub process_memory_peak_bytes: Option<u64>,
    /// Mean power.
    pub power_mean_w: Option<f64>,
    /// Highest power.
    pub power_peak_w: Option<f64>,
    /// Energy, by the device's own counter.
    pub energy_j: Option<f64>,
    /// Energy of a step and of the time until the next one; of the steady state only.
    pub energy_per_step_j: Option<f64>,
    /// Mean clock of the multiprocessors.
    pub clock_mean_mhz: Option<f64>,
    /// Highest temperature.
    pub temperature_peak_celsius: Option<u64>,
    /// Part of the samples in which it was slower than it could be.
    pub throttled_ratio: Option<f64>,
    /// Amount by which the mean clock of throttled samples lay below the highest clock, as a part of the highest.
    pub throttled_slower_ratio: Option<f64>,
    /// Reasons for a lower clock, the most frequent first; several may hold at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub throttled_by: Vec<ThrottleShare>,
    /// Reasons why numbers are absent, by field name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub why: BTreeMap<String, Unavailable>,
}

/// A reason for a lower clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThrottleShare {
    /// The reason, in words.
    pub reason: String,
    /// Part of the samples in which the reason held.
    pub ratio: f64,
}
