//! A module is called, and no other is being called.

use super::laps::{Name, Program};
use super::machine::{Machine, Number};

/// Forwards with gradients, neither fed by a loader nor followed by a backward, before they
/// are taken for evaluation.
const MOST_FORWARDS: u32 = 64;

impl Machine {
    /// The outermost module call begins.
    pub fn forward_begin(&mut self, program: &dyn Program) {
        if self.is_updating() {
            self.begin_inner(Name::Forward);
            return;
        }
        let at = self.now();
        self.repair(at);
        let grad = program.grad();
        if self.has_unit() {
            self.unit_at_forward(grad, at, program);
        }
        if self.unit.is_none() {
            self.unit_for_forward(grad, at, program);
        }
        self.number.forwards += 1;
        self.number.saw_grad |= grad;
        // A loss module called after the model goes on with the same forward.
        let follows = self.previous == Some(Name::Forward);
        self.begin(Name::Forward, at);
        let place = self.place();
        if follows && place.is_some() && place == self.number.forward {
            self.goes_on();
        }
        self.number.forward = place;
    }

    fn unit_at_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        let Some(unit) = &self.unit else { return };
        if !unit.decided {
            let kind = unit.kind;
            self.decide_at_forward(grad, kind, program);
        } else if unit.kind == Name::Evaluation {
            if grad && !self.evaluates_with_grad() && program.trains() {
                self.train_after_evaluation(at, Name::Forward);
            }
        } else if self.number.stepped {
            if self.is_over(grad) {
                self.close_unit(at);
            }
        } else if self.iteration.is_none() && self.number.backwards == 0 {
            if self.number.forwards >= MOST_FORWARDS && !self.number.zeroed {
                self.forward_only = true;
                self.was_evaluation(at);
            }
        } else if self.iteration.is_none() && self.is_updated_unseen(program) {
            self.close_unit(at);
            self.number = Number::default();
        }
    }

    fn decide_at_forward(&mut self, grad: bool, guess: Name, program: &dyn Program) {
        let Some(iteration) = self.iteration.clone() else {
            return;
        };
        let loader = &iteration.loader;
        let kind = loader.first_forward(grad, || program.training());
        let sure = kind == guess && iteration.confirmed.is(kind);
        if grad && !sure && !program.trains() {
            return; // a transform or a loss: it tells nothing
        }
        if kind == Name::Step {
            loader.was_step();
        }
        self.decide(kind);
    }

    fn unit_for_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        let learns = grad
            && !self.forward_only
            && (self.trains_in_eval || program.training())
            && program.trains();
        if learns {
            self.open_step(at, Name::Forward);
            return;
        }
        let spot = self.laps.here();
        if spot.in_step || spot.innermost == Some(Name::Forward) {
            return;
        }
        if let Some(unit) = self.open_unit(Name::Evaluation, spot, at) {
            unit.decided = true;
            unit.standalone = true;
        }
        self.settle();
    }

    fn evaluates_with_grad(&self) -> bool {
        self.iteration.as_ref().is_none_or(|iteration| {
            let loader = &iteration.loader;
            let knows = loader.expects.is(Name::Evaluation) && loader.with_grad.get();
            self.number.saw_grad || knows
        })
    }

    /// It is over.
    pub fn forward_end(&mut self, raised: bool) {
        let at = self.now();
        if self.inner.is_some() {
            self.end_inner(at, raised);
            return;
        }
        if raised {
            self.breaks_off();
        }
        let direct = self.end(at);
        let Some(unit) = &mut self.unit else { return };
        if unit.standalone {
            unit.interrupted = raised;
            self.close_unit(at);
        } else if raised {
            self.interrupted(at, direct);
        } else if unit.kind == Name::Evaluation {
            unit.interrupted = false; // tried again, and it went well
        }
    }
}
