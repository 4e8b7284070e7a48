//! Two passes over one process's records: of everything, and of the steady state.
//!
//! [`FirstPass::plain_span`] is the hot path of reading: plain spans go from the window's
//! bytes into [`Totals`](crate::reading::totals::Totals) one at a time and nothing else is kept of them.

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WindowHeader, WindowState};
use laptime_core::{PathId, PathTable, PhaseName, Span, SpanFlags};

use super::process::{NamedTrack, Process, SteadyTotals};
use crate::reading::series::STEP;

/// Named tracks kept: programs with a task per request have millions.
const MOST_TRACKS: usize = 1_024;
/// A moment between ticks may lie this much before the tick that it stands for.
const ROUNDING_NS: u64 = 1;
/// Different notes kept.
const MOST_NOTES: usize = 256;

/// What is known of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Spans of the path need nothing but their totals.
    Plain,
    /// More than totals is kept of the path's spans.
    Noted {
        /// What they are to epochs, counted ones too.
        phase: Option<PhaseName>,
        /// Steps inside of steps, which are no further ones of an epoch.
        is_nested: bool,
        is_step: bool,
        /// Children of no span.
        is_outermost: bool,
        /// Outermost spans that a program without steps may be there to do again and again.
        is_work: bool,
        /// Waits for data, within something else.
        is_data: bool,
    },
}

impl Known {
    fn of(id: PathId, name: &str, parent: PathId, paths: &PathTable) -> Self {
        let of = |name: &str| PhaseName::of(name).or_else(|| PhaseName::of_counted(name));
        let phase = of(name);
        let phase = phase.filter(|phase| phase.is_unit() || *phase == PhaseName::Epoch);
        let is_outermost = parent == PathId::ROOT;
        let is_data = !is_outermost && name == PhaseName::Data.text();
        if phase.is_none() && !is_outermost && !is_data {
            return Self::Plain;
        }
        let is_step = |name: &&str| of(name) == Some(PhaseName::Step);
        let is_nested = is_step(&name) && paths.names(parent).iter().any(is_step);
        Self::Noted {
            phase,
            is_nested,
            is_step: name == STEP,
            is_outermost,
            // Spans of `<overflow>` have one path and different names.
            is_work: is_outermost && name != PhaseName::Compile.text() && id != PathId::OVERFLOW,
            is_data,
        }
    }
}

impl Process {
    /// Notes what more than its totals is kept of some spans.
    #[inline(never)]
    fn outstanding(&mut self, span: &Span, known: Known) {
        let (phase, is_nested, is_step, is_outermost, is_work, is_data) = match known {
            Known::Noted {
                phase,
                is_nested,
                is_step,
                is_outermost,
                is_work,
                is_data,
            } => (phase, is_nested, is_step, is_outermost, is_work, is_data),
            Known::Plain => (None, false, false, false, false, false),
        };
        if is_data {
            self.waits.push(span.start, span.end());
        }
        if span.flags.has(SpanFlags::ASIDE) {
            self.covers.add_segment(span.start, span.end());
            return;
        }
        if span.flags.has(SpanFlags::HELD) {
            self.turns.hold(span);
        }
        if is_outermost || span.flags.has(SpanFlags::DETACHED) {
            self.turns.open(span, self.rate);
            self.covers.add(span.start, span.end(), span.duration);
        }
        if let Some(phase) = phase.filter(|_| !is_nested) {
            self.epochs.span(phase, span);
        }
        let is_aside = !is_step && phase == Some(PhaseName::Step);
        // With what is in another row, a rest is a whole step.
        let is_rest = is_aside && span.flags.has(SpanFlags::REST);
        if span.flags.has(SpanFlags::UNFINISHED) && !is_rest {
            return;
        }
        if is_step {
            self.followed.step(span);
        } else if is_aside {
            let parent = self.paths.get(span.path).map(|entry| entry.parent);
            self.followed.aside(span, parent.unwrap_or(PathId::ROOT));
        } else if is_work {
            self.followed.outermost(span);
        }
    }

    /// Takes in a record that is no span.
    #[cold]
    fn unlike_spans(&mut self, record: &Record<'_>) {
        match *record {
            Record::Path { id, parent, name } => self.define(id, parent, name),
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
            Record::TrackName {
                track,
                is_task,
                thread,
                name,
            } => {
                self.stacks.learn(record);
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
            Record::Sample {
                ticks,
                resident_bytes,
            } => {
                self.last_noted = self.last_noted.max(ticks);
                self.resident_peak_bytes = self.resident_peak_bytes.max(Some(resident_bytes));
            }
            Record::Memory { ticks, memory } => {
                self.readings.take(record);
                if self.memory.is_none_or(|(latest, _)| ticks >= latest) {
                    self.memory = Some((ticks, memory));
                }
            }
            Record::Delay { .. } | Record::Processors { .. } => self.readings.take(record),
            Record::Function { .. } | Record::Frame(_) | Record::Stack(_) => {
                self.stacks.learn(record);
            }
            Record::CalledFunction(_) | Record::Calls(_) => self.calls.learn(record),
            Record::OperatorName { .. } | Record::Operator(_) | Record::DeviceWork(_) => {
                self.operators.learn(record);
            }
            Record::DeviceSample(_) | Record::DeviceName { .. } | Record::DeviceLacks { .. } => {
                self.devices.learn(record);
            }
            Record::Operations(operations) => self.stretches.learn(&operations),
            Record::Module { path, depth, class } => {
                self.modules.learn(&self.paths, path, depth, class);
            }
            Record::Note { code, message } if self.notes.len() < MOST_NOTES => {
                self.notes.insert((code.to_owned(), message.to_owned()));
            }
            _ => {}
        }
    }

    pub(super) fn define(&mut self, id: PathId, parent: PathId, name: &str) {
        self.paths.define(id, parent, name);
        if self.known.len() <= id.index() {
            self.known.resize(id.index() + 1, Known::Plain);
        }
        self.known[id.index()] = Known::of(id, name, parent, &self.paths);
    }

    /// The first pass over its records.
    pub fn first_pass(&mut self) -> FirstPass<'_> {
        FirstPass {
            rate: self.rate,
            offset: 0,
            from: self.began(),
            process: self,
        }
    }

    /// The second pass, after [`Self::begin_second_pass`].
    pub fn second_pass(&mut self) -> Option<SecondPass<'_>> {
        self.steady.as_mut().map(|steady| SecondPass {
            rate: self.rate,
            before: u64::MAX,
            steady,
        })
    }
}

/// Takes in everything.
#[derive(Debug)]
pub struct FirstPass<'p> {
    process: &'p mut Process,
    rate: Rate,
    /// The window's place in the file.
    offset: u64,
    /// Spans that began before this tick lie before a cut.
    from: u64,
}

impl FirstPass<'_> {
    /// What a span that was open already when recording began did since; `None` where that is nothing.
    fn since_the_beginning(&self, span: &Span) -> Option<Span> {
        let began = self.process.began();
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
        let process = &mut *self.process;
        if span.flags.has(SpanFlags::ASIDE) {
            process.last_end = process.last_end.max(span.end());
        }
        process
            .earlier
            .take(&mut process.totals, span, self.rate, self.offset);
        let known = process.known.get(span.path.index()).copied();
        process.outstanding(span, known.unwrap_or(Known::Plain));
    }
}

impl<'a> Visit<'a> for FirstPass<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always)] // the innermost loop of reading
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        let process = &mut *self.process;
        let known = process.known.get(path.index()).copied();
        if start < self.from {
            self.unusual_span(&Span::plain(path, start, duration, track));
            return;
        }
        process
            .totals
            .take_plain(path, start, duration, track, self.rate);
        if let Some(known @ Known::Noted { .. }) = known {
            process.outstanding(&Span::plain(path, start, duration, track), known);
        }
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Span(span) = record {
            self.unusual_span(&span);
        } else if let Record::DeviceSpan(span) = record {
            let process = &mut *self.process;
            if process.counts_on_device(&span) {
                process
                    .earlier
                    .on_device(&mut process.totals, &span, self.offset);
            }
        } else if let Record::DeviceMemory(span) = record {
            let process = &mut *self.process;
            process
                .earlier
                .device_memory(&mut process.totals, &span, self.offset);
        } else if let Record::Ran { ticks, stretch } = record {
            let process = &mut *self.process;
            process
                .earlier
                .ran(&mut process.totals, stretch, ticks, self.offset);
        } else {
            self.process.unlike_spans(&record);
        }
    }
}

impl VisitProcess for FirstPass<'_> {
    fn window(&mut self, header: &WindowHeader, state: WindowState, offset: u64) {
        let process = &mut *self.process;
        if process.read_to.is_none_or(|last| last < offset) {
            process.read_to = Some(offset);
            let opened = header.anchor.ticks;
            let paths = process.paths.len();
            process
                .earlier
                .cut(&mut process.totals, paths, offset, opened);
        }
        process.lost = process.lost.max(header.lost);
        process.unsealed += u64::from(state == WindowState::Unsealed);
        process.truncated += u64::from(state == WindowState::Truncated);
        self.offset = offset;
        self.from = process.earlier.latest_from(offset).max(process.began());
    }
}

/// Takes in the spans of the steady state.
#[derive(Debug)]
pub struct SecondPass<'p> {
    steady: &'p mut SteadyTotals,
    rate: Rate,
    /// Spans that began later are known.
    before: u64,
}

impl<'a> Visit<'a> for SecondPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        if start >= self.steady.from && start < self.before {
            self.steady
                .totals
                .take_plain(path, start, duration, track, self.rate);
        } else {
            self.other(Record::Span(Span::plain(path, start, duration, track)));
        }
    }

    fn other(&mut self, record: Record<'a>) {
        let SteadyTotals { from, totals, .. } = &mut *self.steady;
        match record {
            Record::Ran { ticks, stretch } if (*from..self.before).contains(&ticks) => {
                *totals.ran.entry(stretch).or_default() += 1;
            }
            Record::DeviceSpan(span) if (*from..self.before).contains(&span.start) => {
                let told = totals.on_devices.entry(span.path).or_default();
                told.add(&span);
            }
            Record::DeviceMemory(span) if (*from..self.before).contains(&span.start) => {
                let told = totals.device_memory.entry(span.path).or_default();
                told.add(&span.memory);
            }
            Record::Span(span) if span.start >= *from && span.start < self.before => {
                totals.take(&span, self.rate);
            }
            Record::Span(span) if span.start < self.before => {
                let inside = span.end().saturating_sub(*from);
                if self.rate.nanoseconds(inside) > ROUNDING_NS {
                    totals.take_rest(&span, *from, self.rate);
                }
            }
            _ => {}
        }
    }
}

impl VisitProcess for SecondPass<'_> {
    fn wants(&self, offset: u64) -> bool {
        self.steady.wanted_before(offset).is_some()
    }

    fn window(&mut self, _: &WindowHeader, _: WindowState, offset: u64) {
        self.before = self.steady.wanted_before(offset).unwrap_or(0);
    }
}
