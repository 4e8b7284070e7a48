//! A module is called, and no other is being called.

use laptime_core::PhaseName;

use super::unit::OpenedFor;
use super::{Machine, Number};
use crate::program::Program;

/// Forwards with gradients, neither fed by a loader nor followed by a backward, before they
/// are taken for evaluation.
const MOST_FORWARDS: u32 = 64;

impl Machine {
    /// The outermost module call begins.
    pub fn forward_begin(&mut self, program: &dyn Program) {
        if self.is_updating() {
            self.begin_in_closure(PhaseName::Forward);
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
        let follows = self.previous == Some(PhaseName::Forward);
        self.begin(PhaseName::Forward, at);
        let place = self.place();
        if follows && place.is_some() && place == self.number.forward {
            self.goes_on();
        }
        self.number.forward = place;
    }

    fn unit_at_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        let Some(unit) = &self.unit else { return };
        if !unit.is_decided() {
            let kind = unit.kind;
            self.decide_at_forward(grad, kind, program);
        } else if unit.kind == PhaseName::Evaluation {
            if grad && !self.evaluates_with_grad() && program.trains() {
                self.train_after_evaluation(at, PhaseName::Forward);
            }
        } else if self.number.stepped {
            if self.is_over(grad) {
                self.close_unit(at);
            }
        } else if self.iteration.is_none() && self.number.backwards == 0 {
            if self.number.forwards >= MOST_FORWARDS && !self.number.zeroed {
                self.habits.forward_only = true;
                self.was_evaluation(at);
            }
        } else if self.iteration.is_none() && self.is_updated_unseen(program) {
            self.close_unit(at);
            self.number = Number::default();
        }
    }

    fn decide_at_forward(&mut self, grad: bool, guess: PhaseName, program: &dyn Program) {
        let Some(iteration) = self.iteration.clone() else {
            return;
        };
        let loader = &iteration.loader;
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

    fn unit_for_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        let learns = grad
            && !self.habits.forward_only
            && (self.habits.trains_in_eval || program.training())
            && program.trains();
        if learns {
            self.open_step(at, PhaseName::Forward);
            return;
        }
        let spot = self.laps.here();
        if spot.in_step || spot.innermost == Some(PhaseName::Forward) {
            return;
        }
        if let Some(unit) = self.open_unit(PhaseName::Evaluation, spot, at) {
            unit.decide();
            unit.opened_for = OpenedFor::Forward;
        }
        self.settle();
    }

    fn evaluates_with_grad(&self) -> bool {
        self.iteration.as_ref().is_none_or(|iteration| {
            let loader = &iteration.loader;
            let knows = loader.expects.is(PhaseName::Evaluation) && loader.with_grad.get();
            self.number.saw_grad || knows
        })
    }

    /// It is over.
    pub fn forward_end(&mut self, raised: bool) {
        let at = self.now();
        if self.is_updating() {
            self.end_in_closure(at, raised);
            return;
        }
        if raised {
            self.breaks_off();
        }
        let direct = self.end(at);
        let Some(unit) = &mut self.unit else { return };
        if unit.opened_for == OpenedFor::Forward {
            if raised {
                unit.cut_short();
            }
            self.close_unit(at);
        } else if raised {
            self.interrupted(at, direct);
        } else if unit.kind == PhaseName::Evaluation {
            unit.made_good(); // tried again, and it went well
        }
    }
}
