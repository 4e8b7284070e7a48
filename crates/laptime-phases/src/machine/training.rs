//! There is training work: which step it belongs to.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::number::Number;
use super::state::Machine;
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
            self.open_step(at, phase, None);
            return;
        }
        let is_decided = self.unit.as_ref().is_some_and(Unit::is_decided);
        if !is_decided {
            self.loader_trains();
            self.decide(PhaseName::Step);
        } else if self.kind() == Some(PhaseName::Evaluation) {
            self.train_after_evaluation(at, phase);
        } else if self.has_updated() && self.is_over(true) {
            // `with lt.lap("body"):` around all of a step kept it open beyond its update.
            self.close_unit(at);
            self.open_step(at, phase, None);
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

    /// Whether the unit that is open holds the update of its step: a lap of the user's keeps it open.
    pub(super) fn has_updated(&self) -> bool {
        self.number.stepped && self.unit.as_ref().is_some_and(Unit::is_settled)
    }

    /// Whether a step that a lap of the user's kept open has ended for this work. With a loader, a
    /// second optimizer (a GAN's) updates in the step of the same batch; a forward without gradients
    /// after the update is a validation.
    pub(super) fn is_over(&self, grad: bool) -> bool {
        let is_fed = self.iteration.as_ref().is_some_and(|it| it.in_play());
        !grad || !is_fed || !self.ahead.is_empty()
    }

    /// What looked like evaluation is followed by training work: the forward was a teacher's, or that
    /// of a module which is trained in evaluation mode, as where batch norm is frozen. Where the
    /// loader's batches were evaluated before, the training is of something else: it begins here.
    pub(super) fn train_after_evaluation(&mut self, at: u64, phase: PhaseName) {
        let saw_grad = self.number.saw_grad;
        let is_other =
            |it: &Arc<Iteration>| saw_grad || !it.loader.expects.is(PhaseName::Evaluation);
        // A step that was interrupted, or whose forward waits for this, needs no forward of its own here.
        let parent = self.unit.as_ref().map_or(0, |unit| unit.parent);
        let is_rest = phase != PhaseName::Forward
            && (self.paused.is_some() || self.has_waiting_forward(parent));
        let waits = self.ahead.iter().any(|ahead| ahead.in_play());
        let waiting = self.waiting_batch(parent);
        let is_fed = waits || waiting.is_some();
        let is_sure = self.unit.as_ref().is_some_and(|unit| unit.is_sure);
        // A batch that is scored before it is trained on, or labelled beside the one that waits, is of a pass that goes
        // on. A validation's is over by now, or was left.
        let is_amid_pass = |it: &Arc<Iteration>| phase == PhaseName::Forward && it.in_play();
        let is_step = |it: &Arc<Iteration>| !is_rest && (is_amid_pass(it) || !(is_fed || is_sure));
        let iteration = self.iteration.clone().filter(is_other);
        let Some(iteration) = iteration.filter(is_step) else {
            self.end_evaluation(self.last.end);
            // Its batch was evaluated, and so were the forwards.
            self.iteration = None;
            self.number = Number::default();
            self.open_step(at, phase, None);
            return;
        };
        iteration.loader.was_step();
        iteration.loader.teacher.set(!saw_grad);
        self.turn_into(PhaseName::Step);
        self.is_step();
        iteration.confirmed.set(Some(PhaseName::Step));
        if let Some(waiting) = waiting {
            self.claim_pass(&waiting);
        }
    }

    /// Opens a step, unless the user's own lap times it, or the phase that is about to begin, with a call of
    /// `module`.
    pub(super) fn open_step(&mut self, at: u64, phase: PhaseName, module: Option<usize>) {
        let spot = self.laps.here();
        let (start, prepared) = self.begins_with(at, module);
        let update = self.update.as_ref();
        let is_trailing = update.is_some_and(|update| update.is_trailing);
        let is_forward = phase == PhaseName::Forward;
        let early = self.waiting_batch(spot.path).filter(|_| !is_trailing);
        let goes_on = self
            .paused
            .as_ref()
            .is_some_and(|paused| !paused.is_updated());
        let is_first = phase == PhaseName::Optimizer && !self.number.stepped && !goes_on;
        let ahead = self.ahead.last().filter(|_| is_forward || is_first);
        if let Some(next) = early.as_ref().or(ahead).cloned() {
            self.goes_on_to(next);
        } else if self.iteration.as_ref().is_some_and(|it| !it.in_play()) {
            // After the last batch, as in a fine-tuning that goes on with tensors, the optimizer tells steps.
            self.iteration = None;
        }
        if self.number.stepped && self.iteration.is_none() && !is_trailing {
            self.number = Number::default();
        }
        // Two optimizers that share a batch, and a `zero_grad` after the update: one step, in pieces.
        let goes_on = self.number.stepped && spot.path == self.last.parent;
        let is_part = spot.in_phase && self.iteration.is_none();
        let is_timed = spot.in_step || is_part || spot.innermost == Some(phase);
        if !is_timed && let Some(unit) = self.open_unit(PhaseName::Step, spot, start) {
            unit.decide();
            if goes_on {
                self.goes_on_with_last();
            } else {
                self.is_step();
            }
        }
        if let Some(iteration) = early {
            self.claim_pass(&iteration);
        }
        self.has_prepared(prepared);
        self.loader_trains();
    }

    /// A batch of this iteration that was fetched before is used: in the next step, and not in one more update of
    /// the last batch.
    pub(super) fn goes_on_to(&mut self, iteration: Arc<Iteration>) {
        self.iteration = Some(iteration);
        self.number = Number::default();
        self.paused.take_if(|paused| paused.is_updated());
    }

    /// The unit that is open is a step: it goes on with the one that was interrupted, and weights that were zeroed
    /// were so for it.
    pub(super) fn is_step(&mut self) {
        self.resume();
        self.claim_zeroed();
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
