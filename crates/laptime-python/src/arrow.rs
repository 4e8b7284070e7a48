//! Tables for other libraries, through Arrow's C stream interface.
//!
//! polars, pandas, duckdb and pyarrow read an object with `__arrow_c_stream__`; none of them is
//! needed here. A table is either small and made whole (the rows of a report) or made anew
//! for every reader, batch by batch (the spans of a recording).

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_array::{Int64Array, StringArray, UInt64Array};
use laptime_analysis::summary::fields::{self, Field, Kind, Number};
use laptime_analysis::{SpanRow, Summary};
use laptime_python_macros::guarded;
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

#[guarded]
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

/// A number of each row. FLOP and bytes that 64 bits may not hold are floats, as no type of
/// integer that wide is one that all readers calculate with.
fn column(rows: &[SpanRow], field: &Field) -> ArrayRef {
    let each = rows.iter().map(|row| field.number_of(row));
    match field.kind {
        Kind::Always | Kind::Whole => Arc::new(each.map(whole).collect::<UInt64Array>()),
        Kind::Signed => Arc::new(each.map(signed).collect::<Int64Array>()),
        Kind::Wide | Kind::Real => Arc::new(each.map(real).collect::<Float64Array>()),
        Kind::Word => Arc::new(each.map(word).collect::<StringArray>()),
    }
}

fn whole(number: Option<Number>) -> Option<u64> {
    match number? {
        Number::Whole(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

fn signed(number: Option<Number>) -> Option<i64> {
    match number? {
        Number::Signed(number) => Some(number),
        _ => None,
    }
}

fn real(number: Option<Number>) -> Option<f64> {
    match number? {
        Number::Whole(number) => Some(number as f64),
        Number::Real(number) => Some(number),
        _ => None,
    }
}

fn word(number: Option<Number>) -> Option<&'static str> {
    match number? {
        Number::Word(word) => Some(word),
        _ => None,
    }
}

/// The rows of a summary, one line a path.
pub fn rows(summary: &Summary) -> PyResult<ArrowTable> {
    let rows = &summary.rows;
    let paths: StringArray = rows.iter().map(|row| Some(row.path.as_str())).collect();
    let kinds: StringArray = rows.iter().map(|row| Some(row.kind.name())).collect();
    let words = [
        ("path", Arc::new(paths) as ArrayRef, false),
        ("kind", Arc::new(kinds), false),
    ];
    let numbers = fields::all().map(|field| {
        let is_nullable = field.kind != Kind::Always;
        (field.name, column(rows, field), is_nullable)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(words.into_iter().chain(numbers))
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
