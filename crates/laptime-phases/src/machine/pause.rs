//! A step is interrupted, by an evaluation say, and goes on after that.
//!
//! What was settled of it is a piece that counts, and the rest is another one. What wasn't settled waits for the
//! unit that it turns out to be for.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::learners::learns;
use super::number::Number;
use super::part::Entry;
use super::state::Machine;
use super::tail::Tail;
use crate::loader::Iteration;

/// A step that goes on later.
#[derive(Debug)]
pub struct Paused {
    /// The path that it opened under.
    parent: u32,
    /// What happened in it.
    number: Number,
    /// Whose batch fed it last.
    iteration: Option<Arc<Iteration>>,
    /// Something of it was told that counts: what follows is a piece.
    is_counted: bool,
}

impl Paused {
    /// Whether its weights were updated: it goes on only as one more update of its batch.
    pub fn is_updated(&self) -> bool {
        self.number.stepped
    }

    /// Whether a forward of it waits for its backward, in a place.
    pub fn waits_for_backward(&self, parent: u32) -> bool {
        self.parent == parent && self.number.forwards > self.number.answered
    }
}

impl Machine {
    /// Whether a step was interrupted that goes on in a place.
    pub(super) fn is_amid_step(&self, parent: u32) -> bool {
        let is_here = |paused: &Paused| paused.parent == parent;
        self.paused.as_ref().is_some_and(is_here) || self.has_waiting_forward(parent)
    }

    /// Takes the unit away. What it has before an index is told, or waits for the rest of the step; what it has
    /// from there on is handed back. `None` where a lap of the program's stands against it.
    pub(super) fn interrupt(&mut self, index: usize) -> Option<Tail> {
        let unit = self.unit.as_mut()?;
        let (parent, goes_on) = (unit.parent, unit.goes_on());
        if !unit.is_settled()
            && let Some((before, mut tail)) = unit.take_back(&*self.laps)
        {
            if goes_on {
                self.number.take_out(before.iter().chain(tail.entries()));
                self.paused = Some(Paused {
                    parent,
                    number: std::mem::take(&mut self.number),
                    iteration: self.iteration.clone(),
                    is_counted: true,
                });
            }
            self.leave_taken_back();
            let entries = before.into_iter().chain(tail.take_before(index));
            self.put_off(parent, entries.collect());
            return Some(tail);
        }
        // What was settled, or has laps inside that were written under its name, is a piece of the step.
        let is_step = unit.kind == PhaseName::Step && unit.is_decided();
        let is_open = unit.tail.is_fixed_from(index) || !unit.is_innermost(&*self.laps);
        if !is_step || is_open {
            return None;
        }
        for module in unit.learners() {
            learns(&mut self.learners, module);
        }
        unit.settle_before(&*self.laps, index);
        let rest = std::mem::take(&mut unit.tail);
        self.pause();
        Some(rest)
    }

    /// The step that is open is told so far, and goes on later.
    pub(super) fn pause(&mut self) {
        let Some(unit) = &mut self.unit else { return };
        // Nothing has shown yet that this is a step.
        let is_counted = unit.is_settled() || unit.goes_on();
        if !is_counted {
            unit.cut_short();
        }
        self.paused = Some(Paused {
            parent: unit.parent,
            number: std::mem::take(&mut self.number),
            iteration: self.iteration.clone(),
            is_counted,
        });
        self.last.end = unit.settled_until();
        self.close_unit(self.last.end);
    }

    /// The unit was taken off the stack and is nothing.
    pub(super) fn leave_taken_back(&mut self) {
        self.unit = None;
        self.previous = None;
        self.waiting.clear();
        self.number = Number::default();
    }

    /// A unit opens with phases that are over. The start of its pass is a piece of its own: what ran between that
    /// and its first batch is in no unit.
    pub(super) fn reopen(&mut self, kind: PhaseName, mut rest: Tail) {
        let before = rest.take_before(rest.leading_starts());
        let spot = self.laps.here();
        let Some(start) = rest.start() else {
            for start in before {
                self.put_off(spot.path, vec![start]);
            }
            return;
        };
        self.number = Number::default();
        self.iteration = rest.last_iteration();
        for entry in rest.entries() {
            self.number.take_in(&entry.part, spot.path);
        }
        let last = rest.entries().last();
        self.last.end = last.map_or(start, Entry::end);
        self.previous = last.map(|last| last.held.name);
        self.waiting = rest.iterations().map(Arc::clone).collect();
        if let Some(unit) = self.open_unit(kind, spot, start) {
            unit.came_before(before.into_iter());
            unit.take_up(rest);
        }
    }

    /// The unit that is open is a step: it goes on with the one that was interrupted in this place.
    pub(super) fn resume(&mut self) {
        let Some(parent) = self.unit.as_ref().map(|unit| unit.parent) else {
            return;
        };
        // A step that was updated goes on with its last batch alone.
        let has_batch = self
            .unit
            .as_ref()
            .is_some_and(|unit| unit.batch_count() > 0);
        let has_batch = has_batch || self.waiting_batch(parent).is_some();
        self.paused
            .take_if(|paused| has_batch && paused.is_updated());
        let Some(paused) = self.paused.take_if(|paused| paused.parent == parent) else {
            return;
        };
        self.number.with_earlier(&paused.number);
        let is_fed = self.iteration.as_ref().is_some_and(|it| it.in_play());
        if !is_fed {
            self.iteration = paused.iteration;
        }
        if paused.is_counted {
            self.goes_on_with_last();
        }
    }
}
