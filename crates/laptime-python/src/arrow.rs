//! Tables for other libraries, through Arrow's C stream interface.
//!
//! polars, pandas, duckdb and pyarrow read an object with `__arrow_c_stream__`; none of them is
//! needed here. A table is either small and made whole (the rows of a report) or made anew
//! for every reader, batch by batch (the spans of a recording).

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_array::{Int64Array, StringArray, UInt64Array};
use laptime_analysis::{RowKind, SpanRow, Summary};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::LaptimeError;

/// Name that the interface prescribes for the capsule.
const CAPSULE: &std::ffi::CStr = c"arrow_array_stream";

type Reader = Box<dyn RecordBatchReader + Send>;

/// A table that Arrow's consumers can read, as often as they like.
#[pyclass(frozen, module = "laptime")]
pub struct ArrowTable {
    open: Box<dyn Fn() -> PyResult<Reader> + Send + Sync>,
    repr: String,
}

impl ArrowTable {
    /// A table whose batches `open` makes for each reader.
    pub fn new(repr: String, open: impl Fn() -> PyResult<Reader> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
            repr,
        }
    }

    /// A new stream, as a capsule.
    pub fn stream<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The interface lets a producer answer with its own schema.
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new((self.open)()?);
        let capsule = PyCapsule::new_with_value(python, stream, CAPSULE)?;
        Ok(capsule.into_any())
    }
}

#[pymethods]
impl ArrowTable {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.stream(python, requested_schema)
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
            "a laptime.ArrowTable cannot be pickled: pickle what reads it, such as a pandas.DataFrame",
        ))
    }

    fn __repr__(&self) -> &str {
        &self.repr
    }
}

/// An error of a table.
pub fn failed(error: &impl ToString) -> PyErr {
    LaptimeError::new_err(error.to_string())
}

fn integers(rows: &[SpanRow], of: impl Fn(&SpanRow) -> Option<u64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<UInt64Array>())
}

fn signed(rows: &[SpanRow], of: impl Fn(&SpanRow) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<Int64Array>())
}

/// The rows of a summary, one line a path.
pub fn rows(summary: &Summary) -> PyResult<ArrowTable> {
    let rows = &summary.rows;
    let paths: StringArray = rows.iter().map(|row| Some(row.path.as_str())).collect();
    let kinds = rows.iter().map(|row| {
        Some(match row.kind {
            RowKind::Span => "span",
            RowKind::Leftover => "leftover",
        })
    });
    let shares: Float64Array = rows.iter().map(|row| row.share_ratio).collect();
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("path", Arc::new(paths) as ArrayRef, false),
        ("kind", Arc::new(kinds.collect::<StringArray>()), false),
        ("count", integers(rows, |row| row.count), true),
        ("total_ns", integers(rows, |row| Some(row.total_ns)), false),
        ("self_ns", integers(rows, |row| Some(row.self_ns)), false),
        ("mean_ns", integers(rows, |row| row.mean_ns), true),
        ("stddev_ns", integers(rows, |row| row.stddev_ns), true),
        ("min_ns", integers(rows, |row| row.min_ns), true),
        ("max_ns", integers(rows, |row| row.max_ns), true),
        ("p50_ns", integers(rows, |row| row.p50_ns), true),
        ("p90_ns", integers(rows, |row| row.p90_ns), true),
        ("p95_ns", integers(rows, |row| row.p95_ns), true),
        ("p99_ns", integers(rows, |row| row.p99_ns), true),
        ("share_ratio", Arc::new(shares) as ArrayRef, true),
        ("process_ns", integers(rows, |row| row.process_ns), true),
        ("thread_ns", integers(rows, |row| row.thread_ns), true),
        (
            "host_memory_net_min_bytes",
            signed(rows, |row| row.host_memory_net_min_bytes),
            true,
        ),
        (
            "host_memory_net_max_bytes",
            signed(rows, |row| row.host_memory_net_max_bytes),
            true,
        ),
        (
            "host_memory_peak_min_bytes",
            integers(rows, |row| row.host_memory_peak_min_bytes),
            true,
        ),
        (
            "host_memory_peak_max_bytes",
            integers(rows, |row| row.host_memory_peak_max_bytes),
            true,
        ),
    ])
    .map_err(|error| failed(&error))?;
    let repr = format!("<laptime.ArrowTable of {} paths>", rows.len());
    Ok(ArrowTable::new(repr, move || {
        let schema = batch.schema();
        Ok(Box::new(RecordBatchIterator::new(
            [Ok(batch.clone())],
            schema,
        )))
    }))
}
