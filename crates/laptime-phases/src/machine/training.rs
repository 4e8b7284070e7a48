//! There is training work: which step it belongs to.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::state::{Machine, Number};
use super::unit::Unit;
use crate::loader::Iteration;
use crate::program::Program;

/// Micro-batches in one step before its update is taken to be out of sight: compiled, say.
const MOST_BACKWARDS: u32 = 256;

/// So many steps in pieces are a habit.
const MOST_TRIED: u64 = 3;

impl Machine {
    /// There is training work, about to begin as a phase: a step must be open.
    pub(super) fn train(&mut self, at: u64, phase: PhaseName) {
        if !self.has_unit() {
            // A program without a loader: its step begins with its first work.
            self.goes_on_outside(phase != PhaseName::Forward);
            self.open_step(at, phase);
            return;
        }
        let is_decided = self.unit.as_ref().is_some_and(Unit::is_decided);
        if !is_decided {
            self.loader_trains();
            self.decide(PhaseName::Step);
        } else if self.kind() == Some(PhaseName::Evaluation) {
            self.train_after_evaluation(at, phase);
        } else if self.number.stepped && self.is_over(true) {
            // `with lt.lap("body"):` around all of a step kept it open beyond its update.
            self.close_unit(at);
            self.open_step(at, phase);
        }
    }

    /// A step begins. It is the rest of one that a lap of the user's held a part of, or that one is forgotten.
    pub(super) fn goes_on_outside(&mut self, is_rest: bool) {
        let left = self.last.left.take();
        if let Some(path) = left.filter(|_| is_rest) {
            self.habits.torn += 1;
            // Of one that was tried out before the training nothing is to be said.
            if self.habits.torn >= MOST_TRIED.max(self.steps) {
                self.laps.torn(path);
            }
        }
    }

    /// Whether a step that a lap of the user's kept open has ended for this work. With a loader, a
    /// second optimizer (a GAN's) updates in the step of the same batch; a forward without gradients
    /// after the update is a validation.
    pub(super) fn is_over(&self, grad: bool) -> bool {
        !grad || !self.iteration.as_ref().is_some_and(|it| it.in_play())
    }

    /// What looked like evaluation is followed by training work: the forward was a teacher's, or that
    /// of a module which is trained in evaluation mode, as where batch norm is frozen. Where the
    /// loader's batches were evaluated before, the training is of something else: it begins here.
    pub(super) fn train_after_evaluation(&mut self, at: u64, phase: PhaseName) {
        let saw_grad = self.number.saw_grad;
        let is_other =
            |it: &Arc<Iteration>| saw_grad || !it.loader.expects.is(PhaseName::Evaluation);
        let Some(iteration) = self.iteration.clone().filter(is_other) else {
            self.end_evaluation(at);
            // Its batch was evaluated, and so were the forwards.
            self.iteration = None;
            self.number = Number::default();
            self.open_step(at, phase);
            return;
        };
        iteration.loader.was_step();
        iteration.loader.teacher.set(!saw_grad);
        self.turn_into(PhaseName::Step);
        iteration.confirmed.set(Some(PhaseName::Step));
    }

    /// Opens a step, unless the user's own lap times it, or the phase that is about to begin.
    pub(super) fn open_step(&mut self, at: u64, phase: PhaseName) {
        let spot = self.laps.here();
        // After the last batch, as in a fine-tuning that goes on with tensors, the optimizer tells steps.
        if self.iteration.as_ref().is_some_and(|it| !it.in_play()) {
            self.iteration = None;
        }
        let update = self.update.as_ref();
        let is_trailing = update.is_some_and(|update| update.is_trailing);
        if self.number.stepped && self.iteration.is_none() && !is_trailing {
            self.number = Number::default();
        }
        // Two optimizers that share a batch, and a `zero_grad` after the update: one step, in pieces.
        let goes_on = self.number.stepped && spot.path == self.last.parent;
        let is_part = spot.in_phase && self.iteration.is_none();
        let is_timed = spot.in_step || is_part || spot.innermost == Some(phase);
        if !is_timed && let Some(unit) = self.open_unit(PhaseName::Step, spot, at) {
            unit.decide();
            if goes_on {
                self.goes_on_with_last();
            }
        }
        self.loader_trains();
    }

    /// Whether the step has been updated without an optimizer that was seen: by `w -= rate * w.grad`,
    /// or inside compiled code. Without this, all of such a training would be one step.
    pub(super) fn is_updated_unseen(&mut self, program: &dyn Program) -> bool {
        if self.number.backwards > MOST_BACKWARDS {
            self.habits.updates_unseen = true;
        }
        self.is_updated(|| program.by_hand())
    }

    fn is_updated(&self, by_hand: impl FnOnce() -> bool) -> bool {
        self.number.backwards > 0 && (self.habits.updates_unseen || by_hand())
    }

    /// Ends the step now that is updated by hand, if the fetch or the forward that is about to begin ends it;
    /// whether it did.
    pub fn end_by_hand(&mut self, at_fetch: bool, by_hand: bool) -> bool {
        let is_between = self.has_unit()
            && self
                .unit
                .as_ref()
                .is_some_and(|unit| self.laps.path_of(unit.span) == self.laps.here().path);
        let is_over = is_between
            && !self.number.stepped
            && self.is_updated(|| by_hand)
            && self.kind() == Some(PhaseName::Step)
            && (at_fetch || self.iteration.is_none());
        if is_over {
            let at = self.now();
            self.close_unit(at);
            self.number = Number::default();
        }
        is_over
    }

    /// A batch is trained on: whose loader it is from is a training's.
    pub(super) fn loader_trains(&mut self) {
        if let Some(iteration) = self.iteration.clone() {
            iteration.loader.was_step();
            if iteration.confirmed.get().is_none() {
                iteration.confirmed.set(Some(PhaseName::Step));
            }
        }
    }
}
