//! An export: one format, told one process after the other.

use std::collections::HashSet;
use std::io;

use laptime_core::{PathId, PathTable, ProcessFacts, Sampled, Span, SpanFlags};

use crate::about::{About, Output};
use crate::format::Format;
use crate::pass::Pass;
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;
use crate::survey::Survey;

/// Numbers above those that a system gives its processes: Linux ends at 2²².
const FIRST_NUMBER: u32 = 1 << 22;

/// Writes a recording in a format.
pub struct Export<'w> {
    sink: Box<dyn Sink + 'w>,
    about: About,
    numbers: HashSet<u32>,
    process: Option<Process>,
    open: Vec<SpanAt>,
    sampled: Sampled,
    spans: u64,
}

impl<'w> Export<'w> {
    /// Begins to write.
    pub fn new(format: Format, out: Output<'w>, about: About) -> io::Result<Self> {
        let sink = format.sink(out, &about)?;
        Ok(Self::with_sink(sink, about))
    }

    pub(crate) fn with_sink(sink: Box<dyn Sink + 'w>, about: About) -> Self {
        Self {
            sink,
            about,
            numbers: HashSet::new(),
            process: None,
            open: Vec::new(),
            sampled: Sampled::default(),
            spans: 0,
        }
    }

    /// Begins a process, whose records the survey took in and which ended, or was last seen, at
    /// `end_ns` of `CLOCK_MONOTONIC`; how often the records are to be read now. What was sampled of it is
    /// told by whoever knows the laps.
    pub fn process(
        &mut self,
        facts: &ProcessFacts,
        paths: &PathTable,
        survey: Survey,
        sampled: Sampled,
        end_ns: u64,
    ) -> io::Result<usize> {
        let number = self.number(facts.header.pid);
        let tracks = survey.finish();
        let process = Process::new(facts, paths, tracks, number, self.about.zero_ns);
        self.open = open(&process, facts, end_ns);
        self.sink.process(&process)?;
        self.process = Some(process);
        self.sampled = sampled;
        Ok(self.sink.passes())
    }

    /// A visitor of the process's records; `None` before the first process.
    pub fn pass(&mut self, number: usize) -> Option<Pass<'_>> {
        let is_last = number + 1 == self.sink.passes();
        Some(Pass {
            sampled: is_last.then_some(&self.sampled),
            sink: self.sink.as_mut(),
            process: self.process.as_ref()?,
            open: &self.open,
            number,
            failed: None,
            spans: &mut self.spans,
        })
    }

    /// How many finished spans were written.
    pub fn spans(&self) -> u64 {
        self.spans
    }

    /// Ends the format, once all processes were told.
    pub fn finish(self) -> io::Result<()> {
        self.sink.finish()
    }

    fn number(&mut self, pid: u32) -> u32 {
        let mut number = pid;
        while !self.numbers.insert(number) {
            number = if number < FIRST_NUMBER {
                FIRST_NUMBER
            } else {
                number.wrapping_add(1)
            };
        }
        number
    }
}

/// Spans that were open when a process ended, inner ones first, as finished spans come.
fn open(process: &Process, facts: &ProcessFacts, end_ns: u64) -> Vec<SpanAt> {
    let end = facts.anchors.timeline().ticks_at(end_ns);
    let mut spans = Vec::new();
    let mut track_before = None;
    for open in &facts.open {
        let is_first = track_before.replace(open.track) != Some(open.track);
        let entry = process.paths.get(open.path);
        let is_inner = entry.is_some_and(|entry| entry.parent != PathId::ROOT);
        // The outermost of a track runs beside the path that it stands under.
        let flags = if is_first && is_inner {
            SpanFlags::DETACHED
        } else {
            SpanFlags::NONE
        };
        let length = end.saturating_sub(open.start);
        let span = Span {
            flags,
            ..Span::plain(open.path, open.start, length, open.track)
        };
        spans.push(SpanAt {
            is_open: true,
            ..process.span(&span)
        });
    }
    spans.reverse();
    spans
}
