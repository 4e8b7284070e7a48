//! Modules that are trained are called for an answer: without gradients, in evaluation mode.

use laptime_core::PhaseName;

use super::state::Machine;
use crate::program::Program;

impl Machine {
    /// Whether the module that is called is one that is trained, and answers without learning.
    pub(super) fn is_answer(&self, grad: bool, program: &dyn Program) -> bool {
        let called = self.inside_of(program.called());
        let in_unit = || {
            let unit = self.unit.as_ref();
            unit.is_some_and(|unit| unit.tail.learners().any(|known| known == called))
        };
        !grad && (self.is_learner(program) || in_unit()) && !program.training()
    }

    /// Whether the module that is called was trained.
    pub(super) fn is_learner(&self, program: &dyn Program) -> bool {
        let called = self.inside_of(program.called());
        self.learners.contains(&called) && !program.is_bare() // a loss
    }

    /// A module that is trained is called for an answer amid a step, and no batch waits for a teacher: the step is
    /// interrupted.
    pub(super) fn answers_amid(&mut self, grad: bool, program: &dyn Program) {
        let Some(unit) = &self.unit else { return };
        let is_amid = unit.is_settled() || !unit.tail.is_empty();
        let is_step = unit.kind == PhaseName::Step && unit.is_decided() && !self.number.stepped;
        if is_amid && is_step && !unit.tail.has_unused_batch() && self.is_answer(grad, program) {
            self.interrupt(unit.tail.len());
        }
    }

    /// Weights are about to be updated by gradients that are there: modules that were called since without any were
    /// evaluated, and no teachers.
    pub(super) fn answers_before_update(&mut self, at: u64) {
        let Some(unit) = &self.unit else { return };
        if unit.is_settled() && self.number.backwards > 0 && unit.tail.has_only_answers() {
            self.were_evaluations(at);
        }
    }
}
