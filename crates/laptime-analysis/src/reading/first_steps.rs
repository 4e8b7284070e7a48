//! The first steps of a process, in order, from which warm-up is found.
//!
//! Every path whose own name is `step` is followed, and every outermost one, which a program
//! without steps may repeat as well (`request`, `evaluation`); each track apart. Pieces may
//! come in any order; those with the earliest starts are kept.

use laptime_core::{PathId, PhaseName, Span, SpanFlags};

use crate::benchmark::warm_up::LEAST_STEPS;
use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;
pub use crate::reading::step_gaps::Step;
use crate::reading::step_gaps::{self, LaterGaps};
use crate::reading::step_stretches::StepStretches;

/// Most steps of a series that are looked at.
pub const MOST_STEPS: usize = 512;
/// Most pieces while reading; a step has more than one when it was reopened.
const MOST_PIECES: usize = 4 * MOST_STEPS;
/// Most paths and tracks that are followed: each keeps up to 120 kB.
const MOST_SERIES: usize = 64;

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
    /// Number of all steps of the path and track.
    pub count: u64,
    /// Duration of all steps, in ticks.
    pub total: u64,
    /// Start of the first step.
    pub first: u64,
    /// End of the last step.
    pub last: u64,
    /// All steps in stretches, with the memory that they left.
    pub stretches: StepStretches,
    pieces: Vec<Piece>,
    /// Gaps behind the first [`MOST_STEPS`] steps; `None` before there are as many.
    later_gaps: Option<LaterGaps>,
    /// Whether a step has several pieces: what is between these is in no gap.
    has_pieces: bool,
    /// Start from which on pieces are not among the first, however many come.
    latest: u64,
}

impl Series {
    /// Creates a series without a step.
    pub fn new(path: PathId, track: u32) -> Self {
        Self {
            path,
            track,
            count: 0,
            total: 0,
            first: u64::MAX,
            last: 0,
            stretches: StepStretches::default(),
            pieces: Vec::new(),
            later_gaps: None,
            has_pieces: false,
            latest: u64::MAX,
        }
    }

    /// Adds a span of the path, in ticks.
    #[inline]
    pub fn push(&mut self, start: u64, duration: u64, flags: SpanFlags) {
        let continues = flags.has(SpanFlags::CONTINUES);
        self.count += u64::from(!continues || self.count == 0);
        self.total = self.total.saturating_add(duration);
        self.first = self.first.min(start);
        self.last = self.last.max(start.saturating_add(duration));
        self.has_pieces |= continues;
        if let Some(later) = &mut self.later_gaps {
            later.push(start, duration);
        }
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
        if self.count == MOST_STEPS as u64 && self.later_gaps.is_none() {
            self.later_gaps = LaterGaps::after(&self.steps());
        }
    }

    /// Returns the usual time between a step and the next, from one of the first on, in ticks; `None` where it isn't
    /// known for all of them.
    pub fn usual_gap(&self, from: usize) -> Option<f64> {
        let first = self.steps();
        let is_whole = self.count as usize == first.len() || self.later_gaps.is_some();
        if self.has_pieces || !is_whole {
            return None;
        }
        step_gaps::usual(first.get(from..)?, self.later_gaps.as_ref())
    }

    /// Returns the first steps, whole, at most [`MOST_STEPS`] of them.
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

/// A step that ran under another name, as its operations were counted or it was profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RenamedStep {
    start: u64,
    /// Path around the step.
    parent: PathId,
    track: u32,
}

/// The first steps of one process, and other spans that a program without steps may repeat.
#[derive(Debug, Default)]
pub struct StepSeries {
    steps: Vec<Series>,
    outermost: Vec<Series>,
    /// Steps under other names; the first ones, once there are many.
    aside: Vec<RenamedStep>,
}

impl StepSeries {
    /// Adds a span that is named `step`.
    #[inline]
    fn step(&mut self, span: &Span) {
        follow(&mut self.steps, span);
    }

    /// Adds an outermost span with another name.
    fn outermost(&mut self, span: &Span) {
        follow(&mut self.outermost, span);
    }

    /// Adds a step under another name, by the path around it.
    fn aside(&mut self, span: &Span, parent: PathId) {
        if span.flags.has(SpanFlags::CONTINUES) {
            return;
        }
        self.aside.push(RenamedStep {
            start: span.start,
            parent,
            track: span.track,
        });
        if self.aside.len() >= 2 * MOST_PIECES {
            self.aside.sort_unstable();
            self.aside.truncate(MOST_PIECES);
        }
    }

    /// Returns how many steps of a track ran under other names before a moment in ticks.
    pub fn aside_before(&self, moment: u64, parent: PathId, track: u32) -> u64 {
        let of_them = |one: &&RenamedStep| (one.parent, one.track) == (parent, track);
        let before = self.aside.iter().filter(of_them);
        before.filter(|one| one.start < moment).count() as u64
    }

    /// Returns the steps of the path and track that have most of them.
    pub fn steps(&self) -> Option<&Series> {
        let earlier = |one: &Series| (u32::MAX - one.path.0, u32::MAX - one.track);
        let most = |one: &&Series| (one.count, earlier(one));
        self.steps.iter().max_by_key(most)
    }

    /// Returns the steps that [`Self::steps`] does, where those of their path are all on one track: only then is the
    /// time between two of them spent between steps.
    pub fn only_steps(&self) -> Option<&Series> {
        let series = self.steps()?;
        let of_path = self.steps.iter().filter(|one| one.path == series.path);
        (of_path.count() == 1).then_some(series)
    }

    /// Returns the outermost spans that a program without steps repeats: those of the path and track that take
    /// most of the time from the first of them to `end`, in ticks.
    pub fn repeated(&self, end: u64) -> Option<&Series> {
        let longest = |one: &&Series| (one.total, u32::MAX - one.path.0);
        let series = self.outermost.iter().max_by_key(longest)?;
        let since = end.saturating_sub(series.first);
        let is_loop = series.count >= LEAST_STEPS as u64 && series.total >= since / 2;
        is_loop.then_some(series)
    }
}

impl Feature for StepSeries {
    fn take_span(&mut self, span: &Span, noted: Noted, context: Context<'_>) {
        if span.flags.has(SpanFlags::ASIDE) {
            return;
        }
        let is_aside = !noted.is_step && noted.phase == Some(PhaseName::Step);
        // With what is in another row, a rest is a whole step.
        let is_rest = is_aside && span.flags.has(SpanFlags::REST);
        if span.flags.has(SpanFlags::UNFINISHED) && !is_rest {
            return;
        }
        if noted.is_step {
            self.step(span);
        } else if is_aside {
            let parent = context.paths.get(span.path).map(|entry| entry.parent);
            self.aside(span, parent.unwrap_or(PathId::ROOT));
        } else if noted.is_work {
            self.outermost(span);
        }
    }
}

#[inline]
fn follow(all: &mut Vec<Series>, span: &Span) {
    let (path, track) = (span.path, span.track);
    let net_bytes = span.memory.map(|memory| memory.net_bytes);
    let continues = span.flags.has(SpanFlags::CONTINUES);
    let known = |one: &&mut Series| (one.path, one.track) == (path, track);
    if let Some(series) = all.iter_mut().find(known) {
        series.push(span.start, span.duration, span.flags);
        series
            .stretches
            .push((span.start, span.duration), continues, net_bytes);
        return;
    }
    if all.len() == MOST_SERIES {
        // One that came once makes room.
        let Some(once) = all.iter().position(|one| one.count == 1) else {
            return;
        };
        all.swap_remove(once);
    }
    let mut series = Series::new(path, track);
    series.push(span.start, span.duration, span.flags);
    series
        .stretches
        .push((span.start, span.duration), continues, net_bytes);
    all.push(series);
}

#[cfg(test)]
#[path = "tests/first_steps.rs"]
mod tests;
