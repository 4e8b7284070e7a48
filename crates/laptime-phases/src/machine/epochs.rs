//! Passes over the training data.
//!
//! A pass is an epoch once a gradient was computed for one of its batches and a second batch was asked
//! for: `next(iter(loader))`, to try a model on one batch, is none. Its mark stands where its first
//! step began.

use std::sync::Arc;

use laptime_core::PhaseName;

use super::state::Machine;
use super::unit::Unit;
use crate::loader::Iteration;

impl Machine {
    /// A gradient is computed, or weights are updated, for what was fetched last.
    pub(super) fn trains_on_batch(&mut self, at: u64) {
        let is_told = self.number.forwards > 0;
        let feeds = self.feeds.as_ref().filter(|_| is_told);
        if let Some(iteration) = feeds.or(self.iteration.as_ref()).cloned() {
            if !iteration.is_trained_on() {
                let since = self.unit.as_ref().map(Unit::since);
                // Of the program's own step no unit is open.
                let since = since.or_else(|| self.laps.step_since());
                iteration.train(since.unwrap_or(at));
            }
            self.epoch(&iteration);
        }
    }

    /// Marks the epoch of a pass, if it is one by now. Of loaders that are read side by side the first
    /// tells the epochs.
    pub(super) fn epoch(&mut self, iteration: &Arc<Iteration>) {
        let Some(since) = iteration.take_epoch() else {
            return;
        };
        let follows = self.epochs_of.as_ref().is_none_or(|leader| {
            Arc::ptr_eq(&leader.loader, &iteration.loader) || !leader.in_play()
        });
        if follows {
            self.epochs_of = Some(Arc::clone(iteration));
            self.laps.mark(PhaseName::Epoch, since);
        }
    }
}
