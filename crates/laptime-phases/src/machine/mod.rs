//! The state machine of one thread: which phase its training is in.
//!
//! Events come in: a batch fetch, a forward, a backward, work of an optimizer; each has a file of
//! its own. A *unit* is the span of a step or of an evaluation; phases open inside. A step opens at a
//! fetch or at a forward with gradients and closes at the end of an optimizer's step; further
//! training work before the next fetch goes on with the same step. One clock value serves a
//! whole event: what closes ends where the next begins.
//!
//! What a phase is of may show later. Until a backward or an update settles it, it waits in its unit's
//! `tail`; if it turns out to be of another one, the unit is taken off the stack (`unanswered_forwards`,
//! `other_loaders`), or interrupted and gone on with later (`pause`), and what it held waits as loose
//! pieces for the unit that they are for.

mod answers;
mod backward;
mod closure;
mod communication;
mod compile;
mod epochs;
mod evaluation;
mod evaluations;
mod fetch;
mod forward;
mod forward_unit;
mod function;
mod held_phases;
mod inferred_forward;
mod learners;
mod loose_pieces;
mod number;
mod optimizer;
mod other_loaders;
mod part;
mod pass;
mod pause;
mod phase;
mod preparation;
mod prepared_calls;
mod state;
mod tail;
mod training;
mod unanswered_forwards;
mod unit;
mod units;
mod write_unit;

use laptime_core::{PhaseName, SpanFlags};

pub use state::Machine;

use number::PhasePlace;
use part::Part;
use phase::Phase;

impl Machine {
    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The clock, never before what was recorded last.
    fn now(&self) -> u64 {
        self.laps.now().max(self.last.end)
    }

    /// Opens a phase, unless a lap of the user's by the same name takes its place, or one of them is all that is
    /// told, as no step opens in it.
    fn open(&self, name: PhaseName, start: u64) -> Phase {
        let here = self.laps.here();
        let is_whole = self.unit.is_none() && here.in_phase && !here.in_step;
        let is_hidden = here.innermost == Some(name) || is_whole;
        let open = || self.laps.open(name, start);
        Phase {
            name,
            span: (!is_hidden).then(open).flatten(),
            start,
            flags: SpanFlags::NONE,
            written: self.laps.last_written(),
            part: Part::Other,
        }
    }

    /// Begins a phase.
    fn begin(&mut self, name: PhaseName, start: u64) {
        self.alone = None;
        if let Some(unit) = &mut self.unit {
            unit.raised_at = None;
        }
        self.phase = Some(self.open(name, start));
    }

    /// Begins a phase whose unit may show later.
    fn begin_part(&mut self, name: PhaseName, start: u64, part: Part) {
        self.begin(name, start);
        if let Some(phase) = &mut self.phase {
            phase.part = part;
        }
    }

    /// Where the phase under way lies.
    fn place(&self) -> Option<PhasePlace> {
        let span = self.phase.as_ref()?.span?;
        Some(match &self.unit {
            Some(unit) if unit.holds(span) => PhasePlace::Unit(unit.parent),
            _ => PhasePlace::Path(self.laps.path_of(span)),
        })
    }

    /// The phase under way is unusual.
    fn mark_phase(&mut self, flag: SpanFlags) {
        if let Some(phase) = &mut self.phase {
            phase.flags = phase.flags.with(flag);
        }
    }

    /// The phase under way goes on with the last one of its name.
    fn goes_on(&mut self) {
        self.mark_phase(SpanFlags::CONTINUES);
    }

    /// The phase under way was cut short.
    fn breaks_off(&mut self) {
        self.mark_phase(SpanFlags::UNFINISHED);
    }

    /// Ends the phase under way; whether it was directly inside its unit.
    fn end(&mut self, at: u64) -> bool {
        let is_direct = self.end_phase(at);
        self.last.written = self.laps.last_written();
        is_direct
    }

    fn end_phase(&mut self, at: u64) -> bool {
        // What was left open inside closed together with its phase.
        self.compiling = None;
        self.exchange = None;
        let Some(phase) = self.phase.take() else {
            return false;
        };
        self.last.end = at;
        let is_whole = !phase.flags.has(SpanFlags::UNFINISHED);
        self.previous = is_whole.then_some(phase.name);
        let Some(span) = phase.span else {
            return false;
        };
        let Some(unit) = &mut self.unit else {
            self.laps.close(span, at, phase.flags);
            return false;
        };
        let is_direct = unit.holds(span);
        unit.end(&*self.laps, &phase, span, at);
        is_direct
    }

    /// Ends the phase that an event began: when, and whether it was directly inside its unit. `None`
    /// where it was a phase of an optimizer's closure.
    fn end_event(&mut self, raised: bool) -> Option<(u64, bool)> {
        let at = self.now();
        if self.is_updating() {
            self.end_in_closure(at, raised);
            return None;
        }
        if raised {
            self.breaks_off();
        }
        Some((at, self.end(at)))
    }

    /// Something was interrupted before its end was told.
    fn repair(&mut self, at: u64) {
        if let Some(update) = self.update.take()
            && let Some(inner) = update.inner
        {
            self.close_inner(&inner, at, false);
        }
        if self.phase.is_some() {
            self.end(at);
        }
        self.communication_is_over(at, true);
    }

    /// The phase that ended at this time raised: what was to be a step may never be one.
    fn interrupted(&mut self, at: u64, is_direct: bool) {
        let Some(unit) = &mut self.unit else { return };
        unit.cut_short();
        unit.raised_at = Some(at);
        // With a lap of the user's open inside, the unit waits for what comes next.
        if is_direct {
            self.close_unit(at);
        }
    }

    /// The recording ends: nothing stays open, and what is open ends with its last phase. `failed`
    /// says that an error ends it.
    pub fn finish(&mut self, failed: bool) {
        let at = self.now();
        self.repair(at);
        self.prepared_nothing();
        if self.has_unit() {
            self.finish_unit(failed);
        }
        self.give_up(|_| true);
    }

    fn finish_unit(&mut self, failed: bool) {
        let Some(unit) = &self.unit else { return };
        let end = unit
            .raised_at
            .unwrap_or_else(|| self.last.end.max(unit.start));
        let is_open = unit.kind == PhaseName::Step && !unit.is_settled();
        if !unit.is_decided() {
            self.no_model(end);
        } else if is_open && unit.is_only_forwards() && !self.number.zeroed {
            self.finish_forwards(end, failed);
        } else if is_open {
            self.finish_untrained(end);
        } else {
            self.close_unit(end);
        }
    }

    /// Ends forwards that no backward followed. After the last step they were called for their result;
    /// but where an error ends the program, the first one after a step began the next.
    fn finish_forwards(&mut self, end: u64, failed: bool) {
        let is_next = failed && self.last.kind == Some(PhaseName::Step);
        match &mut self.unit {
            Some(unit) if is_next && unit.tail.is_one_evaluation() => {
                unit.cut_short();
                self.close_unit(end);
            }
            _ => self.were_evaluations(end),
        }
    }

    /// Ends a step without a backward: training was interrupted, or it never was a step.
    fn finish_untrained(&mut self, end: u64) {
        let trains = self.steps > 0 && self.iteration.as_ref().is_some_and(|it| it.in_play());
        let Some(unit) = &mut self.unit else { return };
        let is_called = unit.tail.forward_count() > 0 && !unit.tail.has_zeroed();
        if is_called && !unit.is_cut_short() && !trains {
            self.were_evaluations(end);
        } else {
            unit.cut_short();
            self.close_unit(end);
        }
    }
}
