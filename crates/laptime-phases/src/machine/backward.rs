//! Gradients are computed.

use std::mem::take;

use laptime_core::PhaseName;

use super::learners::learns;
use super::number::Number;
use super::state::{Forwards, Machine};
use super::unit::{OpenedFor, Unit};
use crate::program::Program;

impl Machine {
    /// Gradients are being computed for an update.
    pub fn backward_begin(&mut self, program: &dyn Program) {
        if self.is_updating() {
            self.begin_in_closure(PhaseName::Backward);
            return;
        }
        let at = self.now();
        self.repair(at);
        self.updated_by_hand(program);
        // A module that is trained in evaluation mode looked like an evaluation until now: learned.
        let evaluated = self.unit.is_none() && self.last.kind == Some(PhaseName::Evaluation);
        // Forwards that waited too long were told as evaluations: from now on they wait longer.
        let came_late = self.habits.forwards == Forwards::Alone;
        if came_late {
            self.habits.forwards = Forwards::WaitLong;
        }
        self.habits.trains_in_eval |= came_late || evaluated;
        let has_unit = self.has_unit();
        let untold = self.untold_since();
        // A step that the gradient opens begins with its forward.
        let begin = untold.filter(|_| !has_unit).unwrap_or(at);
        self.train(begin, PhaseName::Backward);
        if let Some(since) = untold {
            self.infer_forward(since, at);
        }
        self.answers_forwards();
        self.trains_on_batch(at);
        self.settle();
        self.number.backwards += 1;
        self.number.answered = self.number.forwards;
        self.begin(PhaseName::Backward, at);
    }

    /// The forwards that wait for a backward have it: what they tell of the program.
    fn answers_forwards(&mut self) {
        self.claim_forwards();
        let Some(unit) = &self.unit else { return };
        self.habits.fetches_ahead |= unit.tail.has_batch_after_forward();
        for module in unit.learners() {
            learns(&mut self.learners, module);
        }
        if self.number.forwards == self.number.answered {
            self.ahead.clear(); // a forward that no call told was given them
        }
    }

    /// A program that calls no module and updates its weights itself has taken a step with each of its
    /// gradients: the next one begins where the last ended. Its forward can't be told from the update.
    fn updated_by_hand(&mut self, program: &dyn Program) {
        let number = &self.number;
        let calls_none = number.forwards == 0 && number.backwards > 0 && self.iteration.is_none();
        if calls_none
            && !self.is_in_function()
            && self.has_unit()
            && self.is_updated_unseen(program)
        {
            let end = self.last.end;
            self.close_unit(end);
            self.number = Number::default();
            self.open_step(end, PhaseName::Backward, None);
        }
    }

    /// Gradients are computed and handed back. With respect to parameters that is training, as in
    /// meta-learning by `torch.autograd.grad`; else it is part of whatever goes on: of an evaluation
    /// with a saliency map, say, or of a step with a gradient penalty.
    pub fn gradient_begin(&mut self, program: &dyn Program) {
        if self.is_updating() || self.is_in_function() || program.for_parameters() {
            self.backward_begin(program);
            return;
        }
        if self.phase.is_some() {
            return;
        }
        let has_unit = self.has_unit();
        let is_decided = self.unit.as_ref().is_some_and(Unit::is_decided);
        let parent = self.unit.as_ref().map(|unit| unit.parent);
        let is_amid = || self.is_amid_step(parent.unwrap_or_else(|| self.laps.here().path));
        // What was evaluated without gradients has none.
        let is_other = self.kind() == Some(PhaseName::Evaluation) && !self.number.saw_grad;
        let at = self.now();
        if has_unit && is_decided && !(is_other && is_amid()) {
            self.begin(PhaseName::Backward, at);
        } else if is_amid() {
            self.train(at, PhaseName::Backward);
            self.claim_forwards();
            self.begin(PhaseName::Backward, at);
        } else if !has_unit {
            self.goes_on_with_gradient();
        }
    }

    /// The gradient of an evaluation that was one forward, and over with it: a saliency map's, or a
    /// force's of a learned energy. Where the program wrote a lap in between, it is no part of it.
    fn goes_on_with_gradient(&mut self) {
        let spot = self.laps.here();
        if self.alone != Some(spot.path) || self.laps.last_written() != self.last.written {
            return;
        }
        let at = self.now();
        if let Some(unit) = self.open_unit(PhaseName::Evaluation, spot, at) {
            unit.decide();
            unit.opened_for = OpenedFor::Forward;
            self.goes_on_with_last();
            self.settle();
            self.begin(PhaseName::Backward, at);
        }
    }

    /// The gradients are there.
    pub fn backward_end(&mut self, raised: bool) {
        let Some((at, is_direct)) = self.end_event(raised) else {
            return;
        };
        if self.is_alone() {
            self.end_alone(at, raised);
        } else if take(&mut self.updated_inside) {
            self.stepped(at, true); // an optimizer per parameter, stepped by hooks
        } else if raised {
            self.interrupted(at, is_direct);
        } else if let Some(unit) = &mut self.unit {
            unit.made_good(); // tried again, and it went well
        }
    }
}
