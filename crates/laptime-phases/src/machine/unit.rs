//! A unit: the span of a step or of an evaluation, with the phases that it holds back.
//!
//! What a unit is may show only after its first phases: a forward without gradients may be
//! evaluation, or the teacher of a step. Phases directly inside a unit are therefore kept
//! until a backward or an update settles it, and are then written under its final name. Laps inside
//! such a phase are not held: a unit with any keeps its name, and another goes on in its place.

use laptime_core::{PhaseName, SpanFlags};

use super::state::Aside;
use crate::laps::{Held, Laps, SpanId, flag_if};

/// Phases that a unit holds back at most, 64 bytes each; further ones are written under its name of the
/// moment.
const MOST_HELD: usize = 1 << 14;

/// Phases that an ordinary step holds back.
const FEW: usize = 4;

/// A phase that is under way.
#[derive(Debug)]
pub struct Phase {
    /// Which phase this is.
    pub name: PhaseName,
    /// The phase's span. `None` when a lap of the user's by the same name takes its place, or while
    /// nothing is recorded.
    pub span: Option<SpanId>,
    /// When the phase began.
    pub start: u64,
    /// What is unusual about the phase.
    pub flags: SpanFlags,
    /// [`Laps::last_written`] where the phase began.
    pub written: u64,
}

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
    path: u32,
    /// What the unit is once it has ended: one more of its kind, a further piece of something that was
    /// counted, or cut short, as a phase of it raised and no update followed.
    end: SpanFlags,
    /// What the unit is if what was cut short is made good.
    end_if_well: SpanFlags,
    held: Vec<Held>,
    /// Which of them begin an evaluation, should no backward follow: the others go on with one.
    apart: Vec<usize>,
    /// The unit goes on under a name of its own, as its operations are being counted.
    pub is_aside: bool,
    /// The unit is a piece of one that was set aside before.
    follows_aside: bool,
    /// Laps inside a phase that is held back were written under the name of the moment.
    is_named: bool,
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
            held: Vec::with_capacity(FEW),
            apart: Vec::new(),
            is_aside: false,
            follows_aside: false,
            is_named: false,
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

    /// Where the unit goes on, if it was set aside.
    pub fn aside(&self) -> Option<Aside> {
        let (parent, path) = (self.parent, self.path);
        self.is_aside.then_some(Aside { parent, path })
    }

    /// A piece that was set aside has another name than what it goes on with: there it is a part, and no whole one.
    fn as_it_stands(&self, flags: SpanFlags) -> SpanFlags {
        let is_astray = self.goes_on() && self.is_aside && !self.follows_aside;
        let is_part = is_astray && flags.has(SpanFlags::CONTINUES);
        flags.with(flag_if(is_part, SpanFlags::UNFINISHED))
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
        self.is_named && kind != self.kind
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
        laps.set_aside(self.held.first().map(|held| held.start));
    }

    /// Ends a phase of the unit: holds it back, or writes it where that isn't needed or possible.
    pub fn end(&mut self, laps: &dyn Laps, phase: &Phase, span: SpanId, end: u64) {
        let is_open = self.state < UnitState::Settled;
        let holds = is_open && self.holds(span) && !self.is_full();
        let is_named = laps.last_written() != phase.written;
        if holds && let Some(taken) = laps.suspend(span) {
            self.is_named |= is_named;
            self.held.push(Held {
                name: phase.name,
                start: phase.start,
                duration: end.saturating_sub(phase.start),
                flags: phase.flags,
                memory: taken.memory,
                device_memory: taken.device_memory,
                device_time: taken.device_time,
            });
        } else {
            laps.close(span, end, self.as_it_stands(phase.flags));
        }
    }

    /// Writes the phases that the unit held back: it stays what it is.
    pub fn settle(&mut self, laps: &dyn Laps) {
        self.state = UnitState::Settled;
        for held in std::mem::take(&mut self.held) {
            let flags = self.as_it_stands(held.flags);
            laps.emit(&Held { flags, ..held }, self.path);
        }
    }

    /// Whether the unit holds back as many phases as it may.
    pub fn is_full(&self) -> bool {
        self.held.len() >= MOST_HELD
    }

    /// The forward that begins now is the first of an evaluation, should no backward follow.
    pub fn begins_evaluation(&mut self) {
        self.apart.push(self.held.len());
    }

    /// Whether the unit is nothing that a batch was fetched for, and no gradient has made it a step.
    pub fn waits_for_backward(&self) -> bool {
        self.state < UnitState::Settled && self.fetches == 0
    }

    /// Whether the unit is forwards without a batch of their own, which nothing has made a step so far.
    pub fn is_only_forwards(&self) -> bool {
        let is_open = self.waits_for_backward() && !self.is_cut_short();
        let is_forward = |held: &Held| held.name == PhaseName::Forward;
        is_open && !self.held.is_empty() && self.held.iter().all(is_forward)
    }

    /// Whether the unit's forwards would be one evaluation, should no backward follow.
    pub fn is_one_evaluation(&self) -> bool {
        self.apart.len() == 1
    }

    /// The forwards that the unit holds back were evaluations, and the unit was nothing: `false`
    /// where it can't be taken back, as something lies inside.
    pub fn come_apart(&mut self, laps: &dyn Laps) -> bool {
        let is_plain = self.held.iter().all(|held| held.name == PhaseName::Forward);
        if !is_plain || !self.is_taken_back(laps) {
            return false;
        }
        for (index, held) in self.held.drain(..).enumerate() {
            let goes_on = index > 0 && self.apart.binary_search(&index).is_err();
            let flags = flag_if(goes_on, SpanFlags::CONTINUES);
            let evaluation = Held {
                name: PhaseName::Evaluation,
                flags,
                ..held
            };
            let path = laps.emit_around(&evaluation, self.parent);
            laps.emit(&Held { flags, ..held }, path);
        }
        true
    }

    /// The unit was nothing, and the phases that it holds back lie where it did: `false` where it
    /// can't be taken back, as something lies inside.
    pub fn dissolve(&mut self, laps: &dyn Laps) -> bool {
        let is_gone = self.is_taken_back(laps);
        if is_gone {
            for held in self.held.drain(..) {
                laps.emit(&held, self.parent);
            }
        }
        is_gone
    }

    /// Takes the unit's span off the stack, if nothing else lies inside.
    fn is_taken_back(&self, laps: &dyn Laps) -> bool {
        let is_plain = !self.is_aside && !self.is_named && laps.here().path == self.path;
        is_plain && laps.suspend(self.span).is_some()
    }

    /// Takes away the last phases that the unit holds back, as far as they have this name.
    pub fn take_last(&mut self, name: PhaseName) -> Vec<Held> {
        let is_other = |held: &Held| held.name != name;
        let kept = self.held.iter().rposition(is_other).map_or(0, |at| at + 1);
        self.held.split_off(kept)
    }

    /// Holds back phases that were taken from another unit.
    pub fn hold(&mut self, held: Vec<Held>) {
        self.held.extend(held);
    }

    /// Nothing came of the unit: what was done for it is no whole phase of anything.
    pub fn gives_up(&mut self) {
        self.cut_short();
        for held in &mut self.held {
            held.flags = held.flags.with(SpanFlags::UNFINISHED);
        }
    }

    /// Closes the unit.
    pub fn close(mut self, laps: &dyn Laps, end: u64) {
        self.settle(laps);
        laps.close(self.span, end, self.as_it_stands(self.end));
    }
}
