//! One process while it is being read, by the passes in `reading.rs`: everything kept of it.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::anchor::Rate;
use laptime_core::format::process::{OpenSpan, ProcessHeader};
use laptime_core::{
    Anchors, DeviceMemoryTally, DeviceSpan, DeviceTally, Live, PathId, PathTable, ProcessFacts,
    Total,
};
use laptime_core::{ProcessMemory, SpanFlags, Tallies};

use crate::functions::call_records::Calls;
use crate::functions::stack_records::Stacks;
use crate::power::{Kept as Devices, OfLaps};
use crate::profiler::Kept;
use crate::reading::coverage::Covers;
use crate::reading::cuts::{Cut, Earlier};
use crate::reading::data_waits::Waits;
use crate::reading::epochs::Epochs;
use crate::reading::event_loop::blocking_laps::Turns;
use crate::reading::marks::Events;
use crate::reading::module_paths::Modules;
use crate::reading::recorder_samples::Readings;
use crate::reading::series::{Followed, STEP, Series, Step};
use crate::reading::totals::Totals;
use crate::summarize::columns::operations::left_out::LeftOutSpans;
use crate::summarize::columns::operations::stretches::Stretches;
use crate::summarize::wall_time;

use crate::reading::passes::Known;
pub use crate::reading::passes::{FirstPass, SecondPass};

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
    /// The steady state's first tick.
    pub from: u64,
    /// That tick as `CLOCK_MONOTONIC` ns.
    pub since_ns: u64,
    /// Totals without the windows that are still to be read again.
    pub totals: Totals,
    /// What follows it is summed up; all windows are read again when there is none.
    pub(super) cut: Option<Cut>,
}

impl SteadyTotals {
    /// Before which tick the spans of a slot must have begun to be of any use; `None` when all are known.
    pub(super) fn wanted_before(&self, offset: u64) -> Option<u64> {
        let cut = self.cut.as_ref();
        cut.map_or(Some(u64::MAX), |cut| cut.ticks_before(offset))
    }
}

/// How spans and segments cover time.
#[derive(Debug, Clone, Copy)]
pub struct Covered {
    /// Time covered at all.
    pub ns: u64,
    /// Whether that is all: what only spans inside of a lost one cover isn't known where several tracks have spans.
    pub is_all: bool,
    /// Time that spans of several tracks cover, for each but one of them.
    pub parallel_ns: u64,
    /// Time that outermost spans of the only track cover, for each but one of them.
    pub doubled_ns: u64,
}

/// One process.
#[derive(Debug)]
pub struct Process {
    pub file: String,
    pub header: ProcessHeader,
    /// When it started, `CLOCK_MONOTONIC` ns.
    pub started_ns: u64,
    pub is_live: bool,
    /// When it became another program that is recorded too (`exec`): when that one's recording began.
    pub replaced_ns: Option<u64>,
    pub anchors: Anchors,
    pub paths: PathTable,
    pub open: Vec<OpenSpan>,
    pub(super) rate: Rate,
    pub(super) known: Vec<Known>,
    /// Totals of the whole run once everything was read; until then of what follows the last cut.
    pub totals: Totals,
    pub earlier: Earlier,
    /// When spans and segments covered time.
    pub covers: Covers,
    /// End of the last span or segment of any track, in ticks; known after the first pass.
    pub last_end: u64,
    /// When the recorder itself noted something last, in ticks.
    pub last_noted: u64,
    /// Filled by the second pass.
    pub steady: Option<SteadyTotals>,
    /// Spans of which warm-up may be told.
    pub followed: Followed,
    pub epochs: Epochs,
    pub events: Events,
    pub tracks: Vec<NamedTrack>,
    pub notes: BTreeSet<(String, String)>,
    pub resident_peak_bytes: Option<u64>,
    /// The latest word on host memory, and when it was noted, in ticks.
    pub memory: Option<(u64, ProcessMemory)>,
    pub lost: u64,
    pub unsealed: u64,
    pub truncated: u64,
    /// Spans that ran inside of another one of `<deep>`.
    pub folded_spans: u64,
    /// Spans that ran inside of one of the same path.
    pub recursive_spans: u64,
    /// Spans of `<overflow>` whose time is that of what they ran inside of.
    pub overflowed_spans: u64,
    /// Windows of its file that hold nothing though they should.
    pub empty_windows: u64,
    /// Bytes that its file has; `None` for the running process.
    pub file_bytes: Option<u64>,
    /// Where the last window begins that was read.
    pub(super) read_to: Option<u64>,
    /// Later spans of a snapshot, which were folded without their tracks.
    pub tail: Tallies,
    /// When the first of those began, in ticks.
    pub tail_since: u64,
    /// How often each stretch ran, by the tail of a snapshot.
    pub tail_ran: BTreeMap<u32, u64>,
    /// What devices told of its spans.
    pub tail_on_devices: BTreeMap<PathId, DeviceTally>,
    /// What devices' allocators told of them.
    pub tail_device_memory: BTreeMap<PathId, DeviceMemoryTally>,
    /// What stretches do each time.
    pub stretches: Stretches,
    /// How long its threads were kept from a CPU.
    pub readings: Readings,
    /// Its paths that are those of a network's modules.
    pub modules: Modules,
    /// When it waited longest for its data.
    pub waits: Waits,
    /// Which laps held the event loop of their tasks.
    pub turns: Turns,
    /// What its threads were doing, where that was sampled.
    pub stacks: Stacks,
    /// Which functions were called, where that was counted.
    pub calls: Calls,
    /// Operators and kernels, where some steps were profiled.
    pub operators: Kept,
    /// What its devices said of themselves.
    pub devices: Devices,
    /// Its spans in which calls ran whose operations are left out, once the pass over laps is over.
    pub left_out: LeftOutSpans,
    /// What its laps drew from them, once the pass over laps is over.
    pub energies: OfLaps,
}

impl Process {
    /// The number of one of the first steps of a series, from 0, as the program counts them: those that ran under
    /// another name, counted and profiled ones, are steps too.
    pub fn number(&self, series: &Series, at: usize, step: Step) -> u64 {
        let entry = self.paths.get(series.path);
        let parent = entry.filter(|entry| &*entry.name == STEP);
        let aside = parent.map_or(0, |entry| {
            self.followed
                .aside_before(step.start, entry.parent, series.track)
        });
        at as u64 + aside
    }

    /// Takes in what the windows of a snapshot don't hold; paths are the reader's.
    pub fn take_live(&mut self, live: &Live) {
        self.is_live = true;
        self.notes.extend(live.notes.iter().cloned());
        self.tail = live.tail.clone();
        self.tail_since = live.tail_since;
        self.tail_ran = live.ran.clone();
        self.tail_on_devices = live.on_devices.clone();
        self.tail_device_memory = live.device_memory.clone();
        self.memory = live.memory.map(|memory| (u64::MAX, memory));
    }

    /// Takes in what is known once all windows were read.
    pub fn take_facts(&mut self, facts: ProcessFacts) {
        self.anchors = facts.anchors;
        self.open = facts.open;
        self.folded_spans = facts.folded_spans;
        self.recursive_spans = facts.recursive_spans;
        self.overflowed_spans = facts.overflowed_spans;
        self.empty_windows = facts.empty_windows;
        let of_spans = self.earlier.last_end().max(self.totals.last_end);
        self.last_end = self.last_end.max(of_spans);
    }

    /// Begins with what is known before its records: who it is, and its clock's rate.
    pub fn new(facts: ProcessFacts) -> Self {
        let started_ns = facts.started_ns();
        let ProcessFacts {
            file,
            header,
            anchors,
            file_bytes,
            is_running,
            ..
        } = facts;
        let mut process = Self {
            file,
            started_ns,
            is_live: is_running,
            replaced_ns: None,
            rate: anchors.rate(),
            anchors,
            paths: PathTable::new(),
            open: Vec::new(),
            known: Vec::new(),
            totals: Totals::new(header.main_track),
            earlier: Earlier::new(),
            covers: Covers::default(),
            last_end: 0,
            last_noted: 0,
            steady: None,
            followed: Followed::default(),
            epochs: Epochs::default(),
            events: Events::default(),
            tracks: Vec::new(),
            notes: BTreeSet::new(),
            modules: Modules::default(),
            turns: Turns::default(),
            waits: Waits::default(),
            stacks: Stacks::default(),
            calls: Calls::default(),
            operators: Kept::default(),
            devices: Devices::default(),
            left_out: LeftOutSpans::default(),
            energies: OfLaps::default(),
            resident_peak_bytes: None,
            memory: None,
            lost: header.lost,
            unsealed: 0,
            truncated: 0,
            folded_spans: 0,
            recursive_spans: 0,
            overflowed_spans: 0,
            empty_windows: 0,
            file_bytes,
            read_to: None,
            tail: Tallies::new(),
            tail_since: u64::MAX,
            tail_ran: BTreeMap::new(),
            tail_on_devices: BTreeMap::new(),
            tail_device_memory: BTreeMap::new(),
            stretches: Stretches::default(),
            readings: Readings::default(),
            header,
        };
        process.define(PathId::OVERFLOW, PathId::ROOT, PathTable::OVERFLOW_NAME);
        process
    }

    /// When its recording began, in ticks; a running process tells of all that it remembers.
    pub(super) fn began(&self) -> u64 {
        if self.file_bytes.is_none() {
            return 0;
        }
        self.header.anchor.ticks
    }

    /// Whether a span counts that a device told of. Of one that was open when recording began the device tells the
    /// whole, and not what it did since; and a running process may have forgotten the span meanwhile.
    pub(super) fn counts_on_device(&self, span: &DeviceSpan) -> bool {
        if self.file_bytes.is_some() {
            return span.start >= self.began();
        }
        span.start.saturating_add(span.duration) >= self.header.anchor.ticks
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
        // What is open is counted up to the last sign of life.
        let covers = self.covers_until(to.min(totals.last_end.max(from)));
        let added_ns = totals.covered_ns(&self.paths, &mut tail);
        // A lap that was written afterwards holds none of what ran in its time.
        let overlap = covers.doubled(from, to) > 0 && self.tail_is_empty();
        let spans_ns = if totals.has_tracks() || overlap {
            self.rate.nanoseconds(covers.by_spans(from, to))
        } else {
            added_ns
        };
        let excess_ns = added_ns.saturating_sub(spans_ns);
        let (parallel_ns, doubled_ns) = if totals.has_tracks() {
            (excess_ns, 0)
        } else {
            (0, excess_ns)
        };
        let segments_ns = self.rate.nanoseconds(covers.only_segments(from, to));
        Some(Covered {
            is_all: !totals.has_tracks() || !totals.has_lost(&self.paths),
            ns: spans_ns.saturating_add(segments_ns),
            parallel_ns,
            doubled_ns,
        })
    }

    /// Whether it went on when its recording did not: nothing more could be written, or the file's end is gone.
    pub fn ends_early(&self) -> bool {
        let is_shorter = |length: u64| self.file_bytes.is_some_and(|there| there < length);
        let is_cut = self.truncated > 0 || self.header.length.is_some_and(is_shorter);
        let is_empty = !self.is_live && self.empty_windows > 0;
        self.header.loss_reason.is_some() || is_cut || is_empty
    }

    /// When the interpreter began to exit, in ticks: where that was noted, and the program did something
    /// worth telling between its last lap and then.
    pub fn exits_at(&self) -> Option<u64> {
        let mut notes = self.notes.iter();
        let (_, at) = notes.find(|(code, _)| code == wall_time::EXITS)?;
        let exits_at: u64 = at.parse().ok()?;
        let timeline = self.anchors.timeline();
        let lived_ns = timeline
            .monotonic_ns(exits_at)
            .saturating_sub(self.started_ns);
        let after_ns = self
            .rate
            .nanoseconds(exits_at.saturating_sub(self.last_end));
        (after_ns as f64 >= wall_time::AFTER_RATIO * lived_ns as f64).then_some(exits_at)
    }

    /// How much of its time outermost laps of any track cover, those that were open at `end_ns` included.
    pub fn lapped_ns(&self, end_ns: u64) -> u64 {
        let end = self.anchors.timeline().ticks_at(end_ns);
        let covers = self.covers_until(end);
        let mut tail = self.tail.clone();
        let kept_ns = self.rate.nanoseconds(covers.by_spans(0, u64::MAX));
        let tail_ns = tail.settled().map(|(_, tally)| tally.nested_ns());
        kept_ns.saturating_add(tail_ns.total())
    }

    /// When spans and segments covered time, those included that were open until a tick.
    pub fn covers_until(&self, to: u64) -> Covers {
        let mut covers = self.covers.clone();
        let mut track_before = None;
        for open in &self.open {
            // The outermost one of a track holds the others.
            if track_before.replace(open.track) != Some(open.track) {
                let end = to.max(open.start);
                covers.add(open.start, end, end - open.start);
            }
        }
        covers
    }

    /// Adds the spans that were open when the process ended, from `from` (or the whole run) to `end`, in ticks.
    pub fn take_open(&self, totals: &mut Totals, from: u64, end: u64) {
        let mut track_before = None;
        for open in &self.open {
            let is_first = track_before.replace(open.track) != Some(open.track);
            if open.path == PathId::OVERFLOW && !is_first {
                continue; // its time is in that of what is around it
            }
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

    /// Whether it has no lap and no segment: it waits for others, or did nothing that anybody asked about.
    pub fn is_idle(&self) -> bool {
        let has_spans = self.totals.first_start != u64::MAX || self.earlier.last_end() > 0;
        !has_spans
            && self.open.is_empty()
            && self.covers.segments().is_none()
            && self.tail_is_empty()
    }

    /// Whether every span came as a record.
    pub fn tail_is_empty(&self) -> bool {
        self.tail.clone().settled().next().is_none()
    }

    /// Whether it became that program, by an `exec`, perhaps with others between.
    pub fn became(&self, other: &Self) -> bool {
        let of = |process: &Self| {
            let header = &process.header;
            (
                header.pid,
                header.process_started_boottime_ns,
                header.boot_id,
            )
        };
        let began_ns = |process: &Self| process.header.anchor.monotonic_ns;
        self.header.process_started_boottime_ns.is_some()
            && of(self) == of(other)
            && began_ns(other) > began_ns(self)
    }

    /// Drops what each path did.
    pub fn forget_tallies(&mut self) {
        self.totals.first = Tallies::new();
        self.totals.others = Tallies::new();
        self.tail = Tallies::new();
    }

    /// Finished spans; pieces that continue one are not counted.
    pub fn span_count(&mut self) -> u64 {
        let told: u64 = [
            &mut self.totals.first,
            &mut self.totals.others,
            &mut self.tail,
        ]
        .into_iter()
        .map(|tallies| tallies.settled().map(|(_, tally)| tally.count).total())
        .total();
        told + self.overflowed_spans
    }
}
