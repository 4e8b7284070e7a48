//! Gradients are computed.

use super::laps::Name;
use super::machine::Machine;

impl Machine {
    /// Gradients are being computed for an update.
    pub fn backward_begin(&mut self) {
        if self.is_updating() {
            self.begin_inner(Name::Backward);
            return;
        }
        let at = self.now();
        self.repair(at);
        let evaluated = self.unit.is_none() && self.last_kind == Some(Name::Evaluation);
        if self.forward_only || evaluated {
            self.forward_only = false;
            self.trains_in_eval = true;
        }
        self.train(at, Name::Backward);
        self.settle();
        self.number.backwards += 1;
        self.begin(Name::Backward, at);
    }

    /// Gradients are being computed for some other purpose.
    pub fn gradient_begin(&mut self) {
        if self.is_updating() {
            self.begin_inner(Name::Backward);
            return;
        }
        let decided = self.unit.as_ref().is_some_and(|unit| unit.decided);
        if self.phase.is_none() && decided && self.has_unit() {
            let at = self.now();
            self.begin(Name::Backward, at);
        }
    }

    /// The unit is what it is named.
    pub fn settle(&mut self) {
        if let Some(unit) = &mut self.unit {
            unit.settle(&*self.laps);
        }
    }

    /// The gradients are there.
    pub fn backward_end(&mut self, raised: bool) {
        let at = self.now();
        if self.inner.is_some() {
            self.end_inner(at, raised);
            return;
        }
        if raised {
            self.breaks_off();
        }
        let direct = self.end(at);
        if self.take_update_inside() {
            self.stepped(at, true); // an optimizer per parameter, stepped by hooks
        } else if raised {
            self.interrupted(at, direct);
        } else if let Some(unit) = &mut self.unit {
            unit.interrupted = false; // tried again, and it went well
        }
    }
}
