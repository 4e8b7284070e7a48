//! How far an evaluation goes: which calls of modules go on with it.

use laptime_core::PhaseName;

use super::evaluations::SHORT_NS;
use super::number::Number;
use super::state::Machine;
use super::unit::Unit;
use crate::program::Program;

/// Modules made since an evaluation began that are remembered: a model's, and no more than half a MiB.
const MOST_MADE: usize = 1 << 14;
/// Modules that one evaluation without a loader calls at most.
const MOST_CALLED: usize = 64;

impl Machine {
    /// A module is called, right after another one or not: whether it goes on with that one's evaluation.
    pub(super) fn calls(&mut self, is_next: bool, at: u64, program: &dyn Program) -> bool {
        let goes_on = is_next && self.evaluation_goes_on(at, program);
        if !goes_on {
            self.called.clear();
            self.made.clear();
            self.alone_since = at;
        }
        if self.called.len() < MOST_CALLED {
            self.called.push(program.called());
        }
        goes_on
    }

    /// A forward that waits for its backward: whether it begins an evaluation, should none come.
    pub(super) fn may_be_evaluation(&mut self, at: u64, program: &dyn Program) -> bool {
        let unit = self.unit.as_ref();
        let waits = unit.filter(|unit| unit.kind == PhaseName::Step && unit.waits_for_backward());
        let is_next = waits.map(Unit::is_only_forwards);
        is_next.is_some_and(|is_next| !self.calls(is_next, at, program))
    }

    /// A module is made, or gets other weights. If it is called next, it is no other layer of the model that
    /// was evaluated before: a program has loaded its best weights, say.
    pub fn module_made(&mut self, module: usize) {
        let may_go_on = self.alone.is_some() || self.unit.is_some();
        if may_go_on && self.phase.is_none() && self.made.len() < MOST_MADE {
            self.made.insert(module);
        }
    }

    /// Ends the evaluation of a batch whose loop was left, where a module is called that was made since.
    pub(super) fn reloaded(&mut self, program: &dyn Program) {
        let is_left = self.iteration.as_ref().is_none_or(|it| !it.in_play());
        let is_evaluation = self.unit.as_ref().is_some_and(|unit| {
            unit.kind == PhaseName::Evaluation && unit.is_decided() && unit.fetches > 0
        });
        if is_left && is_evaluation && self.made.contains(&program.called()) && !program.is_bare() {
            self.end_evaluation(self.last.end);
            self.iteration = None;
            self.number = Number::default();
            self.made.clear();
        }
    }

    /// Whether a forward that follows another one goes on with that evaluation: a loss after the
    /// model does, and so does another layer of a model whose own method calls its layers (`decode`).
    /// When a module comes again, comes late, or was made since, that is another evaluation.
    fn evaluation_goes_on(&self, at: u64, program: &dyn Program) -> bool {
        let called = program.called();
        let is_known = self.called.contains(&called) || self.made.contains(&called);
        let is_new = self.called.len() < MOST_CALLED && !is_known;
        self.is_near(at) && (is_new || program.is_bare())
    }

    /// Whether so little time has passed since the last evaluation that it may go on.
    pub(super) fn is_near(&self, at: u64) -> bool {
        let waited = at.saturating_sub(self.last.end);
        let took = self.last.end.saturating_sub(self.alone_since);
        waited <= took || self.laps.nanoseconds(waited) <= SHORT_NS
    }

    /// What was trained answers in evaluation mode: a batch of no training's is evaluated, and by no teacher.
    pub(super) fn may_be_sure(&mut self, program: &dyn Program) {
        let of = self.iteration.as_ref();
        let trains = of.is_some_and(|of| of.loader.expects.is(PhaseName::Step));
        let is_known = self.is_learner(program);
        let Some(unit) = &mut self.unit else { return };
        if unit.kind == PhaseName::Evaluation && !unit.is_sure && !trains {
            unit.is_sure = is_known && !self.habits.trains_in_eval && !program.training();
        }
    }

    /// Whether gradients say nothing about an open evaluation: a loop that never switches them off,
    /// or a loss outside of `no_grad()` after a model inside.
    pub(super) fn evaluates_with_grad(&self) -> bool {
        self.iteration.as_ref().is_none_or(|iteration| {
            let loader = &iteration.loader;
            let knows = loader.expects.is(PhaseName::Evaluation) && loader.with_grad.get();
            self.number.saw_grad || knows
        })
    }
}
