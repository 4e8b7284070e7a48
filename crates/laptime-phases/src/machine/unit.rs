//! A unit: the span of a step or of an evaluation, with the phases that it holds back.
//!
//! What a unit is may show only after its first phases: a forward without gradients may be
//! evaluation, or the teacher of a step. Phases directly inside a unit are therefore kept
//! until a backward or an update settles it, and are then written under its final name. Laps inside
//! such a phase are not held: a unit with any keeps its name, and another goes on in its place.

use laptime_core::{PhaseName, SpanFlags};

use super::held_phases::as_part;
use super::number::Aside;
use super::part::Entry;
use super::tail::Tail;
use crate::laps::{Laps, SpanId};

/// Phases that an ordinary step holds back.
const FEW: usize = 4;

/// How sure it is what a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitState {
    /// What the unit is follows from what its loader's batches were used for before.
    Guessed,
    /// A forward or training work has told what its batches are for.
    Decided,
    /// A backward or an update has told that it stays what it is.
    Settled,
}

/// What a unit was opened for, while that decides when it closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedFor {
    /// The fetch that is under way: if that brings no batch, it closes with it.
    Fetch,
    /// One forward without a loader: the unit closes with it.
    Forward,
    /// A call that may prepare what the next one is given: it closes with it, and the call waits.
    Preparation,
    /// The start of a pass: the unit closes with it, and the start waits.
    Pass,
    /// What comes.
    Work,
}

/// An open unit.
#[derive(Debug)]
pub struct Unit {
    /// The unit's span.
    pub span: SpanId,
    /// The unit's name of the moment.
    pub kind: PhaseName,
    /// When the unit began.
    pub start: u64,
    /// The path that the unit opened under.
    pub parent: u32,
    /// How sure the unit's name is.
    pub state: UnitState,
    /// What the unit was opened for.
    pub opened_for: OpenedFor,
    /// When a phase of it raised, until the next begins.
    pub raised_at: Option<u64>,
    /// Fetches in the unit so far.
    pub fetches: u32,
    /// End of the unit's last fetch.
    pub fetch_end: Option<u64>,
    /// The unit's own path.
    pub(super) path: u32,
    /// What the unit is once it has ended: one more of its kind, a further piece of something that was
    /// counted, or cut short, as a phase of it raised and no update followed.
    end: SpanFlags,
    /// What the unit is if what was cut short is made good.
    pub(super) end_if_well: SpanFlags,
    /// What came of its batches before it was opened: the start of their pass, say. It is a piece of its own.
    pub(super) before: Vec<Entry>,
    /// What nothing has settled yet.
    pub tail: Tail,
    /// End of the last phase that was settled.
    pub(super) settled_until: u64,
    /// What was trained has answered in evaluation mode: the unit is no step with a teacher.
    pub is_sure: bool,
    /// The unit goes on under a name of its own, as its operations are being counted.
    pub is_aside: bool,
    /// The unit is a piece of one that was set aside before.
    follows_aside: bool,
    /// [`Laps::last_written`] where the unit was opened.
    pub(super) written: u64,
}

impl Unit {
    /// Opens a unit. `None` while nothing is recorded.
    pub fn open(laps: &dyn Laps, kind: PhaseName, parent: u32, start: u64) -> Option<Self> {
        let span = laps.open(kind, start)?;
        Some(Self {
            span,
            kind,
            start,
            parent,
            state: UnitState::Guessed,
            opened_for: OpenedFor::Work,
            raised_at: None,
            fetches: 0,
            fetch_end: None,
            path: laps.path_of(span),
            end: SpanFlags::NONE,
            end_if_well: SpanFlags::NONE,
            before: Vec::new(),
            tail: Tail::with_capacity(FEW),
            settled_until: start,
            is_sure: false,
            is_aside: false,
            follows_aside: false,
            written: laps.last_written(),
        })
    }

    /// Whether something has told what the unit is.
    pub fn is_decided(&self) -> bool {
        self.state >= UnitState::Decided
    }

    /// Something has told what the unit is.
    pub fn decide(&mut self) {
        self.state = self.state.max(UnitState::Decided);
    }

    /// Whether a span lies directly inside the unit.
    pub fn holds(&self, span: SpanId) -> bool {
        span.depth == self.span.depth + 1
    }

    /// The unit is a further piece of something that was counted, and stands where that went on if it was set aside.
    pub fn is_piece(&mut self, laps: &dyn Laps, aside: Option<Aside>) {
        self.end_if_well = SpanFlags::CONTINUES;
        if self.end == SpanFlags::NONE {
            self.end = SpanFlags::CONTINUES;
        }
        if let Some(aside) = aside {
            laps.go_on_aside(self.span, aside.path);
            self.path = aside.path;
            self.is_aside = true;
            self.follows_aside = true;
        }
    }

    /// The unit is no piece of anything after all.
    pub fn is_new(&mut self) {
        self.end_if_well = SpanFlags::NONE;
        if self.end == SpanFlags::CONTINUES {
            self.end = SpanFlags::NONE;
        }
    }

    /// Where the unit goes on, if it was set aside.
    pub fn aside(&self) -> Option<Aside> {
        let (parent, path) = (self.parent, self.path);
        self.is_aside.then_some(Aside { parent, path })
    }

    /// A piece that was set aside has another name than what it goes on with: there it is a part, and no whole one.
    pub(super) fn as_it_stands(&self, flags: SpanFlags) -> SpanFlags {
        as_part(flags, self.is_astray())
    }

    /// Whether the unit goes on with something that has another name.
    pub(super) fn is_astray(&self) -> bool {
        self.goes_on() && self.is_aside && !self.follows_aside
    }

    /// Whether the unit goes on with something that was counted.
    pub fn goes_on(&self) -> bool {
        self.end_if_well == SpanFlags::CONTINUES
    }

    /// Whether the unit is cut short, as far as is known.
    pub fn is_cut_short(&self) -> bool {
        self.end == SpanFlags::UNFINISHED
    }

    /// The unit is cut short, unless it is made good.
    pub fn cut_short(&mut self) {
        self.end = SpanFlags::UNFINISHED;
    }

    /// What was cut short was tried again, and went well.
    pub fn made_good(&mut self) {
        self.end = self.end_if_well;
    }

    /// Whether the unit cannot be given another name any more.
    pub fn keeps_its_name(&self, kind: PhaseName) -> bool {
        self.tail.is_fixed() && kind != self.kind
    }

    /// Gives the unit its right name; what it has of a name that cannot be changed is no whole one.
    /// `--modules` writes laps inside a teacher's first forward before anybody knows that it is one.
    pub fn rename(&mut self, laps: &dyn Laps, kind: PhaseName) {
        if self.keeps_its_name(kind) {
            self.kind = kind;
            self.cut_short();
        } else if kind != self.kind {
            self.kind = kind;
            laps.rename(self.span, kind);
            if self.is_aside {
                self.leave(laps);
            }
            self.path = laps.path_of(self.span);
        }
    }

    /// The unit goes on under a name of its own from here on: its operations are being counted.
    pub fn set_aside(&mut self, laps: &dyn Laps) {
        self.leave(laps);
        self.is_aside = true;
        self.path = laps.path_of(self.span);
    }

    fn leave(&self, laps: &dyn Laps) {
        laps.set_aside(self.tail.start());
    }

    /// Closes the unit.
    pub fn close(mut self, laps: &dyn Laps, end: u64) {
        self.settle(laps);
        laps.close(self.span, end, self.as_it_stands(self.end));
    }
}
