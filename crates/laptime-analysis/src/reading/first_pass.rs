//! The first pass over a process's records: it takes in all of them.
//!
//! [`FirstPass::plain_span`] is the hot path of reading: plain spans go from the window's
//! bytes into [`Totals`](crate::reading::totals::Totals) one at a time and nothing else is kept of them.

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WindowHeader, WindowState};
use laptime_core::{PathId, Span, SpanFlags};

use crate::reading::feature::Feature;
use crate::reading::path_role::Noted;
use crate::reading::process::Process;

/// The visitor of the first pass, which takes in everything.
#[derive(Debug)]
pub struct FirstPass<'p> {
    process: &'p mut Process,
    rate: Rate,
    /// The window's place in the file.
    offset: u64,
    /// First tick after the last cut: spans that began before it lie before a cut.
    from: u64,
}

impl<'p> FirstPass<'p> {
    /// Begins the pass over a process's records.
    pub fn new(process: &'p mut Process) -> Self {
        FirstPass {
            rate: process.facts.rate,
            offset: 0,
            from: process.facts.began(),
            process,
        }
    }
}

impl FirstPass<'_> {
    /// Returns the part since the recording began of a span that was open already; `None` where that is
    /// nothing.
    fn since_the_beginning(&self, span: &Span) -> Option<Span> {
        let began = self.process.facts.began();
        if span.start >= began {
            return Some(*span);
        }
        let inside = span.end().saturating_sub(began);
        (inside > 0).then(|| Span {
            start: began,
            duration: span.duration.min(inside),
            flags: SpanFlags(span.flags.0 | SpanFlags::UNFINISHED.0),
            wall: span.wall.map(|_| inside),
            ..*span
        })
    }

    #[cold]
    fn unusual_span(&mut self, span: &Span) {
        let Some(span) = &self.since_the_beginning(span) else {
            return;
        };
        let spans = &mut self.process.spans;
        if span.flags.has(SpanFlags::ASIDE) {
            spans.last_end = spans.last_end.max(span.end());
        }
        spans
            .earlier
            .take(&mut spans.totals, span, self.rate, self.offset);
        let noted = spans.roles.noted(span.path).unwrap_or_default();
        self.noted_span(span, noted);
    }

    #[inline(never)]
    fn noted_span(&mut self, span: &Span, noted: Noted) {
        let (context, features) = self.process.with_context();
        features.take_span(span, noted, context);
    }

    #[cold]
    fn unlike_spans(&mut self, record: &Record<'_>) {
        if let Record::Path { id, parent, name } = *record {
            self.process.define(id, parent, name);
        } else {
            let (context, features) = self.process.with_context();
            features.take_record(record, context);
        }
    }
}

impl<'a> Visit<'a> for FirstPass<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always)] // the innermost loop of reading
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        let spans = &mut self.process.spans;
        let noted = spans.roles.noted(path);
        if start < self.from {
            self.unusual_span(&Span::plain(path, start, duration, track));
            return;
        }
        spans
            .totals
            .take_plain(path, start, duration, track, self.rate);
        if let Some(noted) = noted {
            self.noted_span(&Span::plain(path, start, duration, track), noted);
        }
    }

    fn other(&mut self, record: Record<'a>) {
        let Process { facts, spans, .. } = &mut *self.process;
        let (latest, offset) = (&mut spans.totals, self.offset);
        match record {
            Record::Span(span) => self.unusual_span(&span),
            Record::DeviceSpan(span) => {
                if facts.counts_on_device(&span) {
                    spans.earlier.on_device(latest, &span, offset);
                }
            }
            Record::DeviceMemory(span) => spans.earlier.device_memory(latest, &span, offset),
            Record::Ran { ticks, stretch } => spans.earlier.ran(latest, stretch, ticks, offset),
            record => self.unlike_spans(&record),
        }
    }
}

impl VisitProcess for FirstPass<'_> {
    fn window(&mut self, header: &WindowHeader, state: WindowState, offset: u64) {
        let Process {
            facts,
            paths,
            spans,
            ..
        } = &mut *self.process;
        spans.begin_window(paths.len(), offset, header.anchor.ticks);
        facts.take_window(header.lost, state);
        self.offset = offset;
        self.from = spans.earlier.latest_from(offset).max(facts.began());
    }
}
