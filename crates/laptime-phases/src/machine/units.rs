//! Which unit is open: opening, naming, closing steps and evaluations.

use laptime_core::PhaseName;

use super::state::{Machine, Number};
use super::unit::{Unit, UnitState};
use crate::laps::Spot;

impl Machine {
    /// Opens a unit.
    pub(super) fn open_unit(
        &mut self,
        kind: PhaseName,
        spot: Spot,
        start: u64,
    ) -> Option<&mut Unit> {
        self.unit = Unit::open(&*self.laps, kind, spot.path, start);
        self.unit.as_mut()
    }

    /// Whether there is a unit that is still open; one that was closed from outside is dropped.
    pub fn has_unit(&mut self) -> bool {
        match &self.unit {
            Some(unit) if self.laps.is_open(unit.span) => true,
            Some(_) => {
                self.lost();
                false
            }
            None => false,
        }
    }

    /// Kind of the open unit.
    pub(super) fn kind(&self) -> Option<PhaseName> {
        self.unit.as_ref().map(|unit| unit.kind)
    }

    /// Gives the unit its right name.
    pub(super) fn rename(&mut self, kind: PhaseName) {
        if let Some(unit) = &mut self.unit {
            unit.rename(&*self.laps, kind);
        }
    }

    /// Operations are being counted from here on: the unit goes on under a name of its own. Counting
    /// makes it longer, and the statistics of steps are to be those of ordinary ones.
    pub fn set_aside(&mut self) {
        match &mut self.unit {
            Some(unit) => unit.set_aside(&*self.laps),
            None => self.laps.set_aside(None),
        }
    }

    /// The open unit is a further piece of the last one of its kind, and stands where that went on.
    pub(super) fn goes_on_with_last(&mut self) {
        if let Some(unit) = &mut self.unit {
            let aside = self.last.aside(unit.kind).and_then(|aside| *aside);
            let aside = aside.filter(|aside| aside.parent == unit.parent);
            unit.is_piece(&*self.laps, aside);
        }
    }

    /// The unit turns out to be something else while it goes on.
    pub(super) fn turn_into(&mut self, kind: PhaseName) {
        let here = self.laps.here().path;
        let splits = self
            .unit
            .as_ref()
            .is_some_and(|unit| unit.keeps_its_name(kind) && self.laps.path_of(unit.span) == here);
        if !splits {
            self.rename(kind);
            return;
        }
        let Some(mut old) = self.unit.take() else {
            return;
        };
        let at = self.now();
        let (state, fetches, fetch_end) = (old.state, old.fetches, old.fetch_end);
        old.cut_short();
        old.close(&*self.laps, at);
        self.last.end = at;
        self.previous = None;
        self.number.optimizer = None;
        let spot = self.laps.here();
        if let Some(unit) = self.open_unit(kind, spot, at) {
            unit.state = state.min(UnitState::Decided);
            (unit.fetches, unit.fetch_end) = (fetches, fetch_end);
        }
    }

    /// Closes the unit, not before what was recorded last.
    pub(super) fn close_unit(&mut self, end: u64) {
        self.waiting.clear();
        self.previous = None;
        if let Some(unit) = self.unit.take() {
            let end = end.max(self.last.end);
            self.last.end = end;
            self.last.kind = Some(unit.kind);
            if let Some(aside) = self.last.aside(unit.kind) {
                *aside = unit.aside();
            }
            self.last.parent = unit.parent;
            unit.close(&*self.laps, end);
            self.last.written = self.laps.last_written();
        }
    }

    /// A lap of the user's that the unit was opened in has ended, and the unit with it.
    fn lost(&mut self) {
        self.waiting.clear();
        self.previous = None;
        let is_over = std::mem::take(&mut self.number.stepped);
        let Some(mut unit) = self.unit.take() else {
            return;
        };
        self.last.parent = unit.parent;
        let works = self.number.forwards > 0 || self.number.backwards > 0;
        let is_left = works && !is_over && unit.kind == PhaseName::Step && unit.is_decided();
        self.last.left = is_left.then_some(unit.parent);
        if !unit.is_decided()
            && let Some(iteration) = &self.iteration
        {
            iteration.loader.fetch_only.set(true);
            iteration.confirmed.set(None);
        }
        unit.settle(&*self.laps);
    }

    /// A forward or training work has told what the fetched batches are for.
    pub(super) fn decide(&mut self, kind: PhaseName) {
        self.turn_into(kind);
        if let Some(unit) = &mut self.unit {
            unit.decide();
        }
        for waiting in self.waiting.drain(..) {
            waiting.confirmed.set(Some(kind));
        }
        if let Some(iteration) = &self.iteration {
            iteration.confirmed.set(Some(kind));
        }
    }

    /// The unit is what it is named.
    pub(super) fn settle(&mut self) {
        if let Some(unit) = &mut self.unit {
            unit.settle(&*self.laps);
        }
    }

    /// An open step with forwards and no backward was evaluation with gradients on. A `zero_grad` at
    /// its end is no part of that: a step begins with it, as after a validation that was left early.
    pub(super) fn was_evaluation(&mut self, at: u64) {
        let unit = self.unit.as_mut();
        let zeroed = unit.map_or_else(Vec::new, |unit| unit.take_last(PhaseName::Optimizer));
        let (Some(first), Some(last)) = (zeroed.first(), zeroed.last()) else {
            self.rename(PhaseName::Evaluation);
            self.end_evaluation(at);
            return;
        };
        let (begin, end) = (first.start, last.start + last.duration);
        self.last.end = begin;
        self.rename(PhaseName::Evaluation);
        self.end_evaluation(begin);
        self.iteration = None;
        self.open_step(begin, PhaseName::Optimizer);
        self.number = Number {
            updates: 1,
            zeroed: true,
            ..Number::default()
        };
        if let Some(unit) = &mut self.unit {
            unit.hold(zeroed);
        }
        self.last.end = end;
    }

    /// An open step that has only a `zero_grad` was none, as in a trainer that validates first: what
    /// was done stands alone.
    pub(super) fn was_no_step(&mut self, at: u64) {
        let laps = &*self.laps;
        if self.unit.as_mut().is_some_and(|unit| unit.dissolve(laps)) {
            self.unit = None;
            self.previous = None;
            self.last.written = self.laps.last_written();
        } else {
            if let Some(unit) = &mut self.unit {
                unit.gives_up();
            }
            self.close_unit(at);
        }
        self.number = Number::default();
    }

    /// The forwards of an open step were evaluations: no backward came, and no batch was fetched for them.
    pub(super) fn were_evaluations(&mut self, at: u64) {
        let laps = &*self.laps;
        if !self.unit.as_mut().is_some_and(|unit| unit.come_apart(laps)) {
            self.was_evaluation(self.last.end.min(at));
            return;
        }
        self.unit = None;
        self.previous = None;
        self.last.written = self.laps.last_written();
        self.last.kind = Some(PhaseName::Evaluation);
        self.number = Number::default();
    }

    /// The evaluation is over.
    pub(super) fn end_evaluation(&mut self, at: u64) {
        if let Some(iteration) = &self.iteration {
            iteration.loader.was_evaluation(self.number.saw_grad);
            iteration.confirmed.set(Some(PhaseName::Evaluation));
        }
        self.close_unit(at);
    }
}
