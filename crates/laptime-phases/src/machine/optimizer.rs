//! An optimizer steps, or does something before or after its step.

use std::mem::take;

use laptime_core::PhaseName;

use super::loose_pieces::Purpose;
use super::part::Part;
use super::state::{Machine, Update};

impl Machine {
    /// Work of an optimizer begins; `stepping` when it updates weights.
    pub fn optimizer_begin(&mut self, stepping: bool) {
        if let Some(update) = &mut self.update {
            update.nested += 1;
            update.has_stepped |= stepping;
            update.after = None;
            update.zeroed = None;
            let at = self.now();
            self.end_between(at);
            return;
        }
        let at = self.now();
        self.repair(at);
        let has_unit = self.has_unit();
        if stepping && has_unit {
            self.answers_before_update(at);
        }
        let has_unit = self.unit.is_some();
        // Some programs call `zero_grad` after `step`: it belongs to the step that it ends.
        self.update = Some(Update {
            is_trailing: !stepping && !has_unit && self.number.stepped,
            ..Update::default()
        });
        self.train(at, PhaseName::Optimizer);
        // `zero_grad` and `step` are one optimizer span for count and mean, wherever `zero_grad` stands;
        // `unscale_` and `update` of a gradient scaler go on with it too.
        let number = &mut self.number;
        let goes_on = if stepping {
            take(&mut number.zeroed)
        } else {
            let goes_on = number.updates > 0;
            number.zeroed |= !goes_on;
            goes_on
        };
        if stepping {
            self.trains_on_batch(at);
            self.settle();
        }
        self.number.updates += 1;
        let part = if stepping { Part::Other } else { Part::Zero };
        self.begin_part(PhaseName::Optimizer, at, part);
        let place = self.place();
        if goes_on && place.is_some() && place == self.number.optimizer {
            self.goes_on();
        }
        self.number.optimizer = place;
    }

    /// The optimizer's work is over.
    pub fn optimizer_end(&mut self, stepping: bool, raised: bool) {
        if let Some(update) = &mut self.update
            && update.nested > 0
        {
            update.nested -= 1;
            let at = (self.laps.now(), self.laps.last_written());
            update.zeroed = (!stepping && !raised).then_some(at);
            return;
        }
        let at = self.now();
        self.end_in_closure(at, raised);
        self.end_between(at);
        let update = self.update.take().unwrap_or_default();
        let is_direct = self.end(at);
        if stepping || update.has_stepped {
            self.trains_on_batch(at);
            self.settle();
            self.stepped(at, is_direct);
        } else if update.is_trailing {
            self.close_unit(at);
        } else if raised {
            self.interrupted(at, is_direct);
        }
    }

    /// Weights were updated. `closes`: no lap of the user's is open inside the step.
    pub(super) fn stepped(&mut self, at: u64, closes: bool) {
        self.number.stepped = true;
        self.habits.updates_unseen = false;
        self.paused = None;
        self.steps += 1;
        self.give_up(|is_for| matches!(is_for, Purpose::Forward(_) | Purpose::Backward));
        if let Some(unit) = &mut self.unit {
            unit.made_good();
        }
        // A lap of the user's that is open inside the step stays inside: the step waits for it.
        if closes {
            self.close_unit(at);
        }
    }

    /// An optimizer stepped inside the backward that is under way: one for each parameter, from hooks,
    /// so that its gradient is freed at once. The step ends with that backward.
    pub fn update_inside(&mut self) {
        let backward = self.phase.as_ref();
        let is_backward = backward.is_some_and(|phase| phase.name == PhaseName::Backward);
        self.updated_inside |= is_backward && self.update.is_none();
    }
}
