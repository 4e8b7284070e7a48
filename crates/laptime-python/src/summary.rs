//! `report["step/forward"]`: the numbers of one path.
//!
//! What is absent is `None`, and [`SpanSummary::why`] says for what reason.

use std::sync::Arc;

use laptime_analysis::{BoundBy, SpanRow, Summary};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;

/// Fields whose numbers this version measures nowhere, and why.
const NOT_MEASURED: [(&str, &str); 2] = [
    (
        "device_memory_",
        "device memory is measured by Timer(device=…, memory=True)",
    ),
    ("device_", "device time is measured by Timer(device=…)"),
];

/// The numbers of one path.
#[pyclass(frozen, module = "laptime")]
pub struct SpanSummary {
    summary: Arc<Summary>,
    index: usize,
}

impl SpanSummary {
    /// Of a row.
    pub fn new(summary: Arc<Summary>, index: usize) -> Self {
        Self { summary, index }
    }

    fn row(&self) -> &SpanRow {
        &self.summary.rows[self.index]
    }
}

/// Getters of fields that the row has.
macro_rules! numbers {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ty = $row:ident => $value:expr;)*) => {
        #[pymethods]
        impl SpanSummary {
            $(
                $(#[doc = $doc])*
                #[getter]
                fn $name(&self) -> $kind {
                    let $row = self.row();
                    $value
                }
            )*

            /// The names from the outermost to this one.
            #[getter]
            fn names(&self) -> Vec<String> {
                self.row().names.clone()
            }

            /// The names joined by `/`.
            #[getter]
            fn path(&self) -> &str {
                &self.row().path
            }

            /// Reasons to doubt this row, each a sentence.
            #[getter]
            fn warnings(&self) -> Vec<&str> {
                self.row().warnings.iter().map(|one| one.message.as_str()).collect()
            }

            /// Why a number is absent; `None` when it is there.
            fn why(&self, field: &str) -> PyResult<Option<String>> {
                let known = [$(stringify!($name)),*];
                self.reason(field, &known)
            }

            /// Nothing in it changes: its copy is itself.
            fn __copy__(this: Py<Self>) -> Py<Self> {
                this
            }

            fn __deepcopy__(this: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
                let _ = memo;
                this
            }

            fn __reduce__(_this: &Bound<'_, Self>) -> PyResult<()> {
                Err(PyTypeError::new_err(
                    "a laptime.SpanSummary cannot be pickled: pickle the numbers you need of it",
                ))
            }

            fn __repr__(&self) -> String {
                let row = self.row();
                let count = row.count.map_or_else(|| "-".to_owned(), |count| count.to_string());
                format!(
                    "<laptime.SpanSummary {:?}: count {count}, total_ns {}, self_ns {}>",
                    row.path, row.total_ns, row.self_ns
                )
            }
        }
    };
}

numbers! {
    /// Finished spans; `None` for "startup", "other" and "exit".
    count: Option<u64> = row => row.count;
    /// Sum of durations.
    total_ns: u64 = row => row.total_ns;
    /// The total less what its children ran.
    self_ns: u64 = row => row.self_ns;
    /// Mean duration.
    mean_ns: Option<u64> = row => row.mean_ns;
    /// Standard deviation of the durations.
    stddev_ns: Option<u64> = row => row.stddev_ns;
    /// Shortest duration.
    min_ns: Option<u64> = row => row.min_ns;
    /// Longest duration.
    max_ns: Option<u64> = row => row.max_ns;
    /// Median duration, within 1.1 %.
    p50_ns: Option<u64> = row => row.p50_ns;
    /// 90th percentile, within 1.1 %.
    p90_ns: Option<u64> = row => row.p90_ns;
    /// 95th percentile, within 1.1 %.
    p95_ns: Option<u64> = row => row.p95_ns;
    /// 99th percentile, within 1.1 %.
    p99_ns: Option<u64> = row => row.p99_ns;
    /// Total over the wall time.
    share_ratio: Option<f64> = row => row.share_ratio;
    /// CPU time of the process.
    process_ns: Option<u64> = row => row.process_ns;
    /// CPU time of the thread.
    thread_ns: Option<u64> = row => row.thread_ns;
    /// From first start to end, of spans that were suspended in between.
    suspended_wall_ns: Option<u64> = row => row.suspended_wall_ns;
    /// Spans that were closed out of order.
    unbalanced_count: u64 = row => row.unbalanced_count;
    /// Of the spans that were looked at, those that ended while JAX still computed what they launched.
    in_flight_count: u64 = row => row.in_flight_count;
    /// Those that ended when all of it was ready.
    waited_count: u64 = row => row.waited_count;
    /// Time on the device.
    device_ns: Option<u64> = row => row.device.device_ns;
    /// Least change of host memory over a span.
    host_memory_net_min_bytes: Option<i64> = row => row.host_memory_net_min_bytes;
    /// Greatest change of host memory over a span.
    host_memory_net_max_bytes: Option<i64> = row => row.host_memory_net_max_bytes;
    /// Least peak of host memory in a span.
    host_memory_peak_min_bytes: Option<u64> = row => row.host_memory_peak_min_bytes;
    /// Greatest peak of host memory in a span.
    host_memory_peak_max_bytes: Option<u64> = row => row.host_memory_peak_max_bytes;
    /// Least change of device memory over a span.
    device_memory_net_min_bytes: Option<i64> =
        row => row.device.device_memory_net_min_bytes;
    /// Greatest change of device memory over a span.
    device_memory_net_max_bytes: Option<i64> =
        row => row.device.device_memory_net_max_bytes;
    /// Least peak of device memory in a span.
    device_memory_peak_min_bytes: Option<i64> =
        row => row.device.device_memory_peak_min_bytes;
    /// Greatest peak of device memory in a span.
    device_memory_peak_max_bytes: Option<i64> =
        row => row.device.device_memory_peak_max_bytes;
    /// Device memory held by the allocator.
    device_memory_reserved_bytes: Option<i64> = _row => None;
    /// Multiply-accumulates.
    mac: Option<u128> = row => row.mac;
    /// Floating-point operations of those, two for each, or what the program said.
    flop: Option<u128> = row => row.flop;
    /// With all other floating-point arithmetic.
    total_flop: Option<u128> = row => row.total_flop;
    /// Those of `flop` that ran, with what runs again.
    executed_flop: Option<u128> = row => row.executed_flop;
    /// Bytes read and written.
    bytes_moved: Option<u128> = row => row.bytes_moved;
    /// Floating-point operations per second.
    flop_per_s: Option<f64> = row => row.flop_per_s;
    /// Bytes read and written per second.
    bytes_moved_per_s: Option<f64> = row => row.bytes_moved_per_s;
    /// Operations per byte.
    intensity: Option<f64> = row => row.intensity;
    /// Floating-point operations per second over the peak that is named beside.
    mfu_ratio: Option<f64> = row => row.mfu_ratio;
    /// Executed ones per second over that peak.
    hfu_ratio: Option<f64> = row => row.hfu_ratio;
    /// What bounds it on this machine: "memory" or "arithmetic".
    bound: Option<&'static str> = row => row.bound.map(BoundBy::name);
    /// The part of its spans, or of its operations, whose work is known.
    operations_coverage_ratio: Option<f64> = row => row.operations_coverage_ratio;
}

impl SpanSummary {
    fn reason(&self, field: &str, known: &[&str]) -> PyResult<Option<String>> {
        if !known.contains(&field) {
            return Err(PyAttributeError::new_err(format!(
                "a span summary has no number called {field:?}"
            )));
        }
        let row = self.row();
        let is_there = match field {
            "total_ns" | "self_ns" | "unbalanced_count" => true,
            "count" => row.count.is_some(),
            "mean_ns" => row.mean_ns.is_some(),
            "stddev_ns" => row.stddev_ns.is_some(),
            "min_ns" => row.min_ns.is_some(),
            "max_ns" => row.max_ns.is_some(),
            "p50_ns" => row.p50_ns.is_some(),
            "p90_ns" => row.p90_ns.is_some(),
            "p95_ns" => row.p95_ns.is_some(),
            "p99_ns" => row.p99_ns.is_some(),
            "share_ratio" => row.share_ratio.is_some(),
            "process_ns" => row.process_ns.is_some(),
            "thread_ns" => row.thread_ns.is_some(),
            "suspended_wall_ns" => row.suspended_wall_ns.is_some(),
            "device_ns" => row.device.device_ns.is_some(),
            "device_memory_net_min_bytes"
            | "device_memory_net_max_bytes"
            | "device_memory_peak_min_bytes"
            | "device_memory_peak_max_bytes" => row.device.device_memory_net_min_bytes.is_some(),
            "host_memory_net_min_bytes" | "host_memory_net_max_bytes" => {
                row.host_memory_net_min_bytes.is_some()
            }
            "host_memory_peak_min_bytes" | "host_memory_peak_max_bytes" => {
                row.host_memory_peak_min_bytes.is_some()
            }
            "mac" => row.mac.is_some(),
            "flop" => row.flop.is_some(),
            "total_flop" => row.total_flop.is_some(),
            "executed_flop" => row.executed_flop.is_some(),
            "bytes_moved" => row.bytes_moved.is_some(),
            "flop_per_s" => row.flop_per_s.is_some(),
            "bytes_moved_per_s" => row.bytes_moved_per_s.is_some(),
            "intensity" => row.intensity.is_some(),
            "mfu_ratio" => row.mfu_ratio.is_some(),
            "hfu_ratio" => row.hfu_ratio.is_some(),
            "bound" => row.bound.is_some(),
            "operations_coverage_ratio" => row.operations_coverage_ratio.is_some(),
            _ => false,
        };
        if is_there {
            return Ok(None);
        }
        if let Some(reason) = self.summary.why(row, field) {
            return Ok(Some(reason.to_string()));
        }
        let not_measured = NOT_MEASURED
            .iter()
            .find(|(start, _)| field.starts_with(start));
        let reason = not_measured.map_or("no span of this path has it", |(_, reason)| reason);
        Ok(Some(reason.to_owned()))
    }
}
