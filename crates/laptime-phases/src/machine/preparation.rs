//! A module without parameters is called while no unit is open: it may prepare what the next one is given.
//!
//! Augmentation and flattening do. The call waits for the next event. If a model is called soon, gradients are
//! computed or weights are zeroed, it is the beginning of that unit; else an evaluation by itself.

use laptime_core::PhaseName;

use super::evaluations::{self, SHORT_NS};
use super::number::PhasePlace;
use super::part::Entry;
use super::prepared_calls::PreparedCalls;
use super::state::Machine;
use super::tail::Tail;
use super::unit::OpenedFor;

impl Machine {
    /// Whether the unit that is open was opened for a call that may prepare what the next one is given.
    pub(super) fn is_preparation(&self) -> bool {
        let unit = self.unit.as_ref();
        unit.is_some_and(|unit| unit.opened_for == OpenedFor::Preparation)
    }

    /// The call that its unit was opened for is over: it waits, if it may.
    pub(super) fn prepared(&mut self, at: u64, raised: bool) {
        let Some(unit) = &mut self.unit else { return };
        let parent = unit.parent;
        if raised {
            unit.cut_short();
            self.close_unit(at);
        } else if let Some((_, tail)) = unit.take_back(&*self.laps) {
            self.unit = None;
            self.previous = None;
            self.keep_prepared(parent, tail);
        } else if unit.kind == PhaseName::Step {
            unit.opened_for = OpenedFor::Work; // laps inside of it were written under its name
            self.number.forwards += 1;
        } else {
            self.close_unit(at);
        }
    }

    /// Calls that are over may have prepared what the next module is given.
    pub(super) fn keep_prepared(&mut self, parent: u32, mut calls: Tail) {
        self.prepared = Some(PreparedCalls {
            calls: calls.drain().collect(),
            parent,
            written: self.laps.last_written(),
        });
    }

    /// When the unit begins that is about to open at a time, and the calls that it begins with: those that wait, if
    /// it follows them closely, in the same place, and they were of other modules than `module`.
    pub(super) fn begins_with(&mut self, at: u64, module: Option<usize>) -> (u64, Vec<Entry>) {
        let Some(prepared) = self.prepared.take() else {
            return (at, Vec::new());
        };
        let (start, end) = prepared.span();
        let waited = at.saturating_sub(end);
        let is_near = waited <= end - start || self.laps.nanoseconds(waited) <= SHORT_NS;
        let is_here = self.laps.here().path == prepared.parent;
        let is_next = self.laps.last_written() == prepared.written;
        let is_new = module.is_none_or(|module| !prepared.has(module));
        if is_near && is_here && is_next && is_new {
            return (start, prepared.calls);
        }
        self.prepared = Some(prepared);
        self.prepared_nothing();
        (at, Vec::new())
    }

    /// The unit that was opened begins with these calls.
    pub(super) fn has_prepared(&mut self, calls: Vec<Entry>) {
        let Some(unit) = &mut self.unit else { return };
        for call in calls {
            self.number.forwards += 1;
            self.number.forward = Some(PhasePlace::Unit(unit.parent));
            self.previous = Some(PhaseName::Forward);
            self.last.end = self.last.end.max(call.end());
            unit.tail.push(call);
        }
    }

    /// No unit follows the calls that wait: they were an evaluation.
    pub(super) fn prepared_nothing(&mut self) {
        let Some(prepared) = self.prepared.take() else {
            return;
        };
        for evaluation in evaluations::divide(prepared.calls, None).0 {
            evaluation.write(&*self.laps, prepared.parent);
        }
        self.last.kind = Some(PhaseName::Evaluation);
        self.wrote_elsewhere();
    }
}
