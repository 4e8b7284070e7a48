//! Spans that lie only partly inside a stretch of the run: still open at its end, or begun before it.
//!
//! They add their inside part to the totals of their path, and are not counted.

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::format::process::OpenSpan;
use laptime_core::{PathId, PathTable, Span, SpanFlags};

use crate::reading::suspended_spans::{self, SuspendedSpan};
use crate::reading::totals::Totals;

impl Totals {
    /// Adds a span that is still open, from one tick to another.
    pub fn take_open(&mut self, open: &OpenSpan, flags: SpanFlags, from: u64, to: u64, rate: Rate) {
        let start = open.start.max(from);
        let inside_ns = rate.nanoseconds(to.saturating_sub(start));
        self.take_part(open.path, flags, inside_ns);
        self.covers(start, to, open.track);
    }

    /// Adds the part inside of a span that began before.
    pub fn take_rest(&mut self, span: &Span, from: u64, rate: Rate) {
        if span.wall.is_some() {
            self.rests.push(SuspendedSpan::new(span, from, rate));
        } else {
            let inside = span.end() - from;
            self.take_part(span.path, span.flags, rate.nanoseconds(inside));
        }
        if !span.flags.has(SpanFlags::ASIDE) {
            self.covers(from, span.end(), span.track);
        }
    }

    /// Adds the time since a tick of suspended spans that began before it, when all else is known.
    pub fn settle_rests(&mut self, paths: &PathTable, from: u64, rate: Rate) {
        let rests = std::mem::take(&mut self.rests);
        if rests.is_empty() {
            return;
        }
        let mut around_ns: BTreeMap<PathId, u64> = BTreeMap::new();
        let mut inside_ns: BTreeMap<PathId, u64> = BTreeMap::new();
        let finished = self.first.settled().chain(self.others.settled());
        let finished = finished.map(|(id, tally)| (id, tally.total_ns, tally.nested_ns()));
        let partial = self.partial.iter();
        let partial = partial.map(|(id, part)| (*id, part.total_ns, part.nested_ns));
        for (id, total_ns, nested_ns) in finished.chain(partial) {
            let parent = paths.get(id).map_or(PathId::ROOT, |entry| entry.parent);
            for (ns, map, of) in [
                (total_ns, &mut around_ns, id),
                (nested_ns, &mut inside_ns, parent),
            ] {
                let sum = map.entry(of).or_default();
                *sum = sum.saturating_add(ns);
            }
        }
        let all_ns = rate.nanoseconds(self.last_end.saturating_sub(from));
        around_ns.insert(PathId::ROOT, all_ns);
        // Siblings on other tracks run at the same time.
        let has_others = self.has_others;
        let settled = suspended_spans::settle(&rests, paths, |around| {
            let around_ns = around_ns.get(&around).filter(|_| !has_others);
            let inside_ns = inside_ns.get(&around).copied().unwrap_or(0);
            around_ns.map_or(u64::MAX, |ns| ns.saturating_sub(inside_ns))
        });
        for (rest, ran_ns) in settled {
            self.take_part(rest.path, rest.flags, ran_ns);
        }
    }
}
