//! A row's numbers of a device: time by its own events, memory by its allocator.

use serde::Serialize;

use crate::summary::fields::numbers::numbers;

numbers! {
    serde (skip_serializing_if = "Option::is_none");
    /// A row's numbers of a device. A number that was not measured is absent.
    ///
    /// **Units** nanoseconds and bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct DeviceRow {
        /// Time on the device's stream between start and end, idle time included, summed over the spans.
        pub device_ns: Option<u64>, Ns in DeviceTime;
        /// Number of spans that `device_ns` is the sum of.
        pub device_count: Option<u64>, Spans in DeviceTime;
        /// Timed spans that the device had begun when the host had launched all of their work: it was not behind.
        pub launch_bound_count: Option<u64>, Spans in DeviceTime;
        /// Least change of the device's allocated memory over a span.
        pub device_memory_net_min_bytes: Option<i64>, Bytes in DeviceMemory;
        /// Greatest change of the device's allocated memory over a span.
        pub device_memory_net_max_bytes: Option<i64>, Bytes in DeviceMemory;
        /// Least peak of the device's allocated memory in a span, over what was allocated at its start.
        pub device_memory_peak_min_bytes: Option<i64>, Bytes in DeviceMemory;
        /// Greatest peak of the device's allocated memory in a span, over what was allocated at its start.
        pub device_memory_peak_max_bytes: Option<i64>, Bytes in DeviceMemory;
        /// Most that the device's allocator held during any span, in all.
        pub device_memory_reserved_bytes: Option<i64>, Bytes in DeviceMemory;
    }
}
