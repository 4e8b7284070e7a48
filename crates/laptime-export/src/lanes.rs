//! Where a span is drawn: on its track's lane if it nests there, else on one of its own.
//!
//! Viewers that stack bars expect each bar of a lane to lie inside of another or beside it. Spans
//! of a track do, in ticks. Two things come between: segments of timers and unbalanced closes
//! overlap for real, and get lanes beside; and a duration, told by the file's mean rate, may reach
//! a few nanoseconds over the moment of the next start, told by the rate at that time. Then, and
//! only then, a bar is moved or widened by as much. A span is told when it ends, children before
//! their parents, so each lane keeps the last span of every depth and nothing else.

use std::collections::HashMap;

use crate::span::SpanAt;
use laptime_core::SpanFlags;

/// Lanes that a track's overlapping spans are told apart in, at most.
const MOST_BESIDE: usize = 64;

/// What a lane holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The spans of a track.
    Spans,
    /// Those that overlap others of the track; numbered from 2.
    Overlapping(usize),
    /// Segments of timers; numbered from 1.
    Timers(usize),
}

/// A bar on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The lane's number: the track's own for its spans, one that no track has for others.
    pub lane: u32,
    /// The lane, the first time something is drawn on it.
    pub is_new: Option<Kind>,
    /// Where it begins.
    pub start_ns: u64,
    /// Where it ends.
    pub end_ns: u64,
}

/// The last span of one depth.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// In ticks; an end of 0 stands for none.
    ticks: (u64, u64),
    /// Where its bar ends.
    end_ns: u64,
}

/// Bars that lie inside of each other.
#[derive(Debug, Default)]
struct Nested {
    lane: u32,
    levels: Vec<Level>,
}

impl Nested {
    /// Whether a span overlaps one that is drawn here without being inside or around it.
    fn overlaps(&self, (start, end): (u64, u64)) -> bool {
        self.levels.iter().any(|level| {
            let (from, to) = level.ticks;
            let is_apart = to <= start || from >= end;
            let is_inside = start <= from && to <= end;
            let is_around = from <= start && end <= to;
            !(is_apart || is_inside || is_around)
        })
    }

    fn place(&mut self, span: &SpanAt, depth: usize) -> (u64, u64) {
        let (start, end) = span.ticks;
        let mut start_ns = span.start_ns;
        let (mut inner_end_ns, mut outer_end_ns) = (0, u64::MAX);
        for (above, level) in self.levels.iter().enumerate() {
            let (from, to) = level.ticks;
            if to <= start {
                // Room for the spans around, which begin between the two and are told later. Where
                // all begin at one moment, none of them is moved unless this one is.
                let room = depth.saturating_sub(above) as u64;
                if level.end_ns > start_ns || (to < start && level.end_ns + room > start_ns) {
                    start_ns = level.end_ns + room;
                }
            } else if start <= from && to <= end {
                inner_end_ns = inner_end_ns.max(level.end_ns);
            } else if from <= start && end <= to {
                outer_end_ns = outer_end_ns.min(level.end_ns);
            }
        }
        let end_ns = start_ns.saturating_add(span.reach_ns).max(inner_end_ns);
        let end_ns = end_ns.min(outer_end_ns).max(start_ns);
        if self.levels.len() <= depth {
            self.levels.resize(depth + 1, Level::default());
        }
        self.levels[depth] = Level {
            ticks: span.ticks,
            end_ns,
        };
        (start_ns, end_ns)
    }
}

/// Bars that lie one after the other.
#[derive(Debug)]
struct Row {
    lane: u32,
    /// End of the last one, in ticks and nanoseconds.
    end: (u64, u64),
}

#[derive(Debug)]
struct TrackLanes {
    own: Nested,
    beside: Vec<Nested>,
    timers: Vec<Row>,
}

/// The lanes of one process.
#[derive(Debug)]
pub struct Lanes {
    tracks: HashMap<u32, TrackLanes>,
    next: u32,
}

impl Lanes {
    /// None yet; tracks have numbers up to `last_track`.
    pub fn new(last_track: u32) -> Self {
        Self {
            tracks: HashMap::new(),
            next: last_track.saturating_add(1),
        }
    }

    /// The number of a lane beside those of spans, which is given once.
    pub fn another(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Finds the place of a span, whose path is inside of `depth` others.
    pub fn place(&mut self, span: &SpanAt, depth: usize) -> Placed {
        let next = &mut self.next;
        let mut is_new = None;
        let lanes = self.tracks.entry(span.track).or_insert_with(|| {
            is_new = Some(Kind::Spans);
            TrackLanes {
                own: Nested {
                    lane: span.track,
                    levels: Vec::new(),
                },
                beside: Vec::new(),
                timers: Vec::new(),
            }
        });
        let mut number = || {
            *next += 1;
            *next - 1
        };
        if span.flags.has(SpanFlags::ASIDE) {
            let timers = &mut lanes.timers;
            let free = timers.iter().position(|row| row.end.0 <= span.ticks.0);
            let index = free.unwrap_or(timers.len().min(MOST_BESIDE - 1));
            is_new = None;
            if index == timers.len() {
                is_new = Some(Kind::Timers(index + 1));
                timers.push(Row {
                    lane: number(),
                    end: (0, 0),
                });
            }
            let row = &mut timers[index];
            let start_ns = span.start_ns.max(row.end.1);
            let end_ns = start_ns.saturating_add(span.reach_ns);
            row.end = (span.ticks.1, end_ns);
            return Placed {
                lane: row.lane,
                is_new,
                start_ns,
                end_ns,
            };
        }
        let nested = if lanes.own.overlaps(span.ticks) {
            let beside = &mut lanes.beside;
            let free = beside.iter().position(|lane| !lane.overlaps(span.ticks));
            let index = free.unwrap_or(beside.len().min(MOST_BESIDE - 1));
            is_new = None;
            if index == beside.len() {
                is_new = Some(Kind::Overlapping(index + 2));
                beside.push(Nested {
                    lane: number(),
                    levels: Vec::new(),
                });
            }
            &mut beside[index]
        } else {
            &mut lanes.own
        };
        let (start_ns, end_ns) = nested.place(span, depth);
        Placed {
            lane: nested.lane,
            is_new,
            start_ns,
            end_ns,
        }
    }
}

/// What a lane is called, from what its track is.
pub fn label(track: &str, kind: Kind) -> String {
    match kind {
        Kind::Spans => track.to_owned(),
        Kind::Overlapping(number) => format!("{track} · overlapping {number}"),
        Kind::Timers(1) => format!("{track} · timers"),
        Kind::Timers(number) => format!("{track} · timers {number}"),
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
