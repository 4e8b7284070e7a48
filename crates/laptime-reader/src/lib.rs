//! The one place that reads recordings.
//!
//! [`RecordingFiles`] finds what a path holds: a folder, a packed file, a process's file or a
//! reference. [`ProcessReader`] reads one process's bytes, window by window: it checks them, folds
//! paths that lie too deep, and settles the clock's rate before the first span. What it hands out
//! goes to a [`VisitProcess`](laptime_core::format::reader::VisitProcess), which may count on all
//! of that: the summary, the lanes of a page, a question about a metric, the single spans.
//!
//! Memory doesn't grow with the number of spans, and time grows with the bytes that are used.

#![forbid(unsafe_code)]

mod benchmark_file;
mod error;
mod files;
mod json_file;
mod looked_at;
pub mod named_file;
mod opened;
mod other_file;
mod paths;
mod process;
mod read_windows;
mod run;
mod snapshot;
mod spans;

pub use benchmark_file::{BenchmarkSamples, Benchmarks, benchmarks};
pub use error::{Damage, ReadError};
pub use files::{OpenFile, ProcessFile, process_id};
pub use opened::{LeftOut, RecordingFiles};
pub use other_file::OtherFile;
pub use process::{ProcessReader, RecordedProcess};
pub use spans::{SpanColumns, SpanRows};
