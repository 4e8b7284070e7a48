//! Reading one process file, window by window.
//!
//! [`FirstPass::plain_span`] is the hot path of reading: plain spans go from the window's
//! bytes into [`Totals`] one at a time and nothing else is kept of them.

use laptime_core::anchor::Rate;
use laptime_core::format::window::{Window, WindowState};
use laptime_core::format::{reader::Visit, record::Record};
use laptime_core::{FormatError, PathId, PhaseName, Span, SpanFlags};

use super::{NamedTrack, Process, SteadyTotals};
use crate::error::AnalysisError;
use crate::series::STEP;
use crate::totals::Totals;

/// Named tracks kept: programs with a task per request have millions.
const MOST_TRACKS: usize = 1_024;
/// A moment between ticks may lie this much before the tick that it stands for.
const ROUNDING_NS: u64 = 1;
/// Different notes kept.
const MOST_NOTES: usize = 256;

/// What is known of a path number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Nothing: it is undefined.
    No,
    /// Its spans need nothing but their totals.
    Plain,
    /// More is kept of its spans.
    Noted {
        /// What they are to epochs, counted ones too.
        phase: Option<PhaseName>,
        is_step: bool,
        /// Children of no span.
        is_outermost: bool,
        /// Of these, what a program without steps may be there to do again and again.
        is_work: bool,
    },
}

impl Known {
    fn of(name: &str, parent: PathId) -> Self {
        let phase = PhaseName::of(name).or_else(|| PhaseName::of_counted(name));
        let phase = phase.filter(|phase| phase.is_unit() || *phase == PhaseName::Epoch);
        let is_outermost = parent == PathId::ROOT;
        if phase.is_none() && !is_outermost {
            return Self::Plain;
        }
        Self::Noted {
            phase,
            is_step: name == STEP,
            is_outermost,
            is_work: is_outermost && name != PhaseName::Compile.text(),
        }
    }
}

impl Process {
    /// Takes in one slot. In the second pass only the steady totals grow.
    pub fn window(&mut self, bytes: &[u8], offset: u64) -> Result<(), AnalysisError> {
        let Some(before) = self.wanted_before(offset) else {
            return Ok(());
        };
        let is_next = offset >= self.fed_to;
        self.fed_to = self.fed_to.max(offset + bytes.len() as u64);
        let window = match Window::parse(bytes, offset) {
            Ok(Some(window)) => window,
            Ok(None) => return Ok(()),
            Err(source) => return Err(self.damage(source)),
        };
        let boot = self
            .header
            .boot_id
            .first_chunk()
            .copied()
            .map_or(0, u64::from_le_bytes);
        if window.header.boot != boot {
            return Err(AnalysisError::OtherBoot {
                file: self.file.clone(),
                offset,
                found: window.header.boot,
                expected: boot,
            });
        }
        if window.header.pid != self.header.pid {
            return Err(AnalysisError::Foreign {
                file: self.file.clone(),
                offset,
                found: window.header.pid,
                expected: self.header.pid,
            });
        }
        if let Some(mut steady) = self.steady.take() {
            let result = self.second_pass(&window, before, &mut steady);
            self.steady = Some(steady);
            return result;
        }
        if is_next {
            let opened = window.header.anchor.ticks;
            self.earlier
                .cut(&mut self.totals, self.paths.len(), offset, opened);
        }
        self.lost = self.lost.max(window.header.lost);
        self.unsealed += u64::from(window.state == WindowState::Unsealed);
        self.truncated += u64::from(window.state == WindowState::Truncated);
        self.anchors.add(window.header.anchor);
        self.first_pass(&window, offset)
    }

    fn first_pass(&mut self, window: &Window<'_>, offset: u64) -> Result<(), AnalysisError> {
        let mut pass = FirstPass {
            rate: self.rate,
            offset,
            from: self.earlier.latest_from(offset),
            last_end: self.last_end,
            process: self,
            wrong: None,
        };
        let result = window.visit(&mut pass);
        let (wrong, last_end) = (pass.wrong, pass.last_end);
        self.last_end = last_end;
        result.map_err(|source| self.damage(source))?;
        wrong.map_or(Ok(()), |(path, what)| {
            Err(AnalysisError::Path {
                file: self.file.clone(),
                offset,
                path: path.0,
                what,
            })
        })
    }

    /// Notes what more than its totals is kept of some spans.
    #[inline(never)]
    fn outstanding(&mut self, span: &Span, known: Known) {
        let (phase, is_step, is_outermost, is_work) = match known {
            Known::Noted {
                phase,
                is_step,
                is_outermost,
                is_work,
            } => (phase, is_step, is_outermost, is_work),
            Known::No | Known::Plain => (None, false, false, false),
        };
        if span.flags.has(SpanFlags::ASIDE) {
            self.covers.add_segment(span.start, span.end());
            return;
        }
        if is_outermost || span.flags.has(SpanFlags::DETACHED) {
            self.covers.add(span.start, span.end(), span.duration);
        }
        if let Some(phase) = phase {
            self.epochs.span(phase, span);
        }
        if span.flags.has(SpanFlags::UNFINISHED) {
            return;
        }
        if is_step {
            self.followed.step(span);
        } else if is_work {
            self.followed.outermost(span);
        }
    }

    /// Takes in a record that is no span; what is wrong with it, if anything.
    #[cold]
    fn unlike_spans(&mut self, record: &Record<'_>) -> Option<(PathId, &'static str)> {
        match *record {
            Record::Path { id, parent, name } => {
                let is_wrong = !self.define(id, parent, name);
                return is_wrong.then_some((id, "defines differently the"));
            }
            Record::Mark { path, ticks, track } => {
                self.events.mark(path, ticks);
                let name = self.paths.get(path).map(|entry| &*entry.name);
                if name == Some(PhaseName::Epoch.text()) {
                    self.epochs.mark(track, ticks);
                }
            }
            Record::Metric {
                path, ticks, value, ..
            } => self.events.metric(path, ticks, value),
            Record::Anchor(anchor) => self.anchors.add(anchor),
            Record::TrackName {
                track,
                is_task,
                thread,
                name,
            } => {
                let known = self.tracks.iter().position(|known| known.track == track);
                let named = NamedTrack {
                    track,
                    is_task,
                    thread,
                    name: name.to_owned(),
                };
                match known {
                    Some(index) => self.tracks[index] = named,
                    None if self.tracks.len() < MOST_TRACKS => self.tracks.push(named),
                    None => {}
                }
            }
            Record::Sample { resident_bytes, .. } => {
                self.resident_peak_bytes = self.resident_peak_bytes.max(Some(resident_bytes));
            }
            Record::Memory { ticks, memory }
                if self.memory.is_none_or(|(latest, _)| ticks >= latest) =>
            {
                self.memory = Some((ticks, memory));
            }
            Record::Delay { .. } | Record::Processors { .. } => self.readings.take(record),
            Record::Operations(operations) => self.segments.learn(&operations),
            Record::Note { code, message } if self.notes.len() < MOST_NOTES => {
                self.notes.insert((code.to_owned(), message.to_owned()));
            }
            _ => {}
        }
        None
    }

    pub(super) fn define(&mut self, id: PathId, parent: PathId, name: &str) -> bool {
        if !self.paths.define(id, parent, name) {
            return false;
        }
        if self.known.len() <= id.index() {
            self.known.resize(id.index() + 1, Known::No);
        }
        self.known[id.index()] = Known::of(name, parent);
        true
    }

    fn second_pass(
        &self,
        window: &Window<'_>,
        before: u64,
        steady: &mut SteadyTotals,
    ) -> Result<(), AnalysisError> {
        let mut pass = SecondPass {
            rate: self.rate,
            from: steady.from,
            before,
            totals: &mut steady.totals,
        };
        window
            .visit(&mut pass)
            .map_err(|source| self.damage(source))
    }

    fn damage(&self, source: FormatError) -> AnalysisError {
        AnalysisError::Format {
            file: self.file.clone(),
            source,
        }
    }
}

/// Takes in everything.
struct FirstPass<'p> {
    process: &'p mut Process,
    rate: Rate,
    /// Of the window.
    offset: u64,
    /// Spans that began before it lie before a cut.
    from: u64,
    last_end: u64,
    wrong: Option<(PathId, &'static str)>,
}

impl FirstPass<'_> {
    #[cold]
    fn unusual_span(&mut self, span: &Span) {
        let process = &mut *self.process;
        let known = process.known.get(span.path.index()).copied();
        let Some(known) = known.filter(|known| *known != Known::No) else {
            self.wrong = Some((span.path, "uses the undefined"));
            return;
        };
        self.last_end = self.last_end.max(span.end());
        process
            .earlier
            .take(&mut process.totals, span, self.rate, self.offset);
        process.outstanding(span, known);
    }
}

impl<'a> Visit<'a> for FirstPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        let process = &mut *self.process;
        let known = process.known.get(path.index()).copied();
        let known = known.unwrap_or(Known::No);
        if start < self.from || known == Known::No {
            self.unusual_span(&Span::plain(path, start, duration, track));
            return;
        }
        self.last_end = self.last_end.max(start.saturating_add(duration));
        process
            .totals
            .take_plain(path, start, duration, track, self.rate);
        if known != Known::Plain {
            process.outstanding(&Span::plain(path, start, duration, track), known);
        }
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Span(span) = record {
            self.unusual_span(&span);
        } else if let Record::Ran { ticks, segment } = record {
            let process = &mut *self.process;
            process
                .earlier
                .ran(&mut process.totals, segment, ticks, self.offset);
        } else if let Some(problem) = self.process.unlike_spans(&record) {
            self.wrong = Some(problem);
        }
    }
}

/// Takes in the spans of the steady state.
struct SecondPass<'t> {
    rate: Rate,
    from: u64,
    /// Spans that began later are known.
    before: u64,
    totals: &'t mut Totals,
}

impl<'a> Visit<'a> for SecondPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        if start >= self.from && start < self.before {
            self.totals
                .take_plain(path, start, duration, track, self.rate);
        } else {
            self.other(Record::Span(Span::plain(path, start, duration, track)));
        }
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Ran { ticks, segment } = record
            && (self.from..self.before).contains(&ticks)
        {
            *self.totals.ran.entry(segment).or_default() += 1;
        }
        let Record::Span(span) = record else { return };
        if span.start >= self.before {
            return;
        }
        if span.start >= self.from {
            self.totals.take(&span, self.rate);
        } else if self.rate.nanoseconds(span.end().saturating_sub(self.from)) > ROUNDING_NS {
            self.totals.take_rest(&span, self.from, self.rate);
        }
    }
}
