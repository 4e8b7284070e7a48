//! A unit: the span of a step or of an evaluation, with the phases that it holds back.
//!
//! What a unit is may show only after its first phases: a forward without gradients may be
//! evaluation, or the teacher of a step. Phases directly inside a unit are therefore kept
//! until a backward or an update settles it, and are then written under its final name. Laps inside
//! such a phase are not held: a unit with any keeps its name, and another goes on in its place.

use laptime_core::SpanFlags;
use laptime_recorder::Open;

use super::laps::{Held, Laps, Name};

/// Phases that a unit holds back at most; further ones are written under its name of the moment.
const MOST_HELD: usize = 1_024;

/// As many as an ordinary step holds back.
const FEW: usize = 4;

/// A phase that is under way.
#[derive(Debug)]
pub struct Phase {
    /// What it is.
    pub name: Name,
    /// Its span. `None` when a lap of the user's by the same name takes its place, or while
    /// nothing is recorded.
    pub open: Option<Open>,
    /// When it began.
    pub start: u64,
    /// What is unusual about it.
    pub flags: SpanFlags,
    /// [`Laps::last_written`] where it began.
    pub written: u64,
}

/// An open unit.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing that happened in the unit"
)]
pub struct Unit {
    /// Its span.
    pub open: Open,
    /// Its name of the moment.
    pub kind: Name,
    /// When it began.
    pub start: u64,
    /// The path it opened under.
    pub parent: u32,
    /// Its own path.
    path: u32,
    /// A forward or training work has told what its batches are for.
    pub decided: bool,
    /// A backward or an update has told that it stays what it is.
    settled: bool,
    /// One forward without a loader: it closes with it.
    pub standalone: bool,
    /// The fetch under way opened it.
    pub fresh: bool,
    /// It is a further piece of something that was counted.
    pub piece: bool,
    /// A phase of it raised, and no update followed.
    pub interrupted: bool,
    /// When that phase ended, until the next begins.
    pub raised_at: Option<u64>,
    /// Fetches so far.
    pub fetches: u32,
    /// End of the last of them.
    pub fetch_end: Option<u64>,
    held: Vec<Held>,
    /// It goes on under a name of its own: its operations are being counted.
    pub aside: bool,
    /// Laps inside a phase that is held back were written under the name of the moment.
    is_named: bool,
}

impl Unit {
    /// Opens one. `None` while nothing is recorded.
    pub fn open(laps: &dyn Laps, kind: Name, parent: u32, start: u64) -> Option<Self> {
        let open = laps.open(kind, start)?;
        Some(Self {
            open,
            kind,
            start,
            parent,
            path: laps.path_of(open),
            decided: false,
            settled: false,
            standalone: false,
            fresh: false,
            piece: false,
            interrupted: false,
            raised_at: None,
            fetches: 0,
            fetch_end: None,
            held: Vec::with_capacity(FEW),
            aside: false,
            is_named: false,
        })
    }

    /// Whether a span lies directly inside.
    pub fn holds(&self, open: Open) -> bool {
        open.to_raw().0 == self.open.to_raw().0 + 1
    }

    /// Whether it cannot be given another name any more.
    pub fn keeps_its_name(&self, kind: Name) -> bool {
        self.is_named && kind != self.kind
    }

    /// Gives it its right name, or what it has of a name that cannot be changed is no whole one.
    pub fn rename(&mut self, laps: &dyn Laps, kind: Name) {
        if self.keeps_its_name(kind) {
            self.kind = kind;
            self.interrupted = true;
        } else if kind != self.kind {
            self.kind = kind;
            laps.rename(self.open, kind);
            if self.aside {
                laps.set_aside();
            }
            self.path = laps.path_of(self.open);
        }
    }

    /// Its operations are being counted: it goes on under a name of its own.
    pub fn set_aside(&mut self, laps: &dyn Laps) {
        laps.set_aside();
        self.aside = true;
        self.path = laps.path_of(self.open);
    }

    /// Ends a phase: holds it back, or writes it when that isn't needed or not possible.
    pub fn end(&mut self, laps: &dyn Laps, phase: &Phase, open: Open, end: u64) {
        let holds = !self.settled && self.holds(open) && self.held.len() < MOST_HELD;
        let is_named = laps.last_written() != phase.written;
        if holds && let Some(taken) = laps.suspend(open) {
            self.is_named |= is_named;
            self.held.push(Held {
                name: phase.name,
                start: phase.start,
                duration: end.saturating_sub(phase.start),
                flags: phase.flags,
                memory: taken.memory,
            });
        } else {
            laps.close(open, end, phase.flags);
        }
    }

    /// Writes what it held back: it stays what it is.
    pub fn settle(&mut self, laps: &dyn Laps) {
        self.settled = true;
        for held in self.held.drain(..) {
            laps.emit(&held, self.path);
        }
    }

    /// Nothing came of it: what was done for it is no whole phase of anything.
    pub fn gives_up(&mut self) {
        self.interrupted = true;
        for held in &mut self.held {
            held.flags = held.flags.with(SpanFlags::UNFINISHED);
        }
    }

    /// Closes it.
    pub fn close(mut self, laps: &dyn Laps, end: u64) {
        self.settle(laps);
        let flags = if self.interrupted {
            SpanFlags::UNFINISHED
        } else if self.piece {
            SpanFlags::CONTINUES
        } else {
            SpanFlags::NONE
        };
        laps.close(self.open, end, flags);
    }
}
