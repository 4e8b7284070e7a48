//! A batch fetch.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::number::Number;
use super::part::Part;
use super::state::Machine;
use super::unit::OpenedFor;
use crate::laps::Spot;
use crate::loader::Iteration;
use crate::program::Program;

/// A fetch this long after another one that no forward followed has nothing to do with it: that one
/// was a look at a batch before the training, as notebooks take it.
const CHAIN_NS: u64 = 10_000_000;
/// Fetches without a forward before they are taken for a pass without a model, such as one that
/// computes the data's mean; several loaders read side by side, or batches put together, are fewer.
const MOST_FETCHES: u32 = 1_024;
/// Batches that wait for a forward which comes long after them.
const MOST_AHEAD: usize = 4;

impl Machine {
    /// The program asks an iterator for its next batch.
    pub fn fetch_begin(&mut self, iteration: &Arc<Iteration>, program: &dyn Program) {
        let now = self.laps.now();
        self.repair(now);
        iteration.goes_over_again();
        iteration.ask();
        self.epoch(iteration);
        self.prepared_nothing();
        let at = now.max(self.last.end);
        if self.has_unit() {
            self.work_opened_it();
            if self.stays_open_at_data(at, Some(iteration), program) {
                self.fetch_in_unit(iteration, at);
                return;
            }
        }
        let spot = self.laps.here();
        let is_evaluated = || iteration.loader.guess(program.grad()) == PhaseName::Evaluation;
        if spot.innermost == Some(PhaseName::Data) {
            self.wait_for(iteration); // the user's lap, or `track`, already times this fetch
        } else if spot.in_step && !is_evaluated() {
            // Inside a lap `step` of the user's no step opens; a validation in it does.
            self.wait_for(iteration);
            let started = self.started.take();
            self.begin_part(PhaseName::Data, at, Part::Batch(Arc::clone(iteration)));
            if started.is_some() && started == self.place() {
                self.goes_on();
            }
        } else {
            self.open_for_fetch(iteration, at, spot, program);
        }
    }

    fn fetch_in_unit(&mut self, iteration: &Arc<Iteration>, at: u64) {
        let Some(unit) = &self.unit else { return };
        // What came before was a peek, or a `zero_grad` before the loop, as in trainers.
        let is_idle = self.number.forwards == 0 && self.number.backwards == 0;
        let is_fed = self.iteration.as_ref().is_some_and(|it| it.in_play());
        if is_idle && !is_fed {
            self.iteration = Some(Arc::clone(iteration));
        }
        if !unit.is_decided() && !iteration.confirmed.is(unit.kind) {
            self.waiting.push(Arc::clone(iteration));
        }
        let is_claimed = self.claim_pass(iteration);
        self.begin_fetch(iteration, at, is_claimed);
    }

    fn begin_fetch(&mut self, iteration: &Arc<Iteration>, at: u64, is_claimed: bool) {
        self.begin_part(PhaseName::Data, at, Part::Batch(Arc::clone(iteration)));
        // The start of the pass is the first part of the wait for its first batch.
        if iteration.started.take() || is_claimed {
            self.goes_on();
        }
    }

    /// Data is about to be waited for: what is open is over with that, or not.
    pub(super) fn stays_open_at_data(
        &mut self,
        at: u64,
        iteration: Option<&Arc<Iteration>>,
        program: &dyn Program,
    ) -> bool {
        let Some(unit) = &self.unit else { return false };
        if !unit.is_decided() {
            return self.stays_undecided(at, iteration, program);
        }
        if unit.kind == PhaseName::Evaluation {
            // Each batch is one evaluation. Of a loop that was left nobody knows what came after its last forward.
            let own = self.iteration.as_ref();
            let is_next = own
                .zip(iteration)
                .is_some_and(|(own, next)| Arc::ptr_eq(own, next));
            let end = if is_next { at } else { self.last.end };
            self.end_evaluation(end);
            return false;
        }
        if unit.is_cut_short() {
            // A batch that ran out of memory was given up for the next one.
            let end = unit.raised_at.unwrap_or(at);
            self.close_unit(end);
            return false;
        }
        if self.has_updated() || self.is_updated_unseen(program) {
            self.close_unit(at);
            return false;
        }
        let Some(unit) = &self.unit else { return false };
        let is_idle = self.number.backwards == 0 && self.number.forwards == 0;
        if is_idle && unit.fetches == 0 && unit.tail.is_only_zeroed() {
            // The step begins with its batch, and what ran since the zero_grad was for none. Another unit may come
            // between, as in a trainer that validates first.
            let waits = self.interrupt(usize::MAX).is_some();
            let is_step = !waits && program.grad();
            if !waits && !is_step {
                self.gives_up(at);
            }
            return is_step;
        }
        if unit.tail.has_only_answers() || unit.tail.is_whole_pass() {
            self.were_evaluations(at);
            return self.has_unit();
        }
        let is_other = |of: &Arc<Iteration>| self.is_for_evaluation(of, program.grad());
        !(iteration.is_some_and(is_other) && self.interrupt_for_fetch())
    }

    /// Batches wait for the forward that tells what they are for: whether this one waits with them.
    fn stays_undecided(
        &mut self,
        at: u64,
        iteration: Option<&Arc<Iteration>>,
        program: &dyn Program,
    ) -> bool {
        let Some(unit) = &self.unit else { return false };
        let Some(end) = unit.fetch_end else {
            return true;
        };
        let gap = self
            .laps
            .nanoseconds(at.saturating_sub(self.last.end.max(end)));
        if gap > CHAIN_NS || unit.fetches >= MOST_FETCHES {
            // One that is trained on after a validation, say, or one that was looked at.
            let last = unit.tail.last_iteration();
            let may_wait =
                |of: Arc<Iteration>| !of.gone.get() && !of.loader.expects.is(PhaseName::Loading);
            let waits = unit.batch_count() <= MOST_AHEAD && last.is_some_and(may_wait);
            if !waits || !self.interrupt_for_fetch() {
                self.no_model(end);
            }
            return false;
        }
        let is_step = unit.kind == PhaseName::Step;
        let is_other = |of: &Arc<Iteration>| self.is_for_evaluation(of, program.grad());
        !(is_step && iteration.is_some_and(is_other) && self.interrupt_for_fetch())
    }

    fn open_for_fetch(
        &mut self,
        iteration: &Arc<Iteration>,
        at: u64,
        spot: Spot,
        program: &dyn Program,
    ) {
        self.wait_for(iteration);
        let mut is_claimed = false;
        // Within `with lt.lap("load"): batch = next(it)` a unit would close with the lap, before its forward.
        if !iteration.loader.fetch_only.get() {
            let confirmed = iteration.confirmed.get();
            let kind = confirmed.unwrap_or_else(|| iteration.loader.guess(program.grad()));
            if let Some(unit) = self.open_unit(kind, spot, at) {
                unit.opened_for = OpenedFor::Fetch;
                if confirmed.is_none() {
                    self.waiting.push(Arc::clone(iteration));
                }
                is_claimed = self.claim_pass(iteration);
            }
        }
        self.begin_fetch(iteration, at, is_claimed);
    }

    /// A batch of this iteration feeds what comes next.
    fn wait_for(&mut self, iteration: &Arc<Iteration>) {
        self.iteration = Some(Arc::clone(iteration));
        self.number = Number::default();
    }

    /// The batch is there.
    pub fn fetch_end(&mut self) {
        let at = self.now();
        let of = self.phase.as_ref().and_then(|phase| phase.part.iteration());
        if let Some(iteration) = of.cloned() {
            iteration.fetched();
            self.is_ahead(iteration);
        }
        self.end(at);
        self.work_opened_it();
        if let Some(unit) = &mut self.unit {
            unit.fetches += 1;
            unit.fetch_end = Some(at);
        }
    }

    /// A batch of this iteration waits for its forward.
    fn is_ahead(&mut self, iteration: Arc<Iteration>) {
        let mut ahead = self.ahead.iter();
        if !ahead.any(|known| Arc::ptr_eq(known, &iteration)) {
            self.ahead.push(iteration);
        }
    }

    /// The unit no longer hangs on the fetch that opened it.
    pub(super) fn work_opened_it(&mut self) {
        if let Some(unit) = &mut self.unit
            && unit.opened_for == OpenedFor::Fetch
        {
            unit.opened_for = OpenedFor::Work;
        }
    }

    /// The fetch raised: its time is no step of its own.
    pub fn fetch_failed(&mut self, iteration: &Iteration) {
        let at = self.now();
        self.breaks_off();
        if let Some(phase) = &mut self.phase {
            phase.part = Part::Other;
        }
        let direct = self.end(at);
        let Some(unit) = &mut self.unit else { return };
        let alone = unit.fetches == 0;
        if unit.is_decided() || !(direct || alone) {
            self.interrupted(at, direct);
            return;
        }
        unit.cut_short();
        let used = iteration.confirmed.get();
        let used = used.or_else(|| iteration.loader.expects.get().filter(|_| alone));
        self.close_without_batch(used, at);
    }

    /// There was no further batch: the wait for that goes on with the last batch's.
    pub fn exhausted(&mut self, iteration: &Iteration) {
        let at = self.now();
        iteration.exhausted.set(true);
        self.goes_on();
        if let Some(phase) = &mut self.phase
            && let Part::Batch(of) = &phase.part
        {
            let of = Arc::clone(of);
            phase.part = Part::End(Arc::clone(&of));
            if of.has_unused() {
                self.is_ahead(of);
            }
        }
        self.end(at);
        let Some(unit) = &self.unit else { return };
        if unit.opened_for == OpenedFor::Fetch {
            self.close_without_batch(iteration.confirmed.get(), at);
        } else if !unit.is_decided() && unit.fetches > 1 && !iteration.confirmed.is(unit.kind) {
            self.no_model(at);
        }
    }

    fn close_without_batch(&mut self, used: Option<PhaseName>, at: u64) {
        let goes_on = used.is_some() || self.last.kind == Some(PhaseName::Loading);
        self.rename(used.unwrap_or(PhaseName::Loading));
        if goes_on {
            self.goes_on_with_last();
        }
        self.close_unit(at);
    }

    /// The batches fetched so far went into no model.
    pub(super) fn no_model(&mut self, end: u64) {
        for waiting in self.waiting.drain(..) {
            waiting.loader.expects.set(Some(PhaseName::Loading));
        }
        self.rename(PhaseName::Loading);
        self.close_unit(end);
    }
}
