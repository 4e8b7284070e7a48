//! What a row says of the memory that its spans allocated on the host.

use serde::Serialize;

/// A row's numbers of host memory, where it was counted.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(test, derive(serde::Deserialize))]
pub struct HostMemoryRow {
    /// Least host memory that a span allocated and did not free, below zero when it freed more; of the leftover
    /// `other`, what no lap holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_net_min_bytes: Option<i64>,
    /// Most host memory that a span allocated and did not free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_net_max_bytes: Option<i64>,
    /// What all spans allocated and did not free, together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_kept_bytes: Option<i64>,
    /// Standard deviation of what a span allocated and did not free; needs two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_net_stddev_bytes: Option<u64>,
    /// Least of the spans' peaks, each above what was there at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_peak_min_bytes: Option<u64>,
    /// Most of the spans' peaks, each above what was there at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_peak_max_bytes: Option<u64>,
}
