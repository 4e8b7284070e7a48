//! Which unit is open: opening, naming, closing steps and evaluations.

use std::mem::take;
use std::sync::Arc;

use super::laps::{Name, Program, Spot};
use super::loader::Iteration;
use super::machine::{Machine, Number};
use super::unit::Unit;

/// Micro-batches in one step before its update is taken to be out of sight: compiled, say.
const MOST_BACKWARDS: u32 = 256;

impl Machine {
    /// Opens a unit.
    pub fn open_unit(&mut self, kind: Name, spot: Spot, start: u64) -> Option<&mut Unit> {
        self.unit = Unit::open(&*self.laps, kind, spot.path, start);
        self.unit.as_mut()
    }

    /// Whether there is a unit that is still open; one that was closed from outside is dropped.
    pub fn has_unit(&mut self) -> bool {
        match &self.unit {
            Some(unit) if self.laps.is_open(unit.open) => true,
            Some(_) => {
                self.lost();
                false
            }
            None => false,
        }
    }

    /// Kind of the open unit.
    pub fn kind(&self) -> Option<Name> {
        self.unit.as_ref().map(|unit| unit.kind)
    }

    /// Gives the unit its right name.
    pub fn rename(&mut self, kind: Name) {
        if let Some(unit) = &mut self.unit {
            unit.rename(&*self.laps, kind);
        }
    }

    /// Operations are being counted from here on: the unit goes on under a name of its own.
    pub fn set_aside(&mut self) {
        match &mut self.unit {
            Some(unit) => unit.set_aside(&*self.laps),
            None => self.laps.set_aside(),
        }
    }

    /// The unit turns out to be something else while it goes on.
    fn turn_into(&mut self, kind: Name) {
        let here = self.laps.here().path;
        let splits = self
            .unit
            .as_ref()
            .is_some_and(|unit| unit.keeps_its_name(kind) && self.laps.path_of(unit.open) == here);
        if !splits {
            self.rename(kind);
            return;
        }
        let Some(mut old) = self.unit.take() else {
            return;
        };
        let at = self.now();
        let (decided, fetches, fetch_end) = (old.decided, old.fetches, old.fetch_end);
        old.interrupted = true;
        old.close(&*self.laps, at);
        self.last_end = at;
        self.previous = None;
        self.number.optimizer = None;
        let spot = self.laps.here();
        if let Some(unit) = self.open_unit(kind, spot, at) {
            (unit.decided, unit.fetches, unit.fetch_end) = (decided, fetches, fetch_end);
        }
    }

    /// Closes the unit, not before what was recorded last.
    pub fn close_unit(&mut self, end: u64) {
        self.waiting.clear();
        self.previous = None;
        if let Some(unit) = self.unit.take() {
            let end = end.max(self.last_end);
            self.last_end = end;
            self.last_kind = Some(unit.kind);
            self.last_aside = unit.aside;
            self.last_parent = unit.parent;
            unit.close(&*self.laps, end);
        }
    }

    /// A lap of the user's that the unit was opened in has ended, and the unit with it.
    fn lost(&mut self) {
        self.waiting.clear();
        self.previous = None;
        self.number.stepped = false;
        let Some(mut unit) = self.unit.take() else {
            return;
        };
        self.last_parent = unit.parent;
        unit.settle(&*self.laps);
        if !unit.decided
            && let Some(iteration) = &self.iteration
        {
            iteration.loader.fetch_only.set(true);
            iteration.confirmed.set(None);
        }
    }

    /// A forward or training work has told what the fetched batches are for.
    pub fn decide(&mut self, kind: Name) {
        self.turn_into(kind);
        if let Some(unit) = &mut self.unit {
            unit.decided = true;
        }
        for waiting in self.waiting.drain(..) {
            waiting.confirmed.set(Some(kind));
        }
        if let Some(iteration) = self.iteration.clone() {
            iteration.confirmed.set(Some(kind));
            if kind == Name::Step {
                self.epoch(&iteration);
            }
        }
    }

    /// Marks that the training loader has started over.
    fn epoch(&mut self, iteration: &Arc<Iteration>) {
        if iteration.marked.get() {
            return;
        }
        iteration.marked.set(true);
        let follows = self.epochs_of.as_ref().is_none_or(|leader| {
            Arc::ptr_eq(&leader.loader, &iteration.loader) || !leader.in_play()
        });
        if follows {
            self.epochs_of = Some(Arc::clone(iteration));
            let at = self
                .unit
                .as_ref()
                .map_or_else(|| self.now(), |unit| unit.start);
            self.laps.mark(Name::Epoch, at);
        }
    }

    /// A batch of this iteration is trained on.
    fn trained(&mut self) {
        if let Some(iteration) = self.iteration.clone() {
            iteration.loader.was_step();
            if iteration.confirmed.get().is_none() {
                iteration.confirmed.set(Some(Name::Step));
            }
            self.epoch(&iteration);
        }
    }

    /// There is training work, about to begin as a phase: a step must be open.
    pub fn train(&mut self, at: u64, phase: Name) {
        if !self.has_unit() {
            self.open_step(at, phase);
            return;
        }
        let decided = self.unit.as_ref().is_some_and(|unit| unit.decided);
        if !decided {
            self.trained();
            self.decide(Name::Step);
        } else if self.kind() == Some(Name::Evaluation) {
            self.train_after_evaluation(at, phase);
        } else if self.number.stepped && self.is_over(true) {
            self.close_unit(at);
            self.open_step(at, phase);
        }
    }

    /// Whether a step that a lap of the user's kept open has ended for this work.
    pub fn is_over(&self, grad: bool) -> bool {
        !grad || !self.iteration.as_ref().is_some_and(|it| it.in_play())
    }

    /// What looked like evaluation is followed by training work.
    pub fn train_after_evaluation(&mut self, at: u64, phase: Name) {
        let saw_grad = self.number.saw_grad;
        let iteration = self
            .iteration
            .clone()
            .filter(|iteration| saw_grad || !iteration.loader.expects.is(Name::Evaluation));
        let Some(iteration) = iteration else {
            self.end_evaluation(at);
            self.open_step(at, phase);
            return;
        };
        iteration.loader.was_step();
        iteration.loader.teacher.set(!saw_grad);
        self.turn_into(Name::Step);
        iteration.confirmed.set(Some(Name::Step));
        self.epoch(&iteration);
    }

    /// Opens a step, unless the user's own lap times it, or the phase that is about to begin.
    pub fn open_step(&mut self, at: u64, phase: Name) {
        let spot = self.laps.here();
        if self.iteration.as_ref().is_some_and(|it| !it.in_play()) {
            self.iteration = None;
        }
        if self.number.stepped && self.iteration.is_none() && !self.trailing {
            self.number = Number::default();
        }
        let goes_on = self.number.stepped && spot.path == self.last_parent;
        let is_timed = spot.in_step || spot.innermost == Some(phase);
        if !is_timed && let Some(unit) = self.open_unit(Name::Step, spot, at) {
            unit.piece = goes_on;
            unit.decided = true;
        }
        if goes_on && self.last_aside && !is_timed {
            self.set_aside(); // it goes on with one that was
        }
        self.trained();
    }

    /// An open step with forwards and no backward was evaluation with gradients on.
    pub fn was_evaluation(&mut self, at: u64) {
        self.rename(Name::Evaluation);
        self.end_evaluation(at);
    }

    /// The evaluation is over.
    pub fn end_evaluation(&mut self, at: u64) {
        if let Some(iteration) = &self.iteration {
            iteration.loader.was_evaluation(self.number.saw_grad);
            iteration.confirmed.set(Some(Name::Evaluation));
        }
        self.close_unit(at);
    }

    /// Whether the step has been updated without an optimizer that was seen.
    pub fn is_updated_unseen(&mut self, program: &dyn Program) -> bool {
        if self.number.backwards > MOST_BACKWARDS {
            self.blind = true;
        }
        self.number.backwards > 0 && (self.blind || program.by_hand())
    }

    /// Weights were updated. `closes`: no lap of the user's is open inside the step.
    pub fn stepped(&mut self, at: u64, closes: bool) {
        self.number.stepped = true;
        self.blind = false;
        self.steps += 1;
        self.look |= self.steps.is_power_of_two();
        if let Some(unit) = &mut self.unit {
            unit.interrupted = false;
        }
        // A lap of the user's that is open inside the step stays inside: the step waits for it.
        if closes {
            self.close_unit(at);
        }
    }

    /// An optimizer stepped inside the backward that is under way.
    pub fn update_inside(&mut self) {
        let backward = self.phase.as_ref();
        self.updated_inside |= backward.is_some_and(|phase| phase.name == Name::Backward);
    }

    /// Whether one did.
    pub fn take_update_inside(&mut self) -> bool {
        take(&mut self.updated_inside)
    }
}
