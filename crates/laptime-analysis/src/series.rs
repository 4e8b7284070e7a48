//! The first steps of a process, in order: what warm-up is judged by.
//!
//! Every path whose own name is `step` is followed, each track apart. Pieces may come in
//! any order; those with the earliest starts are kept.

use laptime_core::{PathId, PhaseName, SpanFlags};

/// Steps that are looked at.
pub const MOST_STEPS: usize = 512;
/// Pieces kept while reading; a step has more than one when it was reopened.
const MOST_PIECES: usize = 4 * MOST_STEPS;
/// The name of a step.
pub const STEP: &str = PhaseName::Step.text();

/// One piece of a step, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    start: u64,
    duration: u64,
    continues: bool,
}

/// The first steps of one path.
#[derive(Debug, Clone)]
pub struct Series {
    /// The steps' path.
    pub path: PathId,
    /// The thread or task that took them.
    pub track: u32,
    /// Steps seen, kept or not.
    pub seen: u64,
    pieces: Vec<Piece>,
    /// Pieces that start later are not among the first, however many come.
    latest: u64,
}

/// A step: when it opened and how long it ran, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Start of its first piece.
    pub start: u64,
    /// Duration of all its pieces.
    pub duration: u64,
}

impl Series {
    /// No step yet.
    pub fn new(path: PathId, track: u32) -> Self {
        Self {
            path,
            track,
            seen: 0,
            pieces: Vec::new(),
            latest: u64::MAX,
        }
    }

    /// Adds a span of the path, in ticks.
    pub fn push(&mut self, start: u64, duration: u64, flags: SpanFlags) {
        let continues = flags.has(SpanFlags::CONTINUES);
        self.seen += u64::from(!continues || self.seen == 0);
        if start > self.latest {
            return;
        }
        self.pieces.push(Piece {
            start,
            duration,
            continues,
        });
        if self.pieces.len() >= 2 * MOST_PIECES {
            self.pieces.sort_unstable();
            self.pieces.truncate(MOST_PIECES);
            self.latest = self.pieces[MOST_PIECES - 1].start;
        }
    }

    /// The first steps, whole, at most [`MOST_STEPS`] of them.
    pub fn steps(&self) -> Vec<Step> {
        let mut pieces = self.pieces.clone();
        pieces.sort_unstable();
        let mut steps: Vec<Step> = Vec::new();
        for piece in pieces {
            let is_full = steps.len() == MOST_STEPS;
            match steps.last_mut() {
                Some(step) if piece.continues => {
                    step.duration = step.duration.saturating_add(piece.duration);
                }
                _ if is_full => break,
                _ => steps.push(Step {
                    start: piece.start,
                    duration: piece.duration,
                }),
            }
        }
        steps
    }
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
