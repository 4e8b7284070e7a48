//! Between the records of a process and a format: ticks become nanoseconds, errors end the writing.

use std::io;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WindowHeader, WindowState};
use laptime_core::{PathId, Sampled, Span};

use crate::process::Process;
use crate::sink::{Moment, Sink};
use crate::span::SpanAt;

/// Takes in the records of one process once.
pub struct Pass<'e> {
    pub(crate) sink: &'e mut dyn Sink,
    pub(crate) process: &'e Process,
    pub(crate) open: &'e [SpanAt],
    pub(crate) number: usize,
    /// To be told at the end of the last pass.
    pub(crate) sampled: Option<&'e Sampled>,
    pub(crate) failed: Option<io::Error>,
    pub(crate) spans: &'e mut u64,
}

impl Pass<'_> {
    /// Ends the pass.
    ///
    /// **Errors** when something could not be written; the rest of the records was left out then.
    pub fn finish(self) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        for span in self.open {
            self.sink.span(self.process, span)?;
        }
        self.sink.pass_end(self.process, self.number)?;
        let sampled = self.sampled.filter(|sampled| !sampled.samples.is_empty());
        sampled.map_or(Ok(()), |sampled| self.sink.sampled(self.process, sampled))
    }

    fn keep(&mut self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.failed.get_or_insert(error);
        }
    }

    #[inline]
    fn span(&mut self, span: &Span) {
        let process = self.process;
        // A path that a running program made since the survey has no name here yet.
        if self.failed.is_some() || span.path.index() >= process.names.len() {
            return;
        }
        let at = process.span(span);
        if self.number == 0 {
            *self.spans += 1;
        }
        let outcome = self.sink.span(process, &at);
        self.keep(outcome);
    }
}

impl<'a> Visit<'a> for Pass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        if self.failed.is_some() {
            return;
        }
        let process = self.process;
        let outcome = match record {
            Record::Span(span) => return self.span(&span),
            Record::Mark { path, ticks, track } => {
                let at_ns = process.since(ticks);
                let at = Moment { path, track, at_ns };
                self.sink.mark(process, &at)
            }
            Record::Metric {
                path,
                ticks,
                value,
                track,
            } => {
                let at_ns = process.since(ticks);
                let at = Moment { path, track, at_ns };
                self.sink.metric(process, &at, value)
            }
            Record::Sample {
                ticks,
                resident_bytes,
                ..
            } => self
                .sink
                .resident(process, process.since(ticks), resident_bytes),
            Record::Memory { ticks, memory } => {
                self.sink.memory(process, process.since(ticks), memory)
            }
            Record::CalledFunction(function) => self.sink.function(process, &function),
            Record::Calls(calls) => self.sink.calls(process, &calls),
            _ => Ok(()),
        };
        self.keep(outcome);
    }
}

impl VisitProcess for Pass<'_> {
    fn wants(&self, _: u64) -> bool {
        self.failed.is_none()
    }

    fn window(&mut self, _: &WindowHeader, _: WindowState, _: u64) {
        if self.failed.is_none() {
            let outcome = self.sink.window_end(self.process);
            self.keep(outcome);
        }
    }
}
