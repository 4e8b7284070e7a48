//! Time that spans of any track cover, and time that only a timer's segments do.
//!
//! Spans of several tracks overlap, and so do segments, with each other and with the spans
//! around them: their durations cannot be added up. What counts is the time that they cover,
//! each moment once. Both covers are kept as intervals of time, a bounded number of them.
//! Where there are more, neighbours are put together with the sum of what is covered in
//! both, which only matters to a span that begins in between.

use laptime_core::{Span, SpanFlags};

use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;

/// Most intervals of one cover; of more, neighbours are put together.
const MOST_INTERVALS: usize = 4_096;

/// A part of the time, and how much of it is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    start: u64,
    end: u64,
    covered: u64,
}

impl Interval {
    /// Returns how much is covered before a moment; of intervals put together, in proportion.
    fn before(&self, at: u64) -> u64 {
        let length = self.end - self.start;
        let part = at.clamp(self.start, self.end) - self.start;
        if part == length {
            return self.covered;
        }
        (u128::from(self.covered) * u128::from(part) / u128::from(length)) as u64
    }
}

/// Time that a set of intervals covers, each moment once.
///
/// **Units** ticks.
#[derive(Debug, Clone, Default)]
pub struct Cover {
    /// Intervals in order, without overlap.
    intervals: Vec<Interval>,
}

impl Cover {
    /// Adds an interval of which `covered` counts, in any order of intervals; returns how much of it was
    /// covered before.
    pub fn add(&mut self, start: u64, end: u64, covered: u64) -> u64 {
        if self.intervals.last().is_none_or(|last| last.end < start) {
            self.push(start, end, covered);
            return 0;
        }
        let from = self.intervals.partition_point(|known| known.end < start);
        let behind = &self.intervals[from..];
        let met = behind.partition_point(|known| known.start <= end);
        let mut new = Interval {
            start,
            end,
            covered: 0,
        };
        let (mut outside, mut inside) = (0, 0);
        for known in &behind[..met] {
            let (before, until) = (known.before(start), known.before(end));
            outside += before + (known.covered - until);
            inside += until - before;
            new.start = new.start.min(known.start);
            new.end = new.end.max(known.end);
        }
        // Spans that were suspended in between left that time to others.
        let (both, most) = (inside.saturating_add(covered), end.saturating_sub(start));
        new.covered = outside + both.min(most);
        self.intervals.splice(from..from + met, [new]);
        if self.intervals.len() > MOST_INTERVALS {
            self.put_together();
        }
        both.saturating_sub(most)
    }

    /// Adds an interval behind all others: nearly every one is, as spans come in the order of their ends.
    #[inline]
    fn push(&mut self, start: u64, end: u64, covered: u64) {
        self.intervals.push(Interval {
            start,
            end,
            covered: covered.min(end.saturating_sub(start)),
        });
        if self.intervals.len() > MOST_INTERVALS {
            self.put_together();
        }
    }

    fn put_together(&mut self) {
        let mut is_single = true;
        self.intervals.dedup_by(|next, last| {
            is_single = !is_single;
            if !is_single {
                last.end = next.end;
                last.covered += next.covered;
            }
            !is_single
        });
    }

    /// Returns how much is covered from one moment to another.
    fn between(&self, from: u64, to: u64) -> u64 {
        let parts = self.intervals.iter();
        parts.map(|one| one.before(to) - one.before(from)).sum()
    }
}

/// The covers of ordinary outermost spans and of all spans; the second only once there is a segment.
#[derive(Debug, Clone, Default)]
pub struct Covers {
    ordinary: Cover,
    /// Time that several ordinary spans cover, counted for each but one of them.
    doubled: Cover,
    all: Option<Cover>,
    segments: Option<(u64, u64)>,
}

impl Covers {
    /// Adds an outermost span.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64, ran: u64) {
        let doubled = self.ordinary.add(start, end, ran);
        if doubled > 0 {
            self.doubled.add(start, end, doubled);
        }
        if let Some(all) = &mut self.all {
            all.add(start, end, ran);
        }
    }

    /// Adds a timer's segment.
    pub fn add_segment(&mut self, start: u64, end: u64) {
        let all = self.all.get_or_insert_with(|| self.ordinary.clone());
        all.add(start, end, end.saturating_sub(start));
        let (first, last) = self.segments.unwrap_or((start, end));
        self.segments = Some((first.min(start), last.max(end)));
    }

    /// Returns the start of the first span of any track, or of the first segment.
    pub fn first_start(&self) -> Option<u64> {
        let span = self.ordinary.intervals.first().map(|first| first.start);
        let segment = self.segments.map(|(start, _)| start);
        span.into_iter().chain(segment).min()
    }

    /// Returns the start of the first segment and the end of the last.
    pub fn segments(&self) -> Option<(u64, u64)> {
        self.segments
    }

    /// Returns the ticks between two moments that spans of any track cover.
    pub fn by_spans(&self, from: u64, to: u64) -> u64 {
        self.ordinary.between(from, to.max(from))
    }

    /// Returns the ticks between two moments that more than one span covers, counted for each but one of them.
    pub fn doubled(&self, from: u64, to: u64) -> u64 {
        self.doubled.between(from, to.max(from))
    }

    /// Returns the ticks between two moments that only segments cover.
    pub fn only_segments(&self, from: u64, to: u64) -> u64 {
        self.all.as_ref().map_or(0, |all| {
            let to = to.max(from);
            let ordinary = self.ordinary.between(from, to);
            all.between(from, to).saturating_sub(ordinary)
        })
    }
}

impl Feature for Covers {
    fn take_span(&mut self, span: &Span, noted: Noted, _: Context<'_>) {
        if span.flags.has(SpanFlags::ASIDE) {
            self.add_segment(span.start, span.end());
        } else if noted.is_outermost || span.flags.has(SpanFlags::DETACHED) {
            self.add(span.start, span.end(), span.duration);
        }
    }
}

#[cfg(test)]
#[path = "tests/covers.rs"]
mod tests;
