//! A function of the program's is called for its value and its gradient (`torch.func.grad`): the forward
//! and the backward of a step in one call, whose update comes out of sight or by an optimizer.

use laptime_core::PhaseName;

use super::state::{Function, Machine};
use crate::program::Program;

impl Machine {
    /// A function is called for its value and for its gradient with respect to what the program learns.
    pub fn function_begin(&mut self, program: &dyn Program) {
        if let Some(function) = &mut self.function {
            function.nested += 1;
            return;
        }
        if self.is_updating() {
            return;
        }
        let at = self.now();
        self.repair(at);
        if self.has_unit() {
            self.unit_at_forward(true, at, program);
        }
        self.train(at, PhaseName::Forward);
        self.function = Some(Function {
            nested: 0,
            since: at,
            is_told: false,
            written: self.laps.last_written(),
        });
    }

    /// The call of a function for its gradient is over.
    pub fn function_end(&mut self, raised: bool) {
        match &mut self.function {
            Some(function) if function.nested > 0 => function.nested -= 1,
            Some(_) => {
                self.function = None;
                if raised {
                    let at = self.now();
                    self.interrupted(at, self.phase.is_none());
                }
            }
            None => {}
        }
    }

    /// Whether a call of a function for its gradient is under way.
    pub(super) fn is_in_function(&self) -> bool {
        self.function.is_some()
    }

    /// When the forward of the function's call that is under way began, if no module's call has told it.
    pub(super) fn function_since(&self) -> Option<u64> {
        let function = self.function.as_ref()?;
        let is_untold = !function.is_told && function.nested == 0;
        let is_clean = self.laps.last_written() == function.written;
        (is_untold && is_clean).then_some(function.since)
    }
}
