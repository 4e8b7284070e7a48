//! Spans in rows, ready to be drawn: one lane per track and depth.
//!
//! [`LaneBuilder`] takes spans in any order, with their moments already in nanoseconds. A span
//! that would overlap another of its depth (a timer's segment, an unbalanced close) goes to a
//! lane of its own below. Beyond a budget the shortest neighbours inside one parent fold into
//! one bar that knows how many they are and how long they ran ([`crate::timeline::folding`]), so memory does
//! not grow with the recording and no time is dropped in silence.

use std::collections::BTreeMap;

use crate::timeline::bar::Bar;
use crate::timeline::folding;

/// Bars in order of their starts; neighbours overlap by a small part of themselves at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// Number of the thread or task.
    pub track: u32,
    /// Number of spans above it on the track.
    pub depth: u32,
    /// Bars in time order.
    pub bars: Vec<Bar>,
}

/// Numbers of spans that are not drawn one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Simplified {
    /// Spans that stand in folded bars.
    pub folded: u64,
    /// Number of spans whose track is beyond [`LaneBudget::tracks`], and not drawn.
    pub left_out: u64,
    /// Sum of the durations of the spans that were left out.
    pub left_out_ns: u64,
    /// Outermost spans of tracks beyond the bound, each of which has at least one.
    pub left_out_roots: u64,
}

/// Limits of the bars and tracks that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneBudget {
    /// The most bars in all lanes.
    pub bars: usize,
    /// The most threads and tasks with lanes.
    pub tracks: usize,
}

impl Default for LaneBudget {
    fn default() -> Self {
        Self {
            bars: 2_000_000,
            tracks: 200,
        }
    }
}

/// The most lanes in which overlapping bars of one track and depth are told apart.
const MOST_OVERLAPPING: usize = 16;
/// Neighbours may share an eighth of the shorter one and still stand in one lane.
const TOLERATED_OVERLAP: u64 = 8;

/// Collector of the spans of a process.
#[derive(Debug)]
pub struct LaneBuilder {
    budget: LaneBudget,
    /// Bars by track and depth, in no order until they are laid out.
    waiting: BTreeMap<u32, BTreeMap<u32, Vec<Bar>>>,
    count: usize,
    /// Bars shorter than this may be folded.
    fold_below_ns: u64,
    simplified: Simplified,
}

impl LaneBuilder {
    /// Returns a builder with nothing in it.
    pub fn new(budget: LaneBudget) -> Self {
        Self {
            budget,
            waiting: BTreeMap::new(),
            count: 0,
            fold_below_ns: 0,
            simplified: Simplified::default(),
        }
    }

    /// Takes in a span at a depth of a track.
    pub fn push(&mut self, track: u32, depth: u32, bar: Bar) {
        if !self.waiting.contains_key(&track) && self.waiting.len() >= self.budget.tracks {
            self.simplified.left_out += u64::from(bar.count);
            self.simplified.left_out_ns = self.simplified.left_out_ns.saturating_add(bar.busy_ns);
            self.simplified.left_out_roots += u64::from(depth == 0);
            return;
        }
        let lanes = self.waiting.entry(track).or_default();
        lanes.entry(depth).or_default().push(bar);
        self.count += 1;
        // Twice the budget while reading: folding costs a sort, so it is done rarely.
        if self.count >= self.budget.bars.saturating_mul(2).max(16) {
            self.fold_to(self.budget.bars);
        }
    }

    /// Returns how many bars it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Tells whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn fold_to(&mut self, most: usize) {
        while self.count > most {
            for lanes in self.waiting.values_mut() {
                folding::fold(lanes, self.fold_below_ns);
            }
            let depths = self.waiting.values().flat_map(BTreeMap::values);
            self.count = depths.map(Vec::len).sum();
            // The bound may have been enough so far; else longer spans have to go in too.
            if self.count > most {
                if self.fold_below_ns == u64::MAX {
                    break;
                }
                self.fold_below_ns = self.fold_below_ns.saturating_mul(2).max(1_000);
            }
        }
    }

    /// Returns all lanes, by track and depth, and the numbers of spans that are not drawn one by one.
    pub fn finish(mut self) -> (Vec<Lane>, Simplified) {
        self.fold_to(self.budget.bars);
        let mut lanes = Vec::new();
        for (track, depths) in std::mem::take(&mut self.waiting) {
            for (depth, mut bars) in depths {
                // The longer of two that open together is the outer one.
                bars.sort_by_key(|bar| (bar.start_ns, u64::MAX - bar.duration_ns));
                lanes.extend(
                    apart(bars)
                        .into_iter()
                        .map(|bars| Lane { track, depth, bars }),
                );
            }
        }
        let bars = lanes.iter().flat_map(|lane| &lane.bars);
        self.simplified.folded = bars
            .filter(|bar| bar.count > 1)
            .map(|bar| u64::from(bar.count))
            .sum();
        (lanes, self.simplified)
    }
}

/// Spreads bars that overlap over several lanes; bars that even the last cannot take are folded there.
fn apart(bars: Vec<Bar>) -> Vec<Vec<Bar>> {
    let mut lanes: Vec<Vec<Bar>> = Vec::new();
    for bar in bars {
        let free = lanes.iter().position(|lane| {
            lane.last().is_none_or(|last| {
                // Pieces of one span that hand over to each other touch a little.
                let shared = last.end_ns().saturating_sub(bar.start_ns);
                shared <= last.duration_ns.min(bar.duration_ns) / TOLERATED_OVERLAP
            })
        });
        match free {
            Some(index) => lanes[index].push(bar),
            None if lanes.len() < MOST_OVERLAPPING => lanes.push(vec![bar]),
            None => {
                if let Some(last) = lanes.last_mut().and_then(|lane| lane.last_mut()) {
                    *last = last.joined(&bar);
                }
            }
        }
    }
    lanes
}

#[cfg(test)]
#[path = "tests/lanes.rs"]
mod tests;
