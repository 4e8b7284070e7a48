//! Totals of one process over one stretch of the run: all of it, or its steady state.
//!
//! Spans of the main track are kept apart from those of other tracks, since only they
//! share the wall time out between them. A span that lies only partly inside the stretch
//! (still open at the end, or begun before it) adds its inside part to the total and is
//! not counted; so does one that an exception cut short.

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::{PathId, PathTable, Span, SpanFlags, Tallies};

/// Time of spans that lie only partly inside the stretch.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Partial {
    /// How many spans.
    pub count: u64,
    /// Their time inside.
    pub total_ns: u64,
    /// The part of it that their parents' own time loses.
    pub nested_ns: u64,
    /// Of `nested_ns`, what ran on the main track.
    pub main_nested_ns: u64,
}

impl Partial {
    /// Adds those of another process.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        for (sum, part) in [
            (&mut self.total_ns, other.total_ns),
            (&mut self.nested_ns, other.nested_ns),
            (&mut self.main_nested_ns, other.main_nested_ns),
        ] {
            *sum = sum.saturating_add(part);
        }
    }
}

/// Totals of one process.
#[derive(Debug, Clone)]
pub struct Totals {
    main_track: u32,
    /// Spans of the main track.
    pub main: Tallies,
    /// Spans of all other tracks.
    pub others: Tallies,
    /// Spans that are partly inside.
    pub partial: BTreeMap<PathId, Partial>,
    /// Start of the first span of the main track, in ticks.
    pub first_start: u64,
    /// End of the last span of the main track, in ticks.
    pub main_end: u64,
    /// Time of main-track spans whose parents ran elsewhere: no parent covers it.
    detached_main_ns: BTreeMap<PathId, u64>,
    /// How often each segment ran whose operations are known.
    pub ran: BTreeMap<u32, u64>,
}

impl Totals {
    /// Nothing counted yet.
    pub fn new(main_track: u32) -> Self {
        Self {
            main_track,
            main: Tallies::new(),
            others: Tallies::new(),
            partial: BTreeMap::new(),
            first_start: u64::MAX,
            main_end: 0,
            detached_main_ns: BTreeMap::new(),
            ran: BTreeMap::new(),
        }
    }

    /// The same of no span at all.
    pub fn emptied(&self) -> Self {
        Self::new(self.main_track)
    }

    /// Adds a finished span that lies inside and has nothing unusual; times in ticks.
    #[inline]
    pub fn take_plain(&mut self, path: PathId, start: u64, duration: u64, track: u32, rate: Rate) {
        let duration_ns = rate.nanoseconds(duration);
        if track == self.main_track {
            self.first_start = self.first_start.min(start);
            self.main_end = self.main_end.max(start.saturating_add(duration));
            self.main.fold_plain(path, duration_ns);
        } else {
            self.others.fold_plain(path, duration_ns);
        }
    }

    /// Adds any finished span that lies inside.
    pub fn take(&mut self, span: &Span, rate: Rate) {
        if span.flags == SpanFlags::NONE {
            self.take_plain(span.path, span.start, span.duration, span.track, rate);
            return;
        }
        let is_main = span.track == self.main_track;
        if span.flags.has(SpanFlags::UNFINISHED) {
            let ns = rate.nanoseconds(span.duration);
            self.take_part(span.path, span.track, span.flags, ns);
        } else if is_main {
            self.main.fold(span, rate);
        } else {
            self.others.fold(span, rate);
        }
        if !is_main {
            return;
        }
        if !span.flags.has(SpanFlags::ASIDE) {
            self.first_start = self.first_start.min(span.start);
            self.main_end = self.main_end.max(span.end());
            if span.flags.has(SpanFlags::DETACHED) && !span.flags.has(SpanFlags::UNFINISHED) {
                let detached_ns = self.detached_main_ns.entry(span.path).or_default();
                *detached_ns = detached_ns.saturating_add(rate.nanoseconds(span.duration));
            }
        }
    }

    /// Whether spans of a path were taken on the main track, or on the others.
    pub fn has(&self, path: PathId, track: u32) -> bool {
        if track == self.main_track {
            self.main.has(path)
        } else {
            self.others.has(path)
        }
    }

    /// Adds the totals of what the same process did later.
    pub fn append(&mut self, later: Self) {
        self.main.append(later.main);
        self.others.append(later.others);
        for (path, partial) in later.partial {
            self.partial.entry(path).or_default().merge(partial);
        }
        self.first_start = self.first_start.min(later.first_start);
        self.main_end = self.main_end.max(later.main_end);
        for (path, ns) in later.detached_main_ns {
            let detached_ns = self.detached_main_ns.entry(path).or_default();
            *detached_ns = detached_ns.saturating_add(ns);
        }
        for (segment, times) in later.ran {
            *self.ran.entry(segment).or_default() += times;
        }
    }

    /// Adds the inside part of a span, in nanoseconds.
    pub fn take_part(&mut self, path: PathId, track: u32, flags: SpanFlags, ns: u64) {
        let is_aside = flags.has(SpanFlags::ASIDE);
        let nested_ns = if is_aside || flags.has(SpanFlags::DETACHED) {
            0
        } else {
            ns
        };
        let is_main = track == self.main_track;
        if is_main && !is_aside && nested_ns == 0 {
            let detached_ns = self.detached_main_ns.entry(path).or_default();
            *detached_ns = detached_ns.saturating_add(ns);
        }
        let partial = self.partial.entry(path).or_default();
        let is_new = partial.count == 0 || !flags.has(SpanFlags::CONTINUES);
        partial.merge(Partial {
            count: u64::from(is_new),
            total_ns: ns,
            nested_ns,
            main_nested_ns: if is_main { nested_ns } else { 0 },
        });
    }

    /// Time of the main track that spans cover, each moment once; `tail` holds further spans of it.
    ///
    /// A path without a span of its own is covered by those inside: its own were lost, or are
    /// open where nobody could see them.
    pub fn covered_ns(&mut self, paths: &PathTable, tail: &mut Tallies) -> u64 {
        let mut own_ns = vec![0_u64; paths.len()];
        let partial = self.partial.iter();
        for (id, ns) in (self.main.settled().chain(tail.settled()))
            .map(|(id, tally)| (id, tally.nested_ns()))
            .chain(partial.map(|(id, partial)| (*id, partial.main_nested_ns)))
        {
            if let Some(own_ns) = own_ns.get_mut(id.index()) {
                *own_ns = own_ns.saturating_add(ns);
            }
        }
        let mut inner_ns = vec![0_u64; paths.len()];
        // A child's number is above its parent's: one sweep from the end adds up all.
        for index in (1..paths.len()).rev() {
            let id = PathId(index as u32);
            let Some(entry) = paths.get(id).filter(|entry| entry.parent < id) else {
                continue;
            };
            let has_spans = own_ns[index] > 0 || self.detached_main_ns.contains_key(&id);
            let covered_ns = if has_spans {
                own_ns[index]
            } else {
                inner_ns[index]
            };
            let parent_ns = &mut inner_ns[entry.parent.index()];
            *parent_ns = parent_ns.saturating_add(covered_ns);
        }
        let detached_ns = self.detached_main_ns.values().copied();
        detached_ns.fold(inner_ns[PathId::ROOT.index()], u64::saturating_add)
    }
}
