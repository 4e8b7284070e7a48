//! Batches of another loader amid a step: evaluated, wherever that stands, between micro-batches, before the forward
//! of a batch, or before the update.
//!
//! Who is given them tells: a module without gradients or in evaluation mode. A teacher is given batches of its
//! own too; what tells them apart is whether their loader's batches were trained on, whether their pass began
//! amid the step, and whether the module is the one that is trained.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::part::Entry;
use super::state::Machine;
use super::tail::Tail;
use crate::loader::Iteration;
use crate::program::Program;

impl Machine {
    /// A module is called: if that shows that the last batches are evaluated while the unit is a step, an
    /// evaluation begins with them. Whether it does.
    pub(super) fn evaluates_others(&mut self, grad: bool, program: &dyn Program) -> bool {
        let Some(unit) = &self.unit else { return false };
        let is_step = unit.kind == PhaseName::Step || !unit.is_decided();
        if !is_step || unit.tail.is_empty() {
            return false;
        }
        let others = unit.tail.others_at_end(self.iteration.as_ref());
        let others = others.filter(|(begin, _)| *begin > 0 || unit.is_settled());
        let Some((begin, iteration)) = others else {
            return false;
        };
        if unit.tail.is_fixed_from(begin) || program.is_bare() {
            return false; // a transform, say, tells nothing
        }
        let loader = &iteration.loader;
        if loader.first_forward(grad, || program.training()) == PhaseName::Step {
            return false;
        }
        let is_known = loader.expects.is(PhaseName::Evaluation);
        let trains = loader.expects.is(PhaseName::Step) || iteration.confirmed.is(PhaseName::Step);
        let begins_here = unit.tail.starts_from(begin, &iteration);
        let is_between = unit.is_settled() && !unit.tail.has_unused_batch_before(begin);
        let is_other = is_known || (!trains && (begins_here || is_between));
        if !is_other && !self.is_answer(grad, program) {
            return false;
        }
        let Some(rest) = self.interrupt(begin) else {
            return false;
        };
        self.reopen(PhaseName::Evaluation, rest);
        self.decide(PhaseName::Evaluation);
        true
    }

    /// Whether a batch is about to be fetched for an evaluation amid a step, as far as that is known.
    pub(super) fn is_for_evaluation(&self, iteration: &Arc<Iteration>, grad: bool) -> bool {
        let feeding = self.iteration.as_ref();
        let kind = iteration.confirmed.get();
        let kind = kind.unwrap_or_else(|| iteration.loader.guess(grad));
        kind == PhaseName::Evaluation && feeding.is_none_or(|own| !Arc::ptr_eq(own, iteration))
    }

    /// A batch is about to be fetched that is evaluated: what waits at the end of the unit waits for that. `false`
    /// where the unit can't be interrupted.
    pub(super) fn interrupt_for_fetch(&mut self) -> bool {
        let Some(unit) = &self.unit else { return false };
        let parent = unit.parent;
        let begin = unit.tail.starts_at_end();
        let Some(mut rest) = self.interrupt(begin) else {
            return false;
        };
        for start in rest.drain() {
            self.put_off(parent, vec![start]);
        }
        true
    }
}

impl Tail {
    /// Where the batches at the end begin that are of no training, with the iteration of the last of them. Calls of
    /// modules that tell nothing may stand behind them. `training`: whose batches the unit is for.
    fn others_at_end(&self, training: Option<&Arc<Iteration>>) -> Option<(usize, Arc<Iteration>)> {
        let end = self.entries().iter().rposition(|entry| !entry.is_call())? + 1;
        let entries = &self.entries()[..end];
        let batch = entries.iter().rfind(|entry| entry.is_batch());
        let own = batch?.part.iteration()?;
        let is_training = |of: &Arc<Iteration>| training.is_some_and(|one| Arc::ptr_eq(one, of));
        if is_training(own) {
            return None;
        }
        let is_other = |entry: &Entry| {
            let is_known = |of| is_training(of) || of.loader.expects.is(PhaseName::Step);
            let of = entry.part.iteration();
            entry.part.is_of(own) || of.is_some_and(|of| !is_known(of))
        };
        let before = entries.iter().rposition(|entry| !is_other(entry));
        let begin = before.map_or(0, |at| at + 1);
        // A pass that began after a batch of another one is a loop in that one's, and has a use of its own.
        let starts = entries
            .iter()
            .rposition(|entry| entry.is_start() && entry.part.is_of(own));
        let is_inner = |at: &usize| *at > begin && entries[begin..*at].iter().any(Entry::is_batch);
        let begin = starts.filter(is_inner).unwrap_or(begin);
        (begin < end).then(|| (begin, Arc::clone(own)))
    }

    /// Whether a pass of this iteration began from an index on.
    fn starts_from(&self, index: usize, iteration: &Arc<Iteration>) -> bool {
        let mut from = self.entries()[index..].iter();
        from.any(|entry| entry.is_start() && entry.part.is_of(iteration))
    }

    /// Where the starts of passes at the end begin.
    fn starts_at_end(&self) -> usize {
        let before = self.entries().iter().rposition(|entry| !entry.is_start());
        before.map_or(0, |at| at + 1)
    }
}
