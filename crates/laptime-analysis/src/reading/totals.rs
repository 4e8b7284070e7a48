//! Totals of one process over one stretch of the run: all of it, or its steady state.
//!
//! While all spans come from one track, their durations say how much of the wall time they
//! cover. A span that lies only partly inside the stretch (still open at the end, or begun
//! before it) adds its inside part to the total and is not counted; so does one that an
//! exception cut short.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::anchor::Rate;
use laptime_core::{DeviceMemoryTally, DeviceTally, PathId, PathTable, Span, SpanFlags, Tallies};

use crate::reading::suspended_spans::SuspendedSpan;

/// Time of spans that lie only partly inside the stretch.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Partial {
    /// Number of spans.
    pub count: u64,
    /// Time of the spans inside of the stretch.
    pub total_ns: u64,
    /// Time that their parents' self time loses.
    pub nested_ns: u64,
}

impl Partial {
    /// Adds the spans of another process.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        for (sum, part) in [
            (&mut self.total_ns, other.total_ns),
            (&mut self.nested_ns, other.nested_ns),
        ] {
            *sum = sum.saturating_add(part);
        }
    }
}

/// Totals of one process.
#[derive(Debug, Clone)]
pub struct Totals {
    /// Spans of the track that the process began with.
    pub first: Tallies,
    /// Spans of all other tracks. A piece goes on with a span of its own side of the two.
    pub others: Tallies,
    /// Spans that lie partly inside, by path.
    pub partial: BTreeMap<PathId, Partial>,
    /// Spans that lie partly inside and were suspended for a part of their time, until [`Self::settle_rests`].
    pub(super) rests: Vec<SuspendedSpan>,
    /// Start of the first span, in ticks.
    pub first_start: u64,
    /// End of the last span, in ticks.
    pub last_end: u64,
    first_track: u32,
    /// A track that covers time; `u32::MAX` before any does.
    track: u32,
    /// Whether other tracks cover time too.
    pub(super) has_others: bool,
    /// Time of spans whose parents ran elsewhere, by path: no parent covers it.
    detached_ns: BTreeMap<PathId, u64>,
    /// Number of runs of each stretch whose operations are known.
    pub ran: BTreeMap<u32, u64>,
    /// Times of its spans on devices.
    pub on_devices: BTreeMap<PathId, DeviceTally>,
    /// Memory of its spans on devices.
    pub device_memory: BTreeMap<PathId, DeviceMemoryTally>,
}

impl Totals {
    /// Creates totals of nothing.
    pub fn new(first_track: u32) -> Self {
        Self {
            first: Tallies::new(),
            others: Tallies::new(),
            partial: BTreeMap::new(),
            rests: Vec::new(),
            first_start: u64::MAX,
            last_end: 0,
            first_track,
            track: u32::MAX,
            has_others: false,
            detached_ns: BTreeMap::new(),
            ran: BTreeMap::new(),
            on_devices: BTreeMap::new(),
            device_memory: BTreeMap::new(),
        }
    }

    /// Returns totals of no span at all, of the same process.
    pub fn emptied(&self) -> Self {
        Self::new(self.first_track)
    }

    /// Tells whether spans ran on more than one track, so that durations don't tell what they cover.
    pub fn has_tracks(&self) -> bool {
        self.has_others
    }

    #[inline]
    pub(super) fn covers(&mut self, start: u64, end: u64, track: u32) {
        self.first_start = self.first_start.min(start);
        self.last_end = self.last_end.max(end);
        if track != self.track {
            self.runs_on(track);
        }
    }

    #[cold]
    fn runs_on(&mut self, track: u32) {
        self.has_others |= self.track != u32::MAX && self.track != track;
        self.track = track;
    }

    /// Adds a finished span that lies inside and has nothing unusual; times in ticks.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the innermost loop of reading
    pub fn take_plain(&mut self, path: PathId, start: u64, duration: u64, track: u32, rate: Rate) {
        let duration_ns = rate.nanoseconds(duration);
        self.covers(start, start.saturating_add(duration), track);
        if track == self.first_track {
            self.first.fold_plain(path, duration_ns);
        } else {
            self.others.fold_plain(path, duration_ns);
        }
    }

    fn tallies_of(&mut self, track: u32) -> &mut Tallies {
        if track == self.first_track {
            &mut self.first
        } else {
            &mut self.others
        }
    }

    /// Adds any finished span that lies inside.
    pub fn take(&mut self, span: &Span, rate: Rate) {
        if span.flags == SpanFlags::NONE {
            self.take_plain(span.path, span.start, span.duration, span.track, rate);
            return;
        }
        let ns = rate.nanoseconds(span.duration);
        let is_finished = !span.flags.has(SpanFlags::UNFINISHED);
        if is_finished {
            self.tallies_of(span.track).fold(span, rate);
        } else {
            self.take_part(span.path, span.flags, ns);
        }
        if span.flags.has(SpanFlags::ASIDE) {
            return;
        }
        self.covers(span.start, span.end(), span.track);
        if span.flags.has(SpanFlags::DETACHED) && is_finished {
            self.detached(span.path, ns);
        }
    }

    fn detached(&mut self, path: PathId, ns: u64) {
        let detached_ns = self.detached_ns.entry(path).or_default();
        *detached_ns = detached_ns.saturating_add(ns);
    }

    /// Tells whether spans of a path were taken on the first track, or on the others.
    pub fn has(&self, path: PathId, track: u32) -> bool {
        if track == self.first_track {
            self.first.has(path)
        } else {
            self.others.has(path)
        }
    }

    /// Returns how many spans of a path are finished, and how long they ran.
    pub fn finished(&mut self, path: PathId) -> (u64, u64) {
        let both = [&mut self.first, &mut self.others];
        let found = both.into_iter().filter_map(|one| one.settled_at(path));
        found.fold((0, 0), |(count, total_ns): (u64, u64), tally| {
            (count + tally.count, total_ns.saturating_add(tally.total_ns))
        })
    }

    /// Adds the totals of a later part of the same process.
    pub fn append(&mut self, later: Self) {
        self.first.append(later.first);
        self.others.append(later.others);
        for (path, partial) in later.partial {
            self.partial.entry(path).or_default().merge(partial);
        }
        self.first_start = self.first_start.min(later.first_start);
        self.last_end = self.last_end.max(later.last_end);
        self.has_others |= later.has_others;
        if later.track != u32::MAX {
            self.runs_on(later.track);
        }
        for (path, ns) in later.detached_ns {
            self.detached(path, ns);
        }
        for (stretch, times) in later.ran {
            *self.ran.entry(stretch).or_default() += times;
        }
        for (path, told) in later.on_devices {
            self.on_devices.entry(path).or_default().merge(told);
        }
        for (path, told) in later.device_memory {
            self.device_memory.entry(path).or_default().merge(told);
        }
    }

    /// Adds a span of which only `ns` lie in this stretch of the run.
    pub(super) fn take_part(&mut self, path: PathId, flags: SpanFlags, ns: u64) {
        let is_aside = flags.has(SpanFlags::ASIDE);
        let nested_ns = if flags.takes_nothing() { 0 } else { ns };
        if !is_aside && nested_ns == 0 {
            self.detached(path, ns);
        }
        let partial = self.partial.entry(path).or_default();
        let is_new = partial.count == 0 || !flags.has(SpanFlags::CONTINUES);
        partial.merge(Partial {
            count: u64::from(is_new),
            total_ns: ns,
            nested_ns,
        });
    }

    /// Tells whether an outermost path has no span of its own and others inside: its own were lost, or nobody
    /// saw them end.
    pub fn has_lost(&mut self, paths: &PathTable) -> bool {
        let finished = self.first.settled().chain(self.others.settled());
        let partial = self.partial.keys().copied();
        let ids: BTreeSet<PathId> = finished.map(|(id, _)| id).chain(partial).collect();
        let outermost = |id: PathId| {
            let parent = |id: &PathId| paths.get(*id).map(|entry| entry.parent);
            let around = |id: &PathId| parent(id).filter(|parent| *parent != PathId::ROOT);
            std::iter::successors(Some(id), around).last()
        };
        // What ran apart from the one around it is covered by itself.
        ids.iter()
            .filter(|id| !self.detached_ns.contains_key(id))
            .filter_map(|id| outermost(*id))
            .any(|id| !ids.contains(&id))
    }

    /// Returns the time that the spans of the only track cover, each moment once; `tail` holds further spans of
    /// it.
    ///
    /// A path without a span of its own is covered by those inside: its own were lost, or are
    /// open where nobody could see them.
    pub fn covered_ns(&mut self, paths: &PathTable, tail: &mut Tallies) -> u64 {
        let mut own_ns = vec![0_u64; paths.len()];
        let partial = self.partial.iter();
        let finished = self.first.settled().chain(self.others.settled());
        for (id, ns) in (finished.chain(tail.settled()))
            .map(|(id, tally)| (id, tally.nested_ns()))
            .chain(partial.map(|(id, partial)| (*id, partial.nested_ns)))
        {
            if let Some(own_ns) = own_ns.get_mut(id.index()) {
                *own_ns = own_ns.saturating_add(ns);
            }
        }
        let mut inner_ns = vec![0_u64; paths.len()];
        // A child's number is above its parent's: one sweep from the end adds up all.
        for index in (1..paths.len()).rev() {
            let id = PathId(index as u32);
            let Some(entry) = paths.get(id) else {
                continue;
            };
            let has_spans = own_ns[index] > 0 || self.detached_ns.contains_key(&id);
            let covered_ns = if has_spans {
                own_ns[index]
            } else {
                inner_ns[index]
            };
            let parent_ns = &mut inner_ns[entry.parent.index()];
            *parent_ns = parent_ns.saturating_add(covered_ns);
        }
        let detached_ns = self.detached_ns.values().copied();
        detached_ns.fold(inner_ns[PathId::ROOT.index()], u64::saturating_add)
    }
}
