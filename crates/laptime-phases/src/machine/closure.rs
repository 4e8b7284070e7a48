//! What an optimizer's closure does: a forward and a backward inside the optimizer's step.
//!
//! Closures stand beside the optimizer's span, not inside: that is cut in two where they begin, and
//! goes on after them, so that each row says what it was spent on. What lies between a forward and its backward, such as
//! logging, is of the step alone. Where a lap of the user's is open inside the closure, the optimizer's span stays around
//! it, and they lie inside the lap.

use std::mem::take;

use laptime_core::{PhaseName, SpanFlags};

use super::number::PhasePlace;
use super::phase::Phase;
use super::state::{Machine, Update};
use crate::laps::flag_if;

impl Machine {
    /// Whether an optimizer is at work.
    pub(super) fn is_updating(&self) -> bool {
        self.update.is_some()
    }

    /// A phase of the closure begins.
    pub(super) fn begin_in_closure(&mut self, name: PhaseName) {
        let at = self.now();
        self.end_in_closure(at, false);
        let Some(mut update) = self.update.take() else {
            return;
        };
        let after = update.after.take();
        let zeroed = update.zeroed.take();
        let is_untold = name == PhaseName::Backward && !update.has_forward;
        update.has_forward = name == PhaseName::Forward;
        let since = zeroed.filter(|(_, written)| is_untold && *written == self.laps.last_written());
        let is_between = update.is_between && self.is_unit_innermost();
        if is_between || self.is_innermost() {
            if !take(&mut update.is_between) {
                self.end(since.map_or(at, |(since, _)| since));
            }
            if let Some((since, _)) = since {
                self.infer_forward(since, at);
                self.settle();
            }
            self.begin(name, at);
            update.is_paused = true;
            if after.is_some() && after == self.place().map(|place| (name, place)) {
                self.goes_on(); // a loss module called after the model
            }
        } else {
            let mut phase = self.open(name, at);
            let path = phase.span.map(|span| self.laps.path_of(span));
            let place = path.map(PhasePlace::Path);
            if after.is_some() && after == place.map(|place| (name, place)) {
                phase.flags = SpanFlags::CONTINUES;
            }
            update.inner = Some(phase);
        }
        self.update = Some(update);
    }

    /// Whether nothing is open inside the optimizer's span.
    fn is_innermost(&self) -> bool {
        let span = self.phase.as_ref().and_then(|phase| phase.span);
        span.is_some_and(|span| self.laps.path_of(span) == self.laps.here().path)
    }

    /// Whether nothing is open inside the step.
    fn is_unit_innermost(&self) -> bool {
        let unit = self.unit.as_ref();
        unit.is_some_and(|unit| self.laps.path_of(unit.span) == self.laps.here().path)
    }

    /// A phase of the closure ends, if one is under way.
    pub(super) fn end_in_closure(&mut self, at: u64, raised: bool) {
        let Some(mut update) = self.update.take() else {
            return;
        };
        if let Some(inner) = update.inner.take() {
            update.after = self.close_inner(&inner, at, raised);
        } else if update.is_paused {
            update.is_paused = false;
            if raised {
                self.breaks_off();
            }
            let name = self.phase.as_ref().map(|phase| phase.name);
            update.after = name.zip(self.place()).filter(|_| !raised);
            self.end(at);
            update.is_between = name == Some(PhaseName::Forward) && !raised;
            if !update.is_between {
                self.begin(PhaseName::Optimizer, at);
                self.goes_on();
            }
        }
        self.update = Some(update);
    }

    /// The closure does something after a forward that isn't its backward, or is over: the optimizer goes on.
    pub(super) fn end_between(&mut self, at: u64) {
        let is_between = |update: &mut Update| take(&mut update.is_between);
        if self.update.as_mut().is_some_and(is_between) {
            self.begin(PhaseName::Optimizer, at);
            self.goes_on();
        }
    }

    /// Closes a phase that lies inside a lap of the user's; what it was, if it came to its end.
    pub(super) fn close_inner(
        &mut self,
        phase: &Phase,
        at: u64,
        raised: bool,
    ) -> Option<(PhaseName, PhasePlace)> {
        let span = phase.span?;
        let place = PhasePlace::Path(self.laps.path_of(span));
        let flags = phase.flags.with(flag_if(raised, SpanFlags::UNFINISHED));
        self.laps.close(span, at, flags);
        (!raised).then_some((phase.name, place))
    }
}
