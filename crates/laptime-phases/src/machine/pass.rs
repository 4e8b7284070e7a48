//! A pass begins: an iterator over a loader is made. Workers start, data is shuffled or sorted.
//!
//! That is waiting for data, wherever it stands. In a unit it is a phase of that; elsewhere it becomes a piece of
//! the unit that the first batch is for.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::part::Part;
use super::state::Machine;
use super::unit::OpenedFor;
use crate::loader::Iteration;
use crate::program::Program;

impl Machine {
    /// A program begins to go over a loader.
    pub fn pass_begin(&mut self, program: &dyn Program) {
        let now = self.laps.now();
        self.repair(now);
        let at = now.max(self.last.end);
        self.prepared_nothing();
        if self.has_unit() {
            self.work_opened_it();
            self.stays_open_at_data(at, None, program);
        }
        let spot = self.laps.here();
        let is_apart = !spot.in_step && spot.innermost != Some(PhaseName::Data);
        if self.unit.is_none() && is_apart {
            let is_training = program.grad();
            let guess = if is_training {
                PhaseName::Step
            } else {
                PhaseName::Evaluation
            };
            if let Some(unit) = self.open_unit(guess, spot, at) {
                unit.opened_for = OpenedFor::Pass;
            }
        }
        self.begin(PhaseName::Data, at);
    }

    /// The iterator is made, or that raised.
    pub fn pass_end(&mut self, iteration: Option<&Arc<Iteration>>) {
        let at = self.now();
        let place = self.place();
        if iteration.is_none() {
            self.breaks_off();
        }
        if let (Some(phase), Some(iteration)) = (&mut self.phase, iteration) {
            phase.part = Part::Start(Arc::clone(iteration));
            iteration.loader.gone_over.set(false);
        }
        self.end(at);
        let Some(unit) = &mut self.unit else {
            self.started = place;
            return;
        };
        if unit.opened_for != OpenedFor::Pass {
            if let Some(iteration) = iteration {
                iteration.started.set(true);
            }
            return;
        }
        let parent = unit.parent;
        if iteration.is_none() {
            unit.cut_short();
            self.rename(PhaseName::Loading);
            self.close_unit(at);
        } else if let Some((_, mut tail)) = unit.take_back(&*self.laps) {
            self.unit = None;
            let entries = tail.drain().collect();
            self.put_off(parent, entries);
        } else {
            unit.gives_up(); // laps inside of it were written under its name
            self.close_unit(at);
        }
        self.previous = None;
    }
}
