//! A row's numbers of the memory that its spans allocated on the host.

use serde::Serialize;

use crate::summary::fields::numbers::numbers;

numbers! {
    serde (skip_serializing_if = "Option::is_none");
    /// A row's numbers of host memory, where it was counted.
    ///
    /// **Units** bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct HostMemoryRow {
        /// Least host memory that a span allocated and did not free, below zero when it freed more; of the leftover
        /// `other`, what no lap holds.
        pub host_memory_net_min_bytes: Option<i64>, Bytes in HostMemory;
        /// Most host memory that a span allocated and did not free.
        pub host_memory_net_max_bytes: Option<i64>, Bytes in HostMemory;
        /// Host memory that all spans together allocated and did not free.
        pub host_memory_kept_bytes: Option<i64>, Bytes in KeptMemory;
        /// Standard deviation of what a span allocated and did not free; needs two.
        pub host_memory_net_stddev_bytes: Option<u64>, Bytes in KeptMemory;
        /// Least of the spans' peaks, each above what was there at its start.
        pub host_memory_peak_min_bytes: Option<u64>, Bytes in HostMemory;
        /// Most of the spans' peaks, each above what was there at its start.
        pub host_memory_peak_max_bytes: Option<u64>, Bytes in HostMemory;
    }
}
