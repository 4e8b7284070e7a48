//! Single spans as plain columns, a window at a time: what `Recording.spans()` hands out.
//!
//! The windows are read once before for the anchors and paths of all of them, so every moment and
//! duration is the one that the summary has, to the nanosecond.

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::WINDOW_LEN;
use laptime_core::{PathId, PathTable, Span, SpanMemory, Timeline};

use crate::{ReadError, RecordedProcess};

/// Columns of equal length, one entry a span, in order of their ends per writer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpanColumns {
    /// Told of its path in [`SpanRows::paths`].
    pub path: Vec<PathId>,
    /// When it opened, ns since the recording's zero.
    pub start_ns: Vec<u64>,
    /// How long it ran, in ns.
    pub duration_ns: Vec<u64>,
    /// Thread or task.
    pub track: Vec<u32>,
    /// What is unusual about it: bits of [`laptime_core::SpanFlags`].
    pub flags: Vec<u64>,
    /// Memory of each span, where that was counted.
    pub memory: Vec<Option<SpanMemory>>,
}

impl SpanColumns {
    /// How many spans.
    pub fn len(&self) -> usize {
        self.path.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }
}

/// The spans of one process.
#[derive(Debug)]
pub struct SpanRows {
    process: RecordedProcess,
    timeline: Timeline,
    rate: Rate,
    zero_ns: u64,
    next: usize,
}

impl SpanRows {
    /// Reads the anchors and paths of a process. Moments will count from `zero_ns`.
    ///
    /// **Errors** as [`RecordedProcess::read`].
    pub fn new(mut process: RecordedProcess, zero_ns: u64) -> Result<Self, ReadError> {
        process.read(&mut Nothing)?;
        let anchors = process.reader.facts().anchors;
        Ok(Self {
            timeline: anchors.timeline(),
            rate: anchors.rate(),
            process,
            zero_ns,
            next: 0,
        })
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.process.reader.header().pid
    }

    /// The paths of all spans.
    pub fn paths(&self) -> &PathTable {
        self.process.reader.paths()
    }

    /// The spans of the next window; `None` after the last one.
    ///
    /// **Errors** as [`RecordedProcess::read`].
    pub fn next_window(&mut self) -> Result<Option<SpanColumns>, ReadError> {
        let mut ticks = Ticks(SpanColumns::default());
        let outcome = {
            let reader = &mut self.process.reader;
            let Some(offset) = reader.windows.start(self.next) else {
                return Ok(None);
            };
            self.next += 1;
            let mut bytes = vec![0; WINDOW_LEN];
            let length = self.process.file.open()?.read(offset, &mut bytes)?;
            reader.window(&bytes[..length], offset, &mut ticks)
        };
        self.process.judge(outcome)?;
        let mut columns = ticks.0;
        for start in &mut columns.start_ns {
            let at_ns = self.timeline.monotonic_ns(*start);
            *start = at_ns.saturating_sub(self.zero_ns);
        }
        for duration in &mut columns.duration_ns {
            *duration = self.rate.nanoseconds(*duration);
        }
        Ok(Some(columns))
    }
}

/// Wants the reader to learn, and nothing for itself.
struct Nothing;

impl Visit<'_> for Nothing {
    fn plain_span(&mut self, _: PathId, _: u64, _: u64, _: u32) {}

    fn other(&mut self, _: Record<'_>) {}
}

impl VisitProcess for Nothing {}

/// Fills columns in ticks.
struct Ticks(SpanColumns);

impl Ticks {
    fn push(&mut self, span: &Span) {
        let columns = &mut self.0;
        columns.path.push(span.path);
        columns.start_ns.push(span.start);
        columns.duration_ns.push(span.duration);
        columns.track.push(span.track);
        columns.flags.push(span.flags.0);
        columns.memory.push(span.memory);
    }
}

impl Visit<'_> for Ticks {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.push(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'_>) {
        if let Record::Span(span) = record {
            self.push(&span);
        }
    }
}

impl VisitProcess for Ticks {}
