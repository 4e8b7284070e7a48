//! Which unit a module's call is of: one that is open, or one that opens with it.

use laptime_core::PhaseName;

use super::number::Number;
use super::state::{Forwards, Machine};
use super::tail::Tail;
use super::unit::OpenedFor;
use crate::laps::Spot;
use crate::program::Program;

impl Machine {
    /// A module is called while a unit is open: what that tells of it.
    pub(super) fn unit_at_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        if self.evaluates_others(grad, program) {
            self.may_be_sure(program);
            return;
        }
        self.answers_amid(grad, program);
        if grad {
            self.settle_results(at, program);
        }
        let Some(unit) = &self.unit else { return };
        if !unit.is_decided() {
            let kind = unit.kind;
            self.decide_at_forward(grad, kind, program);
            self.may_be_sure(program);
        } else if unit.kind == PhaseName::Evaluation {
            // After a teacher's forward without gradients comes its student's. What trains is in training mode again
            // after an evaluation.
            let waits = self.has_waiting_forward(unit.parent);
            let is_amid = self.waiting_batch(unit.parent).is_some() || waits;
            let is_known = self.is_learner(program) || (is_amid && !program.is_bare());
            let trains = !self.evaluates_with_grad() || (is_known && program.training());
            if grad && trains && program.trains() {
                if waits && program.is_bare() {
                    // The loss of a forward before the evaluation, whose loop was left.
                    self.end_evaluation(self.last.end);
                } else {
                    self.train_after_evaluation(at, PhaseName::Forward);
                }
            } else {
                self.may_be_sure(program);
            }
        } else if self.has_updated() {
            // A lap of the user's keeps the step open; what follows the update may be another step.
            if self.is_over(grad) {
                self.close_unit(at);
            }
        } else if self.number.backwards == 0 {
            // A service that answers with gradients on never has a backward: its forwards must be
            // seen at last. An episode of reinforcement learning has hundreds before its one backward.
            self.waited_too_long(at);
        } else if self.iteration.is_none() && self.is_updated_unseen(program) {
            // Weights that are updated by hand: the step ends where the next one's forward begins.
            self.close_unit(at);
            self.number = Number::default();
        }
    }

    fn decide_at_forward(&mut self, grad: bool, guess: PhaseName, program: &dyn Program) {
        let Some(iteration) = self.iteration.clone() else {
            return;
        };
        let loader = &iteration.loader;
        // A validation loop may leave gradients on: then the module's mode and the loader's past tell.
        let kind = loader.first_forward(grad, || program.training());
        let sure = kind == guess && iteration.confirmed.is(kind);
        if grad && !sure && !program.trains() {
            return; // a transform or a loss: it tells nothing
        }
        if kind == PhaseName::Step {
            loader.was_step();
        }
        self.decide(kind);
    }

    /// A module is called while no unit is open: one opens with it, or the user's own laps take its place.
    pub(super) fn unit_for_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        // A module in evaluation mode that is called once, before the training, is tried out, and a
        // service's is used: neither is a step until a backward shows that such modules are trained.
        let learns = grad
            && self.habits.forwards != Forwards::Alone
            && (self.habits.trains_in_eval || program.training())
            && program.trains();
        let spot = self.laps.here();
        // Amid a step it prepares that, or is the loss of what it was about.
        let is_amid = grad && self.is_amid_step(spot.path);
        let is_next = self.alone == Some(spot.path) && self.is_near(at) && !is_amid;
        let is_bare = !is_next && Self::prepares_at(spot, program);
        // The loss of an answer that was evaluated is of that, though it could be trained with.
        let learns = learns && !(is_next && program.is_bare());
        if learns {
            // A loss after `with lt.lap("inference"):` around the model is of the step that this lap held.
            self.goes_on_outside(program.is_bare());
        }
        if is_bare {
            self.open_preparation(grad, at, spot, program);
        } else if learns {
            self.open_step(at, PhaseName::Forward, Some(program.called()));
        } else if !self.open_for_batch_ahead(grad, at, spot, program) {
            self.open_alone(at, spot, program);
        }
    }

    /// Opens a unit for a batch that was fetched before, which may be given to a teacher first: whether there is
    /// one.
    fn open_for_batch_ahead(
        &mut self,
        grad: bool,
        at: u64,
        spot: Spot,
        program: &dyn Program,
    ) -> bool {
        let is_elsewhere = spot.in_step || spot.in_phase || self.is_answer(grad, program);
        let waiting = self.waiting_batch(spot.path);
        let Some(next) = waiting.as_ref().or(self.ahead.last()).cloned() else {
            return false;
        };
        if is_elsewhere || next.gone.get() {
            return false;
        }
        let kind = next.loader.first_forward(grad, || program.training());
        let (start, prepared) = self.begins_with(at, Some(program.called()));
        self.goes_on_to(next);
        self.open_unit(kind, spot, start);
        if let Some(waiting) = waiting {
            self.claim_pass(&waiting);
        }
        self.has_prepared(prepared);
        self.decide(kind);
        true
    }

    /// Whether a call without a unit may prepare what the next module is given.
    fn prepares_at(spot: Spot, program: &dyn Program) -> bool {
        let is_elsewhere = spot.in_step || spot.in_phase || spot.innermost.is_some();
        !is_elsewhere && program.is_bare()
    }

    fn open_preparation(&mut self, grad: bool, at: u64, spot: Spot, program: &dyn Program) {
        let (start, before) = self.begins_with(at, Some(program.called()));
        let trains = self.last.kind == Some(PhaseName::Step) || (self.steps == 0 && grad);
        let guess = if trains {
            PhaseName::Step
        } else {
            PhaseName::Evaluation
        };
        if let Some(unit) = self.open_unit(guess, spot, start) {
            unit.decide();
            unit.opened_for = OpenedFor::Preparation;
            unit.take_up(Tail::new(before));
        }
    }

    /// Opens an evaluation that is one forward's alone.
    fn open_alone(&mut self, at: u64, spot: Spot, program: &dyn Program) {
        // `with lt.lap("forward"):` around a call takes the evaluation's place.
        if spot.in_step || spot.innermost == Some(PhaseName::Forward) {
            return;
        }
        let (start, before) = self.begins_with(at, Some(program.called()));
        let is_next = self.alone == Some(spot.path);
        let goes_on = self.calls(is_next, at, program) && before.is_empty();
        if let Some(unit) = self.open_unit(PhaseName::Evaluation, spot, start) {
            unit.decide();
            unit.opened_for = OpenedFor::Forward;
            if goes_on {
                self.goes_on_with_last();
            }
        }
        self.has_prepared(before);
        self.settle();
    }
}
