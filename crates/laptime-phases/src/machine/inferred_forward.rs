//! A forward that no module call told: the program calls `net.forward(x)`, or functions.
//!
//! What leads from the last fetch, update or zeroing to the gradient is its forward. It is
//! told by what is around it, so it may hold other work of the program's; a note says so. It
//! is never a parent: where laps of the user's were written in between, these tell enough.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::part::{Entry, Part};
use super::state::Machine;
use super::tail::Tail;
use crate::laps::Held;
use crate::loader::Iteration;
use crate::program::Program;

impl Machine {
    /// When the forward of the gradient that is about to be computed began, if nothing told it.
    pub(super) fn untold_since(&self) -> Option<u64> {
        if self.is_in_function() {
            return self.function_since();
        }
        let is_untold = if let Some(unit) = &self.unit {
            // Gradients that are set aside and zeroed, for another of the same outputs, are of the forward before.
            let is_another = self.number.backwards > 0 && !self.number.stepped;
            let zeroed = self.previous == Some(PhaseName::Optimizer) && !is_another;
            let fetched = self.previous == Some(PhaseName::Data);
            let waits = self.number.forwards == self.number.answered;
            (zeroed || fetched) && waits && unit.is_innermost(&*self.laps)
        } else {
            // An update of the same batch by another optimizer has its forward.
            let is_other = |it: &Arc<Iteration>| !it.in_play();
            let is_next = self.iteration.as_ref().is_none_or(is_other);
            let is_here = self.laps.here().path == self.last.parent;
            let is_after_step = self.number.stepped && self.last.kind == Some(PhaseName::Step);
            is_next && is_here && is_after_step
        };
        let parent = self.unit.as_ref().map(|unit| unit.parent);
        let parent = parent.unwrap_or_else(|| self.laps.here().path);
        if self.has_waiting_forward(parent) {
            return None;
        }
        let is_clean = self.laps.last_written() == self.last.written;
        (is_untold && is_clean).then_some(self.last.end)
    }

    /// Whether a call is a part of a forward that no call tells: a module without parameters is given what can be
    /// trained already, and nothing said who computed that. With its gradient all of the forward is told.
    pub(super) fn is_inside_untold(&self, program: &dyn Program) -> bool {
        let may_be = !self.is_in_function() && program.is_bare() && program.trains();
        may_be && self.untold_since().is_some()
    }

    /// The unit that is open has a forward from one moment to another, and what comes before a zeroing amid it.
    pub(super) fn infer_forward(&mut self, since: u64, at: u64) {
        let Some(unit) = &mut self.unit else { return };
        if since < unit.start {
            return;
        }
        let before = unit.tail.gap_before_zeroing();
        let mut rest = (since < at).then(|| forward(since, at));
        if before.is_none() && rest.is_none() {
            return;
        }
        if let Some((index, first)) = before {
            unit.tail.insert(index, first);
            if let Some(rest) = &mut rest {
                rest.goes_on_if(true);
            }
        }
        if let Some(rest) = rest {
            unit.tail.push(rest);
        }
        self.laps.inferred();
    }
}

fn forward(since: u64, at: u64) -> Entry {
    Entry {
        held: Held::new(PhaseName::Forward, since, at),
        part: Part::Other,
        is_fixed: false,
        is_written: false,
        is_apart: false,
    }
}

impl Tail {
    /// What ran between a batch and the zeroing at the end, and where that stands: a forward may come before
    /// `zero_grad()` as well as after it.
    fn gap_before_zeroing(&self) -> Option<(usize, Entry)> {
        let entries = self.entries();
        let index = entries.iter().rposition(|entry| !entry.is_zero())? + 1;
        let (batch, zero) = (&entries[index - 1], entries.get(index)?);
        let is_gap = batch.is_batch() && !zero.is_written && batch.end() < zero.held.start;
        is_gap.then(|| (index, forward(batch.end(), zero.held.start)))
    }
}
