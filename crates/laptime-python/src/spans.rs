//! The single spans of a recording, as record batches: one a window, so memory does not grow with
//! the recording.
//!
//! Moments and durations are the summary's, in nanoseconds since the start of the run or, where
//! no run is described, of its first process. Memory is null where it was not recorded.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_array::{Int64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use laptime::Recorded;
use laptime_core::{PathId, PathTable, path};
use laptime_reader::{ReadError, SpanColumns, SpanRows};
use pyo3::PyResult;

use crate::errors;

/// The processes of a recording whose spans are still to come.
type Processes = Box<dyn Iterator<Item = Result<SpanRows, ReadError>> + Send>;

/// Spans of all processes of a recording, as record batches.
pub struct SpanBatches {
    schema: SchemaRef,
    processes: Processes,
    process: Option<SpanRows>,
    /// By path of the process being read: as it is printed, and its own name.
    names: Vec<(Arc<str>, Arc<str>)>,
}

impl SpanBatches {
    /// Opens a recording.
    pub fn open(recorded: &Recorded) -> PyResult<Self> {
        let spans = recorded
            .spans()
            .map_err(|error| errors::from_reading(&error))?;
        let column = |name, kind| Field::new(name, kind, false);
        Ok(Self {
            schema: Arc::new(Schema::new(vec![
                column("path", DataType::Utf8),
                column("name", DataType::Utf8),
                column("start_ns", DataType::UInt64),
                column("duration_ns", DataType::UInt64),
                column("pid", DataType::UInt32),
                column("track", DataType::UInt32),
                column("flags", DataType::UInt64),
                Field::new("memory_net_bytes", DataType::Int64, true),
                Field::new("memory_peak_bytes", DataType::UInt64, true),
            ])),
            processes: Box::new(spans),
            process: None,
            names: Vec::new(),
        })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let Some(process) = &mut self.process else {
                let Some(next) = self.processes.next() else {
                    return Ok(None);
                };
                let process = next.map_err(external)?;
                self.names = names(process.paths());
                self.process = Some(process);
                continue;
            };
            match process.next_window().map_err(external)? {
                Some(spans) if spans.is_empty() => {}
                Some(spans) => {
                    let pid = process.pid();
                    return self.batch(spans, pid).map(Some);
                }
                None => self.process = None,
            }
        }
    }

    fn batch(&self, spans: SpanColumns, pid: u32) -> Result<RecordBatch, ArrowError> {
        let named = |path: &PathId| &self.names[path.index()];
        let full = spans.path.iter().map(|path| Some(&*named(path).0));
        let own = spans.path.iter().map(|path| Some(&*named(path).1));
        let net = spans.memory.iter();
        let net = net.map(|memory| memory.map(|memory| memory.net_bytes));
        let peak = spans.memory.iter();
        let peak = peak.map(|memory| memory.map(|memory| memory.peak_bytes));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(full.collect::<StringArray>()),
            Arc::new(own.collect::<StringArray>()),
            Arc::new(UInt64Array::from(spans.start_ns)),
            Arc::new(UInt64Array::from(spans.duration_ns)),
            Arc::new(UInt32Array::from(vec![pid; spans.path.len()])),
            Arc::new(UInt32Array::from(spans.track)),
            Arc::new(UInt64Array::from(spans.flags)),
            Arc::new(net.collect::<Int64Array>()),
            Arc::new(peak.collect::<UInt64Array>()),
        ];
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}

/// Every path as it is printed, and its own name.
fn names(paths: &PathTable) -> Vec<(Arc<str>, Arc<str>)> {
    let ids = (0..paths.len()).map(|index| PathId(index as u32));
    ids.map(|id| {
        let names = paths.names(id);
        let own = names.last().copied().unwrap_or_default();
        (path::join(names.iter().copied()).into(), own.into())
    })
    .collect()
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

impl Iterator for SpanBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for SpanBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
