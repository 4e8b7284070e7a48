//! Forwards that no backward answers: what shows that none will, and what they were then.

use laptime_core::PhaseName;

use super::evaluations;
use super::number::Number;
use super::part::{Entry, Part};
use super::state::{Forwards, Machine};
use super::tail::Tail;
use super::unit::Unit;
use super::write_unit::write_waits;
use crate::program::Program;

/// How long forwards wait for a backward, if there are many: what is held back is not to be seen, and lost if the
/// program is killed.
const LONGEST_WAIT_NS: u64 = 60_000_000_000;
/// Forwards that may wait for a backward however long that takes.
const MOST_OF_ONE: u32 = 64;
/// Forwards on a batch each that wait for a backward where laps inside of them were written: these can't be given
/// another name, so that what waits in vain is cut short.
const MOST_NAMED: usize = 3;

/// Forwards of a pass without a backward that are no views of one batch any more.
const FEW_FORWARDS: usize = 2;

impl Machine {
    /// A module is called that trains: forwards before it may have been called for their result.
    pub(super) fn settle_results(&mut self, at: u64, program: &dyn Program) {
        let Some(unit) = &self.unit else { return };
        let is_other = unit.kind != PhaseName::Step && unit.is_decided();
        if is_other || !unit.tail.has_forwards_and_data() {
            return;
        }
        if unit.tail.is_whole_pass() {
            self.were_evaluations(at);
            return;
        }
        let module = self.inside_of(program.called());
        let Some(begin) = unit.tail.over_before(module) else {
            return;
        };
        let parent = unit.parent;
        let is_settled = unit.is_settled();
        if is_settled && (unit.tail.is_fixed() || !unit.is_innermost(&*self.laps)) {
            return;
        }
        let (before, mut tail) = if is_settled {
            (Vec::new(), self.take_tail())
        } else if let Some(unit) = &mut self.unit
            && let Some(taken) = unit.take_back(&*self.laps)
        {
            self.leave_taken_back();
            taken
        } else {
            self.results_cut_short(begin);
            return;
        };
        if !is_settled {
            tail.begin_anew();
        }
        self.put_off(parent, before);
        let calls = tail.take_before(begin);
        self.tell_evaluations(parent, calls, None);
        self.goes_on_after_results(parent, tail);
    }

    /// What comes after forwards for their result is the beginning of a step.
    fn goes_on_after_results(&mut self, parent: u32, rest: Tail) {
        if rest.is_only_forwards() {
            self.keep_prepared(parent, rest);
            return;
        }
        let is_decided = rest.batch_count() == 0;
        self.reopen(PhaseName::Step, rest);
        if is_decided && self.unit.is_some() {
            self.iteration = self.ahead.last().cloned();
            self.decide(PhaseName::Step);
        }
    }

    /// Takes what isn't settled from a step, which is told so far and goes on later.
    fn take_tail(&mut self) -> Tail {
        let tail = self
            .unit
            .as_mut()
            .map(|unit| std::mem::take(&mut unit.tail));
        self.pause();
        tail.unwrap_or_default()
    }

    /// Forwards for their result can't be taken out of the unit, as laps inside of it were written under its name:
    /// that is cut short with them, and what comes after them is another one.
    fn results_cut_short(&mut self, begin: usize) {
        let Some(unit) = &mut self.unit else { return };
        if unit.tail.is_fixed_from(begin) || !unit.is_innermost(&*self.laps) {
            return;
        }
        let parent = unit.parent;
        unit.settle_before(&*self.laps, begin);
        unit.cut_short();
        let rest = std::mem::take(&mut unit.tail);
        self.last.end = unit.settled_until();
        self.close_unit(self.last.end);
        self.goes_on_after_results(parent, rest);
    }

    /// Writes evaluations. Weights that were zeroed between them were so for the next step.
    fn tell_evaluations(&mut self, parent: u32, calls: Vec<Entry>, end: Option<u64>) {
        let (evaluations, rest) = evaluations::divide(calls, end);
        for evaluation in evaluations {
            evaluation.write(&*self.laps, parent);
            self.last.kind = Some(PhaseName::Evaluation);
        }
        let (ends, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(Entry::is_end);
        for end in &ends {
            write_waits(&*self.laps, parent, end);
        }
        self.wrote_elsewhere();
        self.put_off(parent, rest);
    }

    /// The forwards that wait are of no step: evaluations, each with its batch. `end`: when the last of them is
    /// over.
    pub(super) fn were_evaluations(&mut self, end: u64) {
        let Some(unit) = &mut self.unit else { return };
        let (parent, is_settled) = (unit.parent, unit.is_settled());
        let with_grad = self.number.saw_grad;
        if is_settled {
            if unit.tail.is_fixed() || !unit.is_innermost(&*self.laps) {
                return;
            }
            let mut tail = self.take_tail();
            learn_evaluations(&tail, with_grad);
            let calls = tail.drain().collect();
            self.tell_evaluations(parent, calls, Some(end));
            return;
        }
        let Some((before, mut tail)) = unit.take_back(&*self.laps) else {
            self.were_evaluations_by_name(end);
            return;
        };
        self.leave_taken_back();
        learn_evaluations(&tail, with_grad);
        let calls = before.into_iter().chain(tail.drain()).collect();
        self.tell_evaluations(parent, calls, Some(end));
        self.iteration = None;
    }

    /// The unit is an evaluation, as far as it can get that name.
    fn were_evaluations_by_name(&mut self, end: u64) {
        let Some(unit) = &mut self.unit else { return };
        let with_grad = self.number.saw_grad;
        let is_fixed = unit.tail.is_fixed();
        let tail = std::mem::take(&mut unit.tail);
        learn_evaluations(&tail, with_grad);
        let Some(unit) = &mut self.unit else { return };
        unit.tail = tail;
        self.rename(PhaseName::Evaluation);
        let end = if is_fixed {
            self.last.end.min(end)
        } else {
            end
        };
        self.close_unit(end);
        self.iteration = None;
        self.number = Number::default();
    }

    /// Forwards have waited for a backward for so long that none is waited for any more.
    pub(super) fn waited_too_long(&mut self, at: u64) {
        let Some(unit) = &self.unit else { return };
        let calls = unit.tail.forward_count();
        if unit.is_settled() || calls == 0 || self.number.zeroed || self.number.backwards > 0 {
            return;
        }
        let is_many = u32::try_from(calls).is_ok_and(|calls| calls > MOST_OF_ONE);
        let waited = self.laps.nanoseconds(at.saturating_sub(unit.start));
        let is_late = is_many && waited > LONGEST_WAIT_NS && self.habits.forwards == Forwards::Wait;
        let is_named = unit.tail.is_fixed() && unit.tail.batch_count() > MOST_NAMED;
        if unit.is_full() || is_late {
            self.habits.forwards = Forwards::Alone;
            self.were_evaluations(at);
        } else if is_named && !self.habits.fetches_ahead {
            self.were_evaluations(at);
        }
    }
}

impl Unit {
    /// Whether a backward may still come for the unit's forwards, and nothing else is there.
    pub fn waits_for_backward(&self) -> bool {
        !self.is_settled() && self.fetches == 0
    }
}

/// Loaders remember that their batches were evaluated.
fn learn_evaluations(tail: &Tail, with_grad: bool) {
    for iteration in tail.iterations() {
        iteration.loader.was_evaluation(with_grad);
        iteration.confirmed.set(Some(PhaseName::Evaluation));
    }
}

impl Tail {
    /// Where that begins which a call of this module shows to be over: forwards that were called for their
    /// result. `None` where all of them may still have a backward.
    ///
    /// - The module was called before a batch was fetched, and again after that: an accuracy after an update.
    /// - A pass began in between: a model that was tried out. A loader that starts over is no such pass.
    fn over_before(&self, module: usize) -> Option<usize> {
        let entries = self.entries();
        let first_data = entries.iter().position(|entry| entry.part.is_data())?;
        let mut before = entries[..first_data].iter();
        let is_again =
            |entry: &Entry| matches!(entry.part, Part::Forward(of) if of.module == module);
        // The wait for the end of a pass is of the batches before it.
        let next = entries
            .iter()
            .position(|entry| entry.is_start() || entry.is_batch());
        if before.clone().any(is_again) {
            let last_data = || entries.iter().rposition(|entry| entry.part.is_data());
            return next.or_else(|| last_data().map(|at| at + 1));
        }
        let begins = next.filter(|at| *at == first_data && entries[*at].is_start());
        begins.filter(|_| before.any(Entry::is_call))
    }

    /// Whether a pass came to its end with forwards on more than one of its batches.
    pub(super) fn is_whole_pass(&self) -> bool {
        let last = self
            .entries()
            .iter()
            .rfind(|entry| entry.is_end() || entry.is_call());
        let is_over = last.is_some_and(Entry::is_end) && self.batch_count() >= FEW_FORWARDS;
        is_over && self.forward_count() > 0 && !self.has_unused_batch()
    }
}
