//! An optimizer steps, or does something before or after its step.

use std::mem::take;

use super::laps::Name;
use super::machine::Machine;

impl Machine {
    /// Work of an optimizer begins; `stepping` when it updates weights.
    pub fn optimizer_begin(&mut self, stepping: bool) {
        if self.is_updating() {
            self.nested += 1;
            self.after_inner = None;
            return;
        }
        let at = self.now();
        self.repair(at);
        let has_unit = self.has_unit();
        self.trailing = !stepping && !has_unit && self.number.stepped;
        self.train(at, Name::Optimizer);
        let number = &mut self.number;
        let goes_on = if stepping {
            take(&mut number.zeroed)
        } else {
            let goes_on = number.updates > 0;
            number.zeroed |= !goes_on;
            goes_on
        };
        number.updates += 1;
        if stepping {
            self.settle();
        }
        self.begin(Name::Optimizer, at);
        let place = self.place();
        if goes_on && place.is_some() && place == self.number.optimizer {
            self.goes_on();
        }
        self.number.optimizer = place;
    }

    /// It is over.
    pub fn optimizer_end(&mut self, stepping: bool, raised: bool) {
        if self.nested > 0 {
            self.nested -= 1;
            return;
        }
        let at = self.now();
        self.end_inner(at, raised);
        self.after_inner = None;
        let direct = self.end(at);
        let trailing = take(&mut self.trailing);
        if stepping {
            self.stepped(at, direct);
        } else if trailing {
            self.close_unit(at);
        } else if raised {
            self.interrupted(at, direct);
        }
    }
}
