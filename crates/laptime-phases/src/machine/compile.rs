//! A graph is compiled, wherever that happens: most often inside the first forward or backward, whose
//! time it would otherwise seem to be.

use laptime_core::{PhaseName, SpanFlags};

use super::state::Machine;

impl Machine {
    /// A graph is being compiled.
    pub fn compile_begin(&mut self) {
        if self.compiling.is_none() {
            let start = self.laps.now();
            self.compiling = if self.phase.is_some() {
                self.laps.open_within(PhaseName::Compile, start)
            } else {
                self.laps.open(PhaseName::Compile, start)
            };
        }
    }

    /// The graph is compiled.
    pub fn compile_end(&mut self) {
        let Some(span) = self.compiling.take() else {
            return;
        };
        let end = self.laps.now();
        if self.phase.is_some() {
            self.laps.close_within(span, end, SpanFlags::NONE);
        } else {
            self.laps.close(span, end, SpanFlags::NONE);
        }
    }
}
