//! Finished spans as plain columns, a window at a time: what `Recording.spans()` hands out.
//!
//! [`SpanReader`] reads one process file. Its header is read first; every window may then
//! be decoded on its own, in any order. Moments are nanoseconds of `CLOCK_MONOTONIC`,
//! mapped with the anchors known so far: those of the header and of the windows decoded.

use laptime_core::format::process::ProcessHeader;
use laptime_core::format::window::Window;
use laptime_core::format::{reader::Visit, record::Record};
use laptime_core::{FormatError, PathId, PathTable, Span};

use crate::error::AnalysisError;
use crate::timeline::Anchors;

/// Columns of equal length, one entry a span, in order of their ends per writer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpanColumns {
    /// Index into [`SpanReader::paths`].
    pub path: Vec<u32>,
    /// When it opened, `CLOCK_MONOTONIC` ns.
    pub start_ns: Vec<u64>,
    /// How long it ran, in ns.
    pub duration_ns: Vec<u64>,
    /// Thread or task.
    pub track: Vec<u32>,
    /// What is unusual about it: bits of [`laptime_core::SpanFlags`].
    pub flags: Vec<u64>,
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

/// Reads the spans of one process file.
#[derive(Debug, Clone)]
pub struct SpanReader {
    file: String,
    header: ProcessHeader,
    anchors: Anchors,
    paths: PathTable,
}

impl SpanReader {
    /// From the first bytes of a process file.
    pub fn new(prefix: &[u8], file: &str) -> Result<Self, AnalysisError> {
        let header = ProcessHeader::parse(prefix).map_err(|source| AnalysisError::Format {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            anchors: Anchors::new(&header),
            header,
            paths: PathTable::new(),
        })
    }

    /// Who wrote the file.
    pub fn header(&self) -> &ProcessHeader {
        &self.header
    }

    /// The paths of the windows decoded so far.
    pub fn paths(&self) -> &PathTable {
        &self.paths
    }

    /// Decodes one slot; no span for one that was never used.
    ///
    /// **Errors** at damage, with file and offset.
    pub fn decode(&mut self, bytes: &[u8], offset: u64) -> Result<SpanColumns, AnalysisError> {
        let damage = |file: &str, source: FormatError| AnalysisError::Format {
            file: file.to_owned(),
            source,
        };
        let window = Window::parse(bytes, offset).map_err(|source| damage(&self.file, source))?;
        let Some(window) = window else {
            return Ok(SpanColumns::default());
        };
        let mut ticks = Ticks {
            columns: SpanColumns::default(),
            anchors: &mut self.anchors,
            paths: &mut self.paths,
            wrong: None,
        };
        ticks.anchors.add(window.header.anchor);
        window
            .visit(&mut ticks)
            .map_err(|source| damage(&self.file, source))?;
        let (mut columns, wrong) = (ticks.columns, ticks.wrong);
        if let Some((path, what)) = wrong {
            return Err(AnalysisError::Path {
                file: self.file.clone(),
                offset,
                path: path.0,
                what,
            });
        }
        let (timeline, rate) = (self.anchors.timeline(), self.anchors.rate());
        for start in &mut columns.start_ns {
            *start = timeline.monotonic_ns(*start);
        }
        for duration in &mut columns.duration_ns {
            *duration = rate.nanoseconds(*duration);
        }
        Ok(columns)
    }
}

/// Fills columns in ticks.
struct Ticks<'r> {
    columns: SpanColumns,
    anchors: &'r mut Anchors,
    paths: &'r mut PathTable,
    wrong: Option<(PathId, &'static str)>,
}

impl Ticks<'_> {
    fn push(&mut self, span: &Span) {
        if self.paths.get(span.path).is_none() {
            self.wrong = Some((span.path, "uses the undefined"));
        }
        self.columns.path.push(span.path.0);
        self.columns.start_ns.push(span.start);
        self.columns.duration_ns.push(span.duration);
        self.columns.track.push(span.track);
        self.columns.flags.push(span.flags.0);
    }
}

impl<'a> Visit<'a> for Ticks<'_> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.push(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.push(&span),
            Record::Path { id, parent, name } => {
                let is_new = self.paths.define(id, parent, name);
                self.wrong = self
                    .wrong
                    .or((!is_new).then_some((id, "defines differently the")));
            }
            Record::Anchor(anchor) => self.anchors.add(anchor),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
