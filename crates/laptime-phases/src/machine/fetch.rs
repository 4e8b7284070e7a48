//! A batch fetch.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::state::{Machine, Number};
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

impl Machine {
    /// The program asks an iterator for its next batch.
    pub fn fetch_begin(&mut self, iteration: &Arc<Iteration>, program: &dyn Program) {
        let fetch = self.laps.now();
        self.repair(fetch);
        iteration.ask();
        self.epoch(iteration);
        let start = iteration.waits_since(fetch, |ticks| self.laps.nanoseconds(ticks));
        let start = start.max(self.last.end);
        let fetch = fetch.max(self.last.end);
        if self.has_unit() {
            self.work_opened_it();
            if self.stays_open_at_fetch(fetch, start, program) {
                // What came before was a peek, or a `zero_grad` before the loop, as in trainers.
                let is_idle = self.number.forwards == 0 && self.number.backwards == 0;
                if (self.iteration.as_ref()).map_or(is_idle, |it| !it.in_play()) {
                    self.iteration = Some(Arc::clone(iteration));
                }
                let unknown = self
                    .unit
                    .as_ref()
                    .is_some_and(|unit| !unit.is_decided() && !iteration.confirmed.is(unit.kind));
                if unknown {
                    self.waiting.push(Arc::clone(iteration));
                }
                self.begin(PhaseName::Data, fetch);
                return;
            }
        }
        let spot = self.laps.here();
        if spot.innermost == Some(PhaseName::Data) {
            self.wait_for(iteration); // the user's lap, or `track`, already times this fetch
            return;
        }
        // Inside a lap `step` of the user's no step opens; a validation in it does.
        if spot.in_step && iteration.loader.guess(program.grad()) != PhaseName::Evaluation {
            self.wait_for(iteration);
            self.begin(PhaseName::Data, fetch);
            return;
        }
        self.open_for_fetch(iteration, start, spot, program);
    }

    fn stays_open_at_fetch(&mut self, at: u64, start: u64, program: &dyn Program) -> bool {
        let Some(unit) = &self.unit else { return false };
        let fetches = unit.fetches;
        if !unit.is_decided() {
            let end = unit.fetch_end.unwrap_or(at);
            let gap = self.laps.nanoseconds(at.saturating_sub(end));
            if unit.fetches < MOST_FETCHES && gap <= CHAIN_NS {
                return true;
            }
            self.no_model(end);
            return false;
        }
        if unit.kind == PhaseName::Evaluation {
            // Each batch is one evaluation.
            self.end_evaluation(start);
            return false;
        }
        if unit.is_cut_short() {
            // A batch that ran out of memory was given up for the next one.
            let end = unit.raised_at.unwrap_or(start);
            self.close_unit(end);
            return false;
        }
        if unit.kind == PhaseName::Step && unit.is_only_forwards() && !self.number.zeroed {
            // Called for their result, such as a model's accuracy after its training.
            self.were_evaluations(start);
            return false;
        }
        if self.number.stepped || self.is_updated_unseen(program) {
            self.close_unit(start);
            return false;
        }
        let idle = self.number.backwards == 0 && self.number.forwards == 0;
        if idle && fetches == 0 && !program.grad() {
            // A zero_grad, and then batches that no gradient is computed for: no step.
            self.was_no_step(start);
            return false;
        }
        if self.number.backwards > 0 || self.number.forwards == 0 {
            return true; // a micro-batch, or a zero_grad before its batch
        }
        // Forwards in training mode, and no backward: Monte Carlo dropout, say.
        self.was_evaluation(start);
        // With a `zero_grad` at its end: a step has begun.
        self.has_unit() && self.stays_open_at_fetch(at, start, program)
    }

    fn open_for_fetch(
        &mut self,
        iteration: &Arc<Iteration>,
        start: u64,
        spot: Spot,
        program: &dyn Program,
    ) {
        self.wait_for(iteration);
        iteration.forget_made();
        // Within `with lt.lap("load"): batch = next(it)` a unit would close with the lap, before its forward.
        if !iteration.loader.fetch_only.get() {
            let confirmed = iteration.confirmed.get();
            let kind = confirmed.unwrap_or_else(|| iteration.loader.guess(program.grad()));
            if let Some(unit) = self.open_unit(kind, spot, start) {
                unit.opened_for = OpenedFor::Fetch;
                if confirmed.is_none() {
                    self.waiting.push(Arc::clone(iteration));
                }
            }
        }
        self.begin(PhaseName::Data, start);
    }

    /// A batch of this iteration feeds what comes next.
    fn wait_for(&mut self, iteration: &Arc<Iteration>) {
        self.iteration = Some(Arc::clone(iteration));
        self.number = Number::default();
    }

    /// The batch is there.
    pub fn fetch_end(&mut self) {
        let at = self.now();
        self.end(at);
        self.work_opened_it();
        self.number.forwards_before = self.number.forwards;
        if let Some(unit) = &mut self.unit {
            unit.fetches += 1;
            unit.fetch_end = Some(at);
        }
    }

    /// The unit no longer hangs on the fetch that opened it.
    fn work_opened_it(&mut self) {
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
