//! The single spans of a recording, read window by window.
//!
//! A window defines every path before its first use in it, so one window is one batch and
//! memory does not grow with the recording. Times are nanoseconds since the start of the run,
//! or of the first process where no run is described. Memory is null where it was not recorded.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_array::{Int64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use laptime_cli::source::{Opened, ProcessFile};
use laptime_core::format::process::{ProcessHeader, window_offset};
use laptime_core::format::record::Record;
use laptime_core::format::window::{HEADER_LEN, WINDOW_LEN, Window};
use laptime_core::path::escape;
use laptime_core::{ClockMap, PathId, PathTable};
use pyo3::PyResult;

use crate::errors;

/// Spans of all processes of a recording, as record batches.
pub struct SpanReader {
    schema: SchemaRef,
    files: std::vec::IntoIter<ProcessFile>,
    file: Option<Current>,
    origin_ns: u64,
}

/// The process file being read.
struct Current {
    file: ProcessFile,
    pid: u32,
    clock: ClockMap,
    next: u64,
}

impl SpanReader {
    /// Opens a recording.
    pub fn open(path: &Path) -> PyResult<Self> {
        let opened = Opened::open(path, true).map_err(|error| errors::from_source(&error))?;
        let mut origin_ns = opened.run.as_ref().map(|run| run.started_monotonic_ns);
        for file in &opened.processes {
            if origin_ns.is_some() {
                break;
            }
            let prefix = file.prefix().map_err(|error| errors::from_source(&error))?;
            origin_ns = ProcessHeader::parse(&prefix)
                .ok()
                .map(|header| header.anchor.monotonic_ns);
        }
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
            files: opened.processes.into_iter(),
            file: None,
            origin_ns: origin_ns.unwrap_or(0),
        })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let current = match &mut self.file {
                Some(current) => current,
                None => match self.files.next() {
                    Some(file) => self.file.insert(Current::new(file)?),
                    None => return Ok(None),
                },
            };
            match current.next_window()? {
                Some((bytes, offset)) => {
                    let batch = current.batch(&bytes, offset, &self.schema, self.origin_ns)?;
                    if let Some(batch) = batch.filter(|batch| batch.num_rows() > 0) {
                        return Ok(Some(batch));
                    }
                }
                None => self.file = None,
            }
        }
    }
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

impl Current {
    fn new(file: ProcessFile) -> Result<Self, ArrowError> {
        let header = ProcessHeader::parse(&file.prefix().map_err(external)?).map_err(external)?;
        let mut anchors = vec![header.anchor];
        anchors.extend(header.closed);
        let mut slot = 0;
        let mut start = [0; HEADER_LEN];
        while window_offset(slot) < file.length {
            let read = file
                .read(window_offset(slot), &mut start)
                .map_err(external)?;
            // Too short to be a whole window, but the header is checked before that.
            if let Ok(Some(window)) = Window::parse(&start[..read], window_offset(slot)) {
                anchors.push(window.header.anchor);
            }
            slot += 1;
        }
        Ok(Self {
            pid: header.pid,
            clock: ClockMap::new(anchors, header.nominal_ns_per_tick),
            file,
            next: 0,
        })
    }

    fn next_window(&mut self) -> Result<Option<(Vec<u8>, u64)>, ArrowError> {
        let offset = window_offset(self.next);
        if offset >= self.file.length {
            return Ok(None);
        }
        self.next += 1;
        let mut bytes = vec![0; WINDOW_LEN];
        let read = self.file.read(offset, &mut bytes).map_err(external)?;
        bytes.truncate(read);
        Ok(Some((bytes, offset)))
    }

    fn batch(
        &self,
        bytes: &[u8],
        offset: u64,
        schema: &SchemaRef,
        origin_ns: u64,
    ) -> Result<Option<RecordBatch>, ArrowError> {
        let Some(window) = Window::parse(bytes, offset).map_err(external)? else {
            return Ok(None);
        };
        let mut paths = Definitions::default();
        let (mut path, mut name) = (Vec::new(), Vec::new());
        let (mut start, mut duration) = (Vec::new(), Vec::new());
        let (mut track, mut flags) = (Vec::new(), Vec::new());
        let (mut net, mut peak) = (Vec::new(), Vec::new());
        window
            .for_each(|record| match record {
                Record::Path { id, parent, name } => paths.define(id, parent, name),
                Record::Span(span) => {
                    let (full, own) = paths.get(span.path);
                    path.push(full);
                    name.push(own);
                    let began = self.clock.monotonic_ns(span.start);
                    start.push(began.saturating_sub(origin_ns));
                    let rate = self.clock.rate_at(span.start);
                    duration.push(rate.nanoseconds(span.duration));
                    track.push(span.track);
                    flags.push(span.flags.0);
                    net.push(span.memory.map(|memory| memory.net_bytes));
                    peak.push(span.memory.map(|memory| memory.peak_bytes));
                }
                _ => {}
            })
            .map_err(external)?;
        let pids = vec![self.pid; start.len()];
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(path)),
            Arc::new(StringArray::from(name)),
            Arc::new(UInt64Array::from(start)),
            Arc::new(UInt64Array::from(duration)),
            Arc::new(UInt32Array::from(pids)),
            Arc::new(UInt32Array::from(track)),
            Arc::new(UInt64Array::from(flags)),
            Arc::new(Int64Array::from(net)),
            Arc::new(UInt64Array::from(peak)),
        ];
        RecordBatch::try_new(schema.clone(), columns).map(Some)
    }
}

/// The paths that a window has defined so far: the printed path and the last name.
#[derive(Default)]
struct Definitions(HashMap<PathId, (Arc<str>, Arc<str>)>);

impl Definitions {
    fn define(&mut self, id: PathId, parent: PathId, name: &str) {
        let own = escape(name);
        let full = match self.0.get(&parent) {
            Some((parent, _)) => format!("{parent}/{own}"),
            None => own,
        };
        self.0.insert(id, (full.into(), name.into()));
    }

    fn get(&self, id: PathId) -> (String, String) {
        self.0.get(&id).map_or_else(
            || {
                let name = PathTable::OVERFLOW_NAME.to_owned();
                (name.clone(), name)
            },
            |(full, name)| (full.to_string(), name.to_string()),
        )
    }
}

impl Iterator for SpanReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for SpanReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
