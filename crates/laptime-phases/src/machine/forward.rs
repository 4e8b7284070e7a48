//! A module is called, and no other is being called.

use laptime_core::PhaseName;

use super::state::{Forwards, Machine, Number};
use super::unit::{OpenedFor, Unit};
use crate::program::Program;

/// How long forwards without a loader wait for a backward, if there are many: what is held back is not
/// to be seen, and lost if the program is killed.
const LONGEST_WAIT_NS: u64 = 60_000_000_000;

/// Modules made since an evaluation began that are remembered: a model's, and no more than half a MiB.
const MOST_MADE: usize = 1 << 14;
/// Modules that one evaluation without a loader calls at most.
const MOST_CALLED: usize = 64;
/// Between two of them a program computes for so long, or for as long as the evaluation took so far. More
/// than what another process takes of the CPU now and then: counts must not depend on that.
const SHORT_NS: u64 = 50_000_000;

/// Forwards without a loader that may wait for a backward however long that takes.
const MOST_OF_ONE: u32 = 64;

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
            self.reloaded(program);
        }
        if self.unit.is_some() {
            self.unit_at_forward(grad, at, program);
        }
        if self.unit.is_none() {
            self.unit_for_forward(grad, at, program);
        }
        if self.is_alone() {
            self.begin_alone(at);
            return;
        }
        self.may_be_evaluation(at, program);
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

    /// Whether the unit that is open is this forward's alone.
    pub(super) fn is_alone(&self) -> bool {
        let unit = self.unit.as_ref();
        unit.is_some_and(|unit| unit.opened_for == OpenedFor::Forward)
    }

    /// The unit that is one forward's alone is over with it.
    pub(super) fn end_alone(&mut self, at: u64, raised: bool) {
        let Some(unit) = &mut self.unit else { return };
        if raised {
            unit.cut_short();
        }
        let spot = unit.parent;
        self.close_unit(at);
        self.alone = (!raised).then_some(spot);
    }

    fn begin_alone(&mut self, at: u64) {
        self.begin(PhaseName::Forward, at);
        if self.unit.as_ref().is_some_and(Unit::goes_on) {
            self.goes_on();
        }
    }

    pub(super) fn unit_at_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        let Some(unit) = &self.unit else { return };
        if !unit.is_decided() {
            let kind = unit.kind;
            self.decide_at_forward(grad, kind, program);
        } else if unit.kind == PhaseName::Evaluation {
            // After a teacher's forward without gradients comes its student's.
            if grad && !self.evaluates_with_grad() && program.trains() {
                self.train_after_evaluation(at, PhaseName::Forward);
            }
        } else if self.number.stepped {
            // A lap of the user's keeps the step open; what follows the update may be another step.
            if self.is_over(grad) {
                self.close_unit(at);
            }
        } else if self.iteration.is_none() && self.number.backwards == 0 {
            // A service that answers with gradients on never has a backward: its forwards must be
            // seen at last. An episode of reinforcement learning has hundreds before its one backward.
            let waited = self.laps.nanoseconds(at.saturating_sub(unit.start));
            let is_late = self.number.forwards > MOST_OF_ONE
                && waited > LONGEST_WAIT_NS
                && self.habits.forwards == Forwards::Wait;
            if (unit.is_full() || is_late) && !self.number.zeroed {
                self.habits.forwards = Forwards::Alone;
                self.were_evaluations(at);
            }
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

    fn unit_for_forward(&mut self, grad: bool, at: u64, program: &dyn Program) {
        // A module in evaluation mode that is called once, before the training, is tried out, and a
        // service's is used: neither is a step until a backward shows that such modules are trained.
        let learns = grad
            && self.habits.forwards != Forwards::Alone
            && (self.habits.trains_in_eval || program.training())
            && program.trains();
        if learns {
            // A loss after `with lt.lap("inference"):` around the model is of the step that this lap held.
            self.goes_on_outside(program.is_bare());
            self.open_step(at, PhaseName::Forward);
            return;
        }
        let spot = self.laps.here();
        // `with lt.lap("forward"):` around a call takes the evaluation's place.
        if spot.in_step || spot.innermost == Some(PhaseName::Forward) {
            return;
        }
        let goes_on = self.calls(self.alone == Some(spot.path), at, program);
        if let Some(unit) = self.open_unit(PhaseName::Evaluation, spot, at) {
            unit.decide();
            unit.opened_for = OpenedFor::Forward;
            if goes_on {
                self.goes_on_with_last();
            }
        }
        self.settle();
    }

    /// A module is called, right after another one or not: whether it goes on with that one's evaluation.
    fn calls(&mut self, is_next: bool, at: u64, program: &dyn Program) -> bool {
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

    /// A forward that waits for its backward: which evaluation it is of, should none come.
    fn may_be_evaluation(&mut self, at: u64, program: &dyn Program) {
        let unit = self.unit.as_ref();
        let waits = unit.filter(|unit| unit.kind == PhaseName::Step && unit.waits_for_backward());
        let Some(is_next) = waits.map(Unit::is_only_forwards) else {
            return;
        };
        let begins = !self.calls(is_next, at, program);
        if let Some(unit) = self.unit.as_mut().filter(|_| begins) {
            unit.begins_evaluation();
        }
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
    fn reloaded(&mut self, program: &dyn Program) {
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
        let waited = at.saturating_sub(self.last.end);
        let took = self.last.end.saturating_sub(self.alone_since);
        let is_near = waited <= took || self.laps.nanoseconds(waited) <= SHORT_NS;
        let called = program.called();
        let is_known = self.called.contains(&called) || self.made.contains(&called);
        let is_new = self.called.len() < MOST_CALLED && !is_known;
        (is_near && is_new) || program.is_bare()
    }

    /// Whether gradients say nothing about an open evaluation: a loop that never switches them off,
    /// or a loss outside of `no_grad()` after a model inside.
    fn evaluates_with_grad(&self) -> bool {
        self.iteration.as_ref().is_none_or(|iteration| {
            let loader = &iteration.loader;
            let knows = loader.expects.is(PhaseName::Evaluation) && loader.with_grad.get();
            self.number.saw_grad || knows
        })
    }

    /// The outermost module call is over.
    pub fn forward_end(&mut self, raised: bool) {
        let Some((at, direct)) = self.end_event(raised) else {
            return;
        };
        if self.is_alone() {
            self.end_alone(at, raised);
            return;
        }
        let Some(unit) = &mut self.unit else { return };
        if raised {
            self.interrupted(at, direct);
        } else if unit.kind == PhaseName::Evaluation {
            unit.made_good(); // tried again, and it went well
        }
    }
}
