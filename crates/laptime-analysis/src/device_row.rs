//! What a row says of a device: time by its own events, memory by its allocator.

use serde::Serialize;

/// A row's numbers of a device. What was not measured is absent.
///
/// **Units** nanoseconds and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(test, derive(serde::Deserialize))]
pub struct DeviceRow {
    /// Time on the device's stream between start and end, idle time included, summed over the spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_ns: Option<u64>,
    /// How many spans that is the sum of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_count: Option<u64>,
    /// How many of them the device had begun when the host had launched all of their work: it was not behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch_bound_count: Option<u64>,
    /// Least change of the device's allocated memory over a span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_net_min_bytes: Option<i64>,
    /// Greatest change of the device's allocated memory over a span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_net_max_bytes: Option<i64>,
    /// Least peak of the device's allocated memory in a span, over what was allocated at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_peak_min_bytes: Option<i64>,
    /// Greatest such peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_peak_max_bytes: Option<i64>,
    /// Most that the device's allocator held during any span, in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_reserved_bytes: Option<i64>,
}
