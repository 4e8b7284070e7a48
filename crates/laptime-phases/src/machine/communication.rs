//! Processes exchange data, and this one waits until that is done.
//!
//! Inside a phase that is a part of it; between the phases of a unit it is one more of the unit's.
//! Communication tells nothing about what the program does: what comes after it is taken for what
//! it would be without. Before the first step or evaluation (weights are sent around) it is part of
//! the start.

use laptime_core::{PhaseName, SpanFlags};

use super::state::{Exchange, Lies, Machine};
use crate::laps::{Held, flag_if};

impl Machine {
    /// Data is exchanged with other processes, and the program waits for it.
    pub fn communication_begin(&mut self) {
        if let Some(exchange) = &mut self.exchange {
            exchange.nested += 1;
            return;
        }
        let at = self.now();
        let name = PhaseName::Communication;
        let lies = if self.phase.is_some() {
            Lies::Phase(self.laps.open_within(name, at))
        } else if self.has_unit() || self.laps.here().in_step {
            let previous = self.previous;
            self.begin(name, at);
            Lies::Unit(previous)
        } else if self.last.kind.is_some() {
            Lies::Outside(self.laps.open(name, at))
        } else {
            Lies::Nowhere
        };
        self.exchange = Some(Exchange { nested: 0, lies });
    }

    /// The exchange is over.
    pub fn communication_end(&mut self, raised: bool) {
        match &mut self.exchange {
            Some(exchange) if exchange.nested > 0 => exchange.nested -= 1,
            _ => {
                let at = self.now();
                self.communication_is_over(at, raised);
            }
        }
    }

    /// An exchange that is under way has ended by now, told or not.
    pub(super) fn communication_is_over(&mut self, at: u64, raised: bool) {
        let Some(exchange) = self.exchange.take() else {
            return;
        };
        let flags = flag_if(raised, SpanFlags::UNFINISHED);
        match exchange.lies {
            Lies::Phase(Some(span)) => self.laps.close_within(span, at, flags),
            Lies::Outside(Some(span)) => {
                self.laps.close(span, at, flags);
                self.last.end = at;
            }
            Lies::Unit(previous) => {
                self.mark_phase(flags);
                let is_direct = self.end(at);
                self.previous = previous;
                if raised {
                    self.interrupted(at, is_direct);
                }
            }
            Lies::Phase(None) | Lies::Outside(None) | Lies::Nowhere => {}
        }
    }

    /// The backward that is under way had all gradients of its own at `since`, and has waited for
    /// those of other processes from then on.
    pub fn waited_since(&mut self, since: u64) {
        let update = self.update.as_ref();
        let inner = update.and_then(|update| update.inner.as_ref());
        let Some(phase) = inner.or(self.phase.as_ref()) else {
            return;
        };
        let (start, end) = (since.max(phase.start), self.now());
        if phase.name != PhaseName::Backward || start >= end {
            return;
        }
        let parent = match phase.span {
            Some(span) => self.laps.path_of(span),
            None => self.laps.here().path,
        };
        let waited = Held::new(PhaseName::Communication, start, end);
        self.laps.emit(&waited, parent);
    }
}
