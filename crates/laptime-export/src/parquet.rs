//! Finished spans as columns of a Parquet file, null where absent.
//!
//! | column | holds |
//! |---|---|
//! | `path`, `name` | the path as it is printed, its own name |
//! | `start_ns`, `duration_ns` | since time zero; how long it ran |
//! | `pid`, `track`, `track_name` | the process, the thread or task |
//! | `flags` | what is unusual: bits, as in the recording's format |
//! | `process_ns`, `thread_ns`, `wall_ns` | CPU time, and from start to end where it was suspended |
//! | `memory_net_bytes`, `memory_peak_bytes` | host memory, where it was counted |
//! | `flop`, `bytes` | what the program says it did |
//!
//! Names, tracks and flags are dictionaries, moments are differences to the row before; no codec, so
//! that every reader opens it. A row group is written when it is full.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

use crate::about::Output;
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;

/// Rows of a group: 12 MB while it fills.
const GROUP: usize = 128 * 1024;

/// Columns of a fixed width that hold no null.
const MOMENTS: [&str; 2] = ["start_ns", "duration_ns"];
/// Columns with nulls, and whether they may be below zero.
const CARRIED: [(&str, bool); 7] = [
    ("process_ns", false),
    ("thread_ns", false),
    ("wall_ns", false),
    ("memory_net_bytes", true),
    ("memory_peak_bytes", false),
    ("flop", false),
    ("bytes", false),
];

/// A column with nulls.
#[derive(Debug, Default)]
struct Sparse {
    values: Vec<i64>,
    /// 1 where there is a value.
    levels: Vec<i16>,
}

impl Sparse {
    fn push(&mut self, value: Option<i64>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

/// The rows of a group that isn't full yet.
#[derive(Debug, Default)]
struct Rows {
    path: Vec<ByteArray>,
    name: Vec<ByteArray>,
    moments: [Vec<i64>; 2],
    pid: Vec<i32>,
    track: Vec<i32>,
    track_name: (Vec<ByteArray>, Vec<i16>),
    flags: Vec<i64>,
    carried: [Sparse; 7],
}

/// Bytes of a group on their way to the output: the library wants a writer that may change threads,
/// and ours need not.
#[derive(Debug, Clone, Default)]
struct Drain(Arc<Mutex<Vec<u8>>>);

impl Drain {
    fn locked(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Drain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.locked().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes row groups.
pub struct Parquet<'w> {
    out: Output<'w>,
    drain: Drain,
    writer: SerializedFileWriter<Drain>,
    rows: Rows,
    /// By path of the process being read: as it is printed, and its own name.
    names: Vec<(ByteArray, ByteArray)>,
    track: (Option<u32>, Option<ByteArray>),
}

impl<'w> Parquet<'w> {
    /// Begins the file.
    pub fn begin(out: Output<'w>) -> io::Result<Self> {
        let schema = Arc::new(schema().map_err(as_io)?);
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("laptime ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true);
        for moment in MOMENTS {
            let column = ColumnPath::from(moment);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        let properties = Arc::new(properties.build());
        let drain = Drain::default();
        let writer = SerializedFileWriter::new(drain.clone(), schema, properties).map_err(as_io)?;
        Ok(Self {
            out,
            drain,
            writer,
            rows: Rows::default(),
            names: Vec::new(),
            track: (None, None),
        })
    }

    fn write(&mut self) -> io::Result<()> {
        if self.rows.path.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        write(&mut self.writer, &rows).map_err(as_io)?;
        self.drained()
    }

    fn drained(&mut self) -> io::Result<()> {
        let mut bytes = self.drain.locked();
        self.out.write_all(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

/// The columns, in their order.
fn schema() -> Result<Type, ParquetError> {
    let mut fields = Vec::new();
    let mut text = |name, repetition| {
        let column = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String))
            .with_repetition(repetition)
            .build()?;
        fields.push(Arc::new(column));
        Ok::<(), ParquetError>(())
    };
    text("path", Repetition::REQUIRED)?;
    text("name", Repetition::REQUIRED)?;
    let integer = |name, bits: i8, is_signed, repetition| {
        let physical = if bits == 64 {
            Physical::INT64
        } else {
            Physical::INT32
        };
        Type::primitive_type_builder(name, physical)
            .with_logical_type(Some(LogicalType::integer(bits, is_signed)))
            .with_repetition(repetition)
            .build()
            .map(Arc::new)
    };
    for moment in MOMENTS {
        fields.push(integer(moment, 64, false, Repetition::REQUIRED)?);
    }
    for number in ["pid", "track"] {
        fields.push(integer(number, 32, false, Repetition::REQUIRED)?);
    }
    let track_name = Type::primitive_type_builder("track_name", Physical::BYTE_ARRAY)
        .with_logical_type(Some(LogicalType::String))
        .with_repetition(Repetition::OPTIONAL)
        .build()?;
    fields.push(Arc::new(track_name));
    fields.push(integer("flags", 64, false, Repetition::REQUIRED)?);
    for (name, is_signed) in CARRIED {
        fields.push(integer(name, 64, is_signed, Repetition::OPTIONAL)?);
    }
    Type::group_type_builder("spans")
        .with_fields(fields)
        .build()
}

fn write(writer: &mut SerializedFileWriter<Drain>, rows: &Rows) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    texts(&mut group, &rows.path, None)?;
    texts(&mut group, &rows.name, None)?;
    for moment in &rows.moments {
        longs(&mut group, moment, None)?;
    }
    for numbers in [&rows.pid, &rows.track] {
        let Some(mut column) = group.next_column()? else {
            continue;
        };
        column
            .typed::<Int32Type>()
            .write_batch(numbers, None, None)?;
        column.close()?;
    }
    texts(&mut group, &rows.track_name.0, Some(&rows.track_name.1))?;
    longs(&mut group, &rows.flags, None)?;
    for sparse in &rows.carried {
        longs(&mut group, &sparse.values, Some(&sparse.levels))?;
    }
    group.close()?;
    Ok(())
}

type Group<'a> = SerializedRowGroupWriter<'a, Drain>;

fn texts(
    group: &mut Group<'_>,
    values: &[ByteArray],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

fn longs(
    group: &mut Group<'_>,
    values: &[i64],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        let typed = column.typed::<Int64Type>();
        typed.write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

/// The system's error where it was one.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

impl Sink for Parquet<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let names = process.names.iter();
        let names = names.map(|named| {
            let (path, name) = (named.path.as_str(), named.name.as_str());
            (ByteArray::from(path), ByteArray::from(name))
        });
        self.names = names.collect();
        self.track = (None, None);
        Ok(())
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        if span.is_open {
            return Ok(());
        }
        if self.track.0 != Some(span.track) {
            let known = process.tracks.get(&span.track);
            let name = known.and_then(|known| known.name.as_deref());
            self.track = (Some(span.track), name.map(ByteArray::from));
        }
        let rows = &mut self.rows;
        let (path, name) = self
            .names
            .get(span.path.index())
            .cloned()
            .unwrap_or_default();
        rows.path.push(path);
        rows.name.push(name);
        // Unsigned numbers stand in the bits of signed ones.
        rows.moments[0].push(span.start_ns as i64);
        rows.moments[1].push(span.duration_ns as i64);
        rows.pid.push(process.pid as i32);
        rows.track.push(span.track as i32);
        rows.track_name.1.push(i16::from(self.track.1.is_some()));
        rows.track_name.0.extend(self.track.1.clone());
        rows.flags.push(span.flags.0 as i64);
        let unsigned = |number: Option<u64>| number.map(|number| number as i64);
        // More than 64 bits hold is no number here.
        let wide =
            |number: Option<u128>| unsigned(number.and_then(|number| number.try_into().ok()));
        let memory = span.memory;
        let values = [
            unsigned(span.process_ns),
            unsigned(span.thread_ns),
            unsigned(span.wall_ns),
            memory.map(|memory| memory.net_bytes),
            unsigned(memory.map(|memory| memory.peak_bytes)),
            wide(span.work.flop),
            wide(span.work.bytes),
        ];
        for (sparse, value) in rows.carried.iter_mut().zip(values) {
            sparse.push(value);
        }
        if rows.path.len() == GROUP {
            self.write()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write()?;
        self.writer.finish().map_err(as_io)?;
        self.drained()?;
        self.out.flush()
    }
}
