//! Passes over the training data.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::Machine;
use crate::loader::Iteration;

impl Machine {
    /// Marks that the training loader has started over.
    pub(super) fn epoch(&mut self, iteration: &Arc<Iteration>) {
        if iteration.marked.get() {
            return;
        }
        iteration.marked.set(true);
        let follows = self.epochs_of.as_ref().is_none_or(|leader| {
            Arc::ptr_eq(&leader.loader, &iteration.loader) || !leader.in_play()
        });
        if follows {
            self.epochs_of = Some(Arc::clone(iteration));
            let at = self
                .unit
                .as_ref()
                .map_or_else(|| self.now(), |unit| unit.start);
            self.laps.mark(PhaseName::Epoch, at);
        }
    }
}
