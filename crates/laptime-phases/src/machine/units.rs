//! Which unit is open: opening, naming, closing steps and evaluations.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::number::Number;
use super::state::Machine;
use super::unit::{Unit, UnitState};
use crate::laps::Spot;
use crate::loader::Iteration;

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

    /// Something was written that doesn't lie in the open unit.
    pub(super) fn wrote_elsewhere(&mut self) {
        let written = self.laps.last_written();
        if let Some(unit) = &mut self.unit {
            unit.wrote_elsewhere(self.last.written, written);
        }
        self.last.written = written;
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
        let before = old.take_what_came_before();
        old.cut_short();
        old.close(&*self.laps, at);
        self.last.end = at;
        self.previous = None;
        self.number.optimizer = None;
        let spot = self.laps.here();
        if let Some(unit) = self.open_unit(kind, spot, at) {
            unit.state = state.min(UnitState::Decided);
            (unit.fetches, unit.fetch_end) = (fetches, fetch_end);
            unit.came_before(before.into_iter());
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
        let Some(unit) = self.unit.take() else {
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
        unit.was_closed(&*self.laps);
    }

    /// A forward or training work has told what the fetched batches are for.
    pub(super) fn decide(&mut self, kind: PhaseName) {
        self.turn_into(kind);
        if let Some(unit) = &mut self.unit {
            unit.decide();
        }
        if kind == PhaseName::Step {
            self.is_step();
        } else {
            let own = self.iteration.as_ref();
            let is_own = |of: &Arc<Iteration>| own.is_some_and(|own| Arc::ptr_eq(own, of));
            let unit = self.unit.as_ref();
            let is_used = |of: &Arc<Iteration>| {
                let mut used = unit.into_iter().flat_map(|unit| unit.tail.iterations());
                used.any(|used| Arc::ptr_eq(used, of))
            };
            self.ahead.retain(|of| !is_own(of) && !is_used(of));
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
            unit.order_zeroed(self.number.updates);
            unit.settle(&*self.laps);
        }
    }

    /// Nothing came of the unit.
    pub(super) fn gives_up(&mut self, at: u64) {
        if let Some(unit) = &mut self.unit {
            unit.gives_up();
        }
        self.close_unit(at);
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
