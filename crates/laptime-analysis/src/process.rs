//! One process file while it is being read: everything kept of it.
//!
//! [`FirstPass::plain_span`] is the hot path of reading: plain spans go from the window's
//! bytes into [`Totals`] one at a time and nothing else is kept of them.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::anchor::Rate;
use laptime_core::format::process::{OpenSpan, ProcessHeader, open_spans};
use laptime_core::format::window::{Window, WindowState};
use laptime_core::format::{reader::Visit, record::Record};
use laptime_core::{FormatError, Live, PathId, PathTable, ProcessMemory, Span, SpanFlags, Tallies};

use crate::cover::Covers;
use crate::earlier::{Cut, Earlier};
use crate::error::AnalysisError;
use crate::events::Events;
use crate::operations::Segments;
use crate::series::{STEP, Series};
use crate::timeline::Anchors;
use crate::totals::Totals;

/// Named tracks kept: programs with a task per request have millions.
const MOST_TRACKS: usize = 1_024;
/// Paths and tracks whose steps are followed: each keeps up to 100 kB.
const MOST_SERIES: usize = 64;
/// Different notes kept.
const MOST_NOTES: usize = 256;

/// What is known of a path number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    No,
    Yes,
    Step,
    /// A child of no span.
    Outermost,
    OutermostStep,
}

impl Known {
    fn is_step(self) -> bool {
        matches!(self, Self::Step | Self::OutermostStep)
    }

    fn is_outermost(self) -> bool {
        matches!(self, Self::Outermost | Self::OutermostStep)
    }
}

/// A thread or task with its name.
#[derive(Debug, Clone)]
pub struct NamedTrack {
    pub track: u32,
    pub is_task: bool,
    pub thread: u64,
    pub name: String,
}

/// Totals of the steady state.
#[derive(Debug)]
pub struct SteadyTotals {
    /// Its first tick.
    pub from: u64,
    /// The same as `CLOCK_MONOTONIC` ns.
    pub since_ns: u64,
    /// Without the windows that are still to be read again.
    pub totals: Totals,
    /// What follows it is summed up; all windows are read again when there is none.
    cut: Option<Cut>,
}

/// How spans and segments cover time.
#[derive(Debug, Clone, Copy)]
pub struct Covered {
    /// Time covered at all.
    pub ns: u64,
    /// Time that spans of several tracks cover, for each but one of them.
    pub parallel_ns: u64,
}

/// One process.
#[derive(Debug)]
pub struct Process {
    pub file: String,
    pub header: ProcessHeader,
    pub is_live: bool,
    pub anchors: Anchors,
    pub paths: PathTable,
    pub open: Vec<OpenSpan>,
    /// Nanoseconds a tick while reading; [`Self::correction`] makes up for what was learned later.
    rate: Rate,
    rate_ns: f64,
    known: Vec<Known>,
    /// Of the whole run once everything was read; until then of what follows the last cut.
    pub totals: Totals,
    pub earlier: Earlier,
    /// When spans and segments covered time.
    pub covers: Covers,
    /// End of the last span of any track, in ticks.
    pub last_end: u64,
    /// Filled by the second pass.
    pub steady: Option<SteadyTotals>,
    pub series: Vec<Series>,
    pub events: Events,
    pub tracks: Vec<NamedTrack>,
    pub notes: BTreeSet<(String, String)>,
    pub resident_peak_bytes: Option<u64>,
    /// The latest word on host memory, and when it was noted, in ticks.
    pub memory: Option<(u64, ProcessMemory)>,
    pub lost: u64,
    pub unsealed: u64,
    pub truncated: u64,
    /// Where the last bytes that were fed end in the file.
    pub fed_to: u64,
    /// Later spans of a snapshot, which were folded without their tracks.
    pub tail: Tallies,
    /// When the first of those began, in ticks.
    pub tail_since: u64,
    /// Of those, how often each segment ran.
    pub tail_ran: BTreeMap<u32, u64>,
    /// What segments do each time.
    pub segments: Segments,
}

impl Process {
    /// From the first bytes of a file.
    pub fn new(prefix: &[u8], file: &str) -> Result<Self, FormatError> {
        let header = ProcessHeader::parse(prefix)?;
        Ok(Self::begin(header, file, open_spans(prefix)))
    }

    /// From a snapshot of the running process.
    pub fn of_live(live: &Live) -> Self {
        let mut process = Self::begin(live.header.clone(), "", live.open.clone());
        process.is_live = true;
        for anchor in &live.anchors {
            process.anchors.add(*anchor);
        }
        process.settle_rate();
        for (id, entry) in live.paths.iter() {
            process.define(id, entry.parent, &entry.name);
        }
        process.notes.extend(live.notes.iter().cloned());
        process.tail = live.tail.clone();
        process.tail_since = live.tail_since;
        process.tail_ran = live.ran.clone();
        process.memory = live.memory.map(|memory| (u64::MAX, memory));
        process
    }

    fn begin(header: ProcessHeader, file: &str, open: Vec<OpenSpan>) -> Self {
        let anchors = Anchors::new(&header);
        let mut process = Self {
            file: file.to_owned(),
            is_live: false,
            rate: anchors.rate(),
            rate_ns: anchors.mean_ns_per_tick(),
            anchors,
            paths: PathTable::new(),
            open,
            known: Vec::new(),
            totals: Totals::new(header.main_track),
            earlier: Earlier::new(),
            covers: Covers::default(),
            last_end: 0,
            steady: None,
            series: Vec::new(),
            events: Events::default(),
            tracks: Vec::new(),
            notes: BTreeSet::new(),
            resident_peak_bytes: None,
            memory: None,
            lost: header.lost,
            unsealed: 0,
            truncated: 0,
            fed_to: 0,
            tail: Tallies::new(),
            tail_since: u64::MAX,
            tail_ran: BTreeMap::new(),
            segments: Segments::default(),
            header,
        };
        process.define(PathId::OVERFLOW, PathId::ROOT, PathTable::OVERFLOW_NAME);
        process
    }

    fn settle_rate(&mut self) {
        self.rate = self.anchors.rate();
        self.rate_ns = self.anchors.mean_ns_per_tick();
    }

    /// What durations must be multiplied by, now that all anchors are known.
    pub fn correction(&self) -> f64 {
        self.anchors.mean_ns_per_tick() / self.rate_ns
    }

    /// Everything was read: what follows a moment is about to be read again if it must be.
    pub fn begin_second_pass(&mut self, since_ns: u64) {
        let from = self.anchors.timeline().ticks_at(since_ns);
        let (cut, totals) = self.earlier.after(&self.totals, from);
        self.steady = Some(SteadyTotals {
            from,
            since_ns,
            totals,
            cut,
        });
        self.end_first_pass();
    }

    /// Everything was read: the totals become those of the whole run.
    pub fn end_first_pass(&mut self) {
        self.earlier.join(&mut self.totals);
    }

    /// Before which tick the spans of a slot must have begun to be of any use; `None` when all are known.
    pub fn wanted_before(&self, offset: u64) -> Option<u64> {
        let cut = self.steady.as_ref().and_then(|steady| steady.cut.as_ref());
        cut.map_or(Some(u64::MAX), |cut| cut.ticks_before(offset))
    }

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
    fn outstanding(&mut self, span: &Span, known: Known) {
        if span.flags.has(SpanFlags::ASIDE) {
            self.covers.add_segment(span.start, span.end());
        } else if known.is_outermost() || span.flags.has(SpanFlags::DETACHED) {
            self.covers.add(span.start, span.end(), span.duration);
        }
        if known.is_step() && !span.flags.has(SpanFlags::UNFINISHED) {
            self.step(span);
        }
    }

    fn step(&mut self, span: &Span) {
        let (path, track) = (span.path, span.track);
        let known = (self.series.iter()).position(|one| (one.path, one.track) == (path, track));
        let index = known.unwrap_or_else(|| {
            self.series.push(Series::new(path, track));
            self.series.len() - 1
        });
        if index < MOST_SERIES {
            self.series[index].push(span.start, span.duration, span.flags);
        } else {
            self.series.truncate(MOST_SERIES);
        }
    }

    /// The steps of the path and track that have most of them.
    pub fn steps(&self) -> Option<&Series> {
        let earlier = |one: &Series| (u32::MAX - one.path.0, u32::MAX - one.track);
        self.series
            .iter()
            .max_by_key(|one| (one.seen, earlier(one)))
    }

    /// Time of any track that the spans of `totals` cover, from one tick to another, each moment
    /// once, and what only timers' segments cover besides.
    ///
    /// `None` where a snapshot folded later spans whose tracks or moments would have to be known.
    pub fn covered(&self, totals: &mut Totals, from: u64, to: u64) -> Option<Covered> {
        let mut tail = self.tail.clone();
        let is_sure = !totals.has_tracks()
            && self.covers.segments().is_none()
            && tail.settled().all(|(_, tally)| tally.outside_ns == 0);
        if !self.tail_is_empty() && !is_sure {
            return None;
        }
        let mut covers = self.covers.clone();
        for open in &self.open {
            let end = to.max(open.start);
            covers.add(open.start, end, end - open.start);
        }
        // A snapshot, which alone has a tail, is read with its final rate: nothing is corrected.
        let ns = |ns: u64| (ns as f64 * self.correction()).round() as u64;
        let added_ns = totals.covered_ns(&self.paths, &mut tail);
        let spans_ns = if totals.has_tracks() {
            self.rate.nanoseconds(covers.by_spans(from, to))
        } else {
            added_ns
        };
        let segments_ns = self.rate.nanoseconds(covers.only_segments(from, to));
        Some(Covered {
            ns: ns(spans_ns.saturating_add(segments_ns)),
            parallel_ns: ns(added_ns.saturating_sub(spans_ns)),
        })
    }

    /// Takes in a record that is no span; what is wrong with it, if anything.
    #[cold]
    fn unlike_spans(&mut self, record: &Record<'_>) -> Option<(PathId, &'static str)> {
        match *record {
            Record::Path { id, parent, name } => {
                let is_wrong = !self.define(id, parent, name);
                return is_wrong.then_some((id, "defines differently the"));
            }
            Record::Mark { path, ticks, .. } => self.events.mark(path, ticks),
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
            Record::Operations(operations) => self.segments.learn(&operations),
            Record::Note { code, message } if self.notes.len() < MOST_NOTES => {
                self.notes.insert((code.to_owned(), message.to_owned()));
            }
            _ => {}
        }
        None
    }

    fn define(&mut self, id: PathId, parent: PathId, name: &str) -> bool {
        if !self.paths.define(id, parent, name) {
            return false;
        }
        if self.known.len() <= id.index() {
            self.known.resize(id.index() + 1, Known::No);
        }
        self.known[id.index()] = match (name == STEP, parent == PathId::ROOT) {
            (false, false) => Known::Yes,
            (true, false) => Known::Step,
            (false, true) => Known::Outermost,
            (true, true) => Known::OutermostStep,
        };
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

    /// Adds the spans that were open when the process ended, from `from` (or the whole run) to `end`, in ticks.
    pub fn take_open(&self, totals: &mut Totals, from: u64, end: u64) {
        let mut track_before = None;
        for open in &self.open {
            let is_first = track_before.replace(open.track) != Some(open.track);
            let is_outermost = self
                .paths
                .get(open.path)
                .is_some_and(|entry| entry.parent == PathId::ROOT);
            let flags = if is_first && !is_outermost {
                SpanFlags::DETACHED
            } else {
                SpanFlags::NONE
            };
            totals.take_open(open, flags, from, end, self.rate);
        }
    }

    /// Adds the spans that were open at `end_ns` to the totals of the whole run.
    pub fn take_open_until(&mut self, end_ns: u64) {
        let mut totals = std::mem::replace(&mut self.totals, Totals::new(self.header.main_track));
        let end = self.anchors.timeline().ticks_at(end_ns);
        self.take_open(&mut totals, 0, end);
        self.totals = totals;
    }

    /// Whether every span came as a record.
    pub fn tail_is_empty(&self) -> bool {
        self.tail.clone().settled().next().is_none()
    }

    /// Finished spans; pieces that continue one are not counted.
    pub fn span_count(&mut self) -> u64 {
        [
            &mut self.totals.first,
            &mut self.totals.others,
            &mut self.tail,
        ]
        .into_iter()
        .map(|tallies| tallies.settled().map(|(_, tally)| tally.count).sum::<u64>())
        .sum()
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
        if known != Known::Yes {
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
        } else if span.end() > self.from {
            self.totals.take_rest(&span, self.from, self.rate);
        }
    }
}
