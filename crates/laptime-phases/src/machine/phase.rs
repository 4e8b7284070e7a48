//! A phase that is under way.

use laptime_core::{PhaseName, SpanFlags};

use super::part::Part;
use crate::laps::{Held, SpanId, Taken};

/// A phase that is under way.
#[derive(Debug)]
pub struct Phase {
    /// Which phase this is.
    pub name: PhaseName,
    /// The phase's span. `None` when a lap of the user's by the same name takes its place, or while
    /// nothing is recorded.
    pub span: Option<SpanId>,
    /// When the phase began.
    pub start: u64,
    /// What is unusual about the phase.
    pub flags: SpanFlags,
    /// [`crate::Laps::last_written`] where the phase began.
    pub written: u64,
    /// What the phase is to the unit that it lies in.
    pub part: Part,
}

impl Phase {
    /// Whether it shows only later which unit the phase belongs to.
    pub fn waits(&self) -> bool {
        !matches!(self.part, Part::Other)
    }

    /// The phase, over and taken off the stack.
    pub fn held(&self, taken: Option<&Taken>, end: u64) -> Held {
        Held {
            flags: self.flags,
            memory: taken.and_then(|taken| taken.memory),
            device_memory: taken.and_then(|taken| taken.device_memory),
            device_time: taken.and_then(|taken| taken.device_time),
            ..Held::new(self.name, self.start, end)
        }
    }
}
