//! A module is called, and no other is being called.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::number::Number;
use super::part::{Called, Part};
use super::state::Machine;
use super::unit::{OpenedFor, Unit};
use crate::loader::Iteration;
use crate::program::Program;

/// Wrappers of modules that are remembered.
const MOST_WRAPPERS: usize = 16;

impl Machine {
    /// The outermost module call begins.
    pub fn forward_begin(&mut self, program: &dyn Program) {
        if self.is_updating() {
            self.ahead.clear();
            self.begin_in_closure(PhaseName::Forward);
            return;
        }
        let at = self.now();
        self.repair(at);
        let grad = program.grad();
        if grad && self.is_inside_untold(program) {
            return;
        }
        let module = self.module(grad, program);
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
        let called = Called {
            module,
            grad,
            begins: self.may_be_evaluation(at, program),
            uses_batch: self.uses_batch(program),
        };
        if self.is_preparation() {
            self.begin_part(PhaseName::Forward, at, Part::Forward(called));
            return;
        }
        if grad && called.uses_batch {
            self.trains_on_what_waits(called.module);
        }
        self.number.forwards += 1;
        if let Some(function) = &mut self.function {
            function.is_told = true;
        }
        // What a module without parameters is given tells nothing: a batch, or the result of the model.
        let is_told = || self.kind() != Some(PhaseName::Evaluation) || !program.is_bare();
        self.number.saw_grad = self.number.saw_grad || (grad && is_told());
        // A loss module called after the model goes on with the same forward.
        let follows = self.previous == Some(PhaseName::Forward);
        self.begin_part(PhaseName::Forward, at, Part::Forward(called));
        let place = self.place();
        if follows && place.is_some() && place == self.number.forward {
            self.goes_on();
        }
        self.number.forward = place;
    }

    /// Which module is called. A wrapper is what it wraps, which the program may call by itself as well.
    fn module(&mut self, grad: bool, program: &dyn Program) -> usize {
        let called = program.called();
        if grad && !self.learners.contains(&called) {
            let is_known = self.wrappers.iter().any(|(wrapper, _)| *wrapper == called);
            let inner = (!is_known).then(|| program.wraps()).flatten();
            if let Some(inner) = inner {
                if self.wrappers.len() == MOST_WRAPPERS {
                    self.wrappers.remove(0);
                }
                self.wrappers.push((called, inner));
            }
        }
        self.inside_of(called)
    }

    /// What a module is inside of its wrapper.
    pub(super) fn inside_of(&self, called: usize) -> usize {
        let mut wrappers = self.wrappers.iter();
        let known = wrappers.find(|(wrapper, _)| *wrapper == called);
        known.map_or(called, |(_, inner)| *inner)
    }

    /// Whether the module that is called may be given the last batch. A loss after a forward that was given an
    /// earlier one isn't.
    fn uses_batch(&self, program: &dyn Program) -> bool {
        let Some(unit) = &self.unit else { return true };
        let is_open = self.number.forwards > self.number.answered && unit.tail.has_unused_batch();
        let waits = is_open || self.has_waiting_forward(unit.parent);
        !waits || !program.is_bare()
    }

    /// A forward of the step that is open is given the batch that waits for it.
    fn trains_on_what_waits(&mut self, module: usize) {
        // Where no unit is open, the user's own lap is the step.
        let is_step = |unit: &Unit| unit.kind == PhaseName::Step && unit.is_decided();
        if !self.unit.as_ref().is_none_or(is_step) {
            return;
        }
        self.trains_again(module);
        let is_fed = self.iteration.as_ref().is_some_and(|it| it.in_play());
        if !is_fed && let Some(last) = self.ahead.last() {
            self.iteration = Some(Arc::clone(last));
        }
        for used in self.ahead.drain(..) {
            used.used();
            if used.confirmed.get().is_none() {
                used.confirmed.set(Some(PhaseName::Step));
            }
        }
        if let Some(unit) = self
            .unit
            .as_mut()
            .filter(|unit| !unit.is_settled() && unit.goes_on())
            && unit.tail.batch_count() > 0
            && self.number.stepped
        {
            // The next step, and not one more update of the last batch.
            unit.is_new();
            unit.tail.begin_anew();
            self.number = Number::default();
            for entry in unit.tail.entries() {
                self.number.take_in(&entry.part, unit.parent);
            }
        }
        let own = self.iteration.as_ref();
        let is_same = |feeds: &Arc<Iteration>| own.is_some_and(|own| Arc::ptr_eq(own, feeds));
        if !self.feeds.as_ref().map_or(own.is_none(), is_same) {
            self.feeds = own.cloned();
        }
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
        if unit.opened_for == OpenedFor::Preparation {
            self.prepared(at, raised);
        } else if raised {
            self.interrupted(at, direct);
        } else if unit.kind == PhaseName::Evaluation {
            unit.made_good(); // tried again, and it went well
        }
    }
}
