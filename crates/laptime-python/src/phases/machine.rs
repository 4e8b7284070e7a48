//! The state machine of one thread: which phase its training is in.
//!
//! Events come in, told by the wrappers around torch's functions: a batch fetch, a forward, a
//! backward, work of an optimizer; each has a file of its own. Operations go out to [`Laps`].
//! A *unit* is the span of a step or of an evaluation; phases open inside. A step opens at a
//! fetch or at a forward with gradients and closes at the end of `optimizer.step()`; further
//! training work before the next fetch goes on with the same step. One clock value serves a
//! whole event: what closes ends where the next begins.

use std::mem::take;
use std::sync::Arc;

use laptime_core::SpanFlags;
use laptime_recorder::Open;

use super::laps::{Laps, Name};
use super::loader::Iteration;
use super::unit::{Phase, Unit};

/// Where a phase lies, so that the next of the same place goes on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Directly inside the unit that opened under this path, whatever the unit's name.
    Unit(u32),
    /// At a path of its own.
    Path(u32),
}

/// What happened since the step got its number.
#[derive(Debug, Default)]
pub struct Number {
    pub forwards: u32,
    pub backwards: u32,
    pub updates: u32,
    pub stepped: bool,
    pub saw_grad: bool,
    pub zeroed: bool,
    /// Where this step's last forward and last optimizer span were.
    pub forward: Option<Place>,
    pub optimizer: Option<Place>,
}

/// The phases of one thread.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing that was seen of the program"
)]
pub struct Machine {
    pub laps: Box<dyn Laps>,
    pub unit: Option<Unit>,
    /// The phase under way.
    pub phase: Option<Phase>,
    /// A forward or backward inside an optimizer's closure.
    pub inner: Option<Phase>,
    /// The last of these, and its path, while nothing else happened since.
    pub after_inner: Option<(Name, u32)>,
    /// Optimizer work inside optimizer work.
    pub nested: u32,
    pub compiling: Option<Open>,
    /// Whose batch feeds what comes next.
    pub iteration: Option<Arc<Iteration>>,
    /// Iterations whose batches were fetched for a use that is not known yet.
    pub waiting: Vec<Arc<Iteration>>,
    /// Of several loaders that are read side by side, the one that tells the epochs.
    pub epochs_of: Option<Arc<Iteration>>,
    pub number: Number,
    /// The last phase of the open unit, or of the user's own step.
    pub previous: Option<Name>,
    pub steps: u64,
    pub last_kind: Option<Name>,
    /// The last unit went on under a name of its own.
    pub last_aside: bool,
    /// Where the last unit opened, and where what was recorded last ended.
    pub last_parent: u32,
    pub last_end: u64,
    /// Updates happen out of sight.
    pub blind: bool,
    /// Forwards with gradients come to nothing.
    pub forward_only: bool,
    /// A module in evaluation mode was trained.
    pub trains_in_eval: bool,
    /// A `zero_grad` that follows its step: it reopens the step for itself alone.
    pub trailing: bool,
    /// An optimizer stepped inside a backward.
    pub updated_inside: bool,
    /// It is time to look for devices.
    pub look: bool,
}

impl Machine {
    /// Nothing has happened yet.
    pub fn new(laps: Box<dyn Laps>) -> Self {
        Self {
            laps,
            unit: None,
            phase: None,
            inner: None,
            after_inner: None,
            nested: 0,
            compiling: None,
            iteration: None,
            waiting: Vec::new(),
            epochs_of: None,
            number: Number::default(),
            previous: None,
            steps: 0,
            last_kind: None,
            last_aside: false,
            last_parent: u32::MAX,
            last_end: 0,
            blind: false,
            forward_only: false,
            trains_in_eval: false,
            trailing: false,
            updated_inside: false,
            look: false,
        }
    }

    /// Whether it is time to look for devices: after the first step, the second, the fourth, ….
    pub fn take_look(&mut self) -> bool {
        take(&mut self.look)
    }

    /// The clock, never before what was recorded last.
    pub fn now(&self) -> u64 {
        self.laps.now().max(self.last_end)
    }

    /// Whether an optimizer is at work.
    pub fn is_updating(&self) -> bool {
        self.phase
            .as_ref()
            .is_some_and(|phase| phase.name == Name::Optimizer)
    }

    /// Opens a phase, unless a lap of the user's by the same name takes its place.
    fn open(&self, name: Name, start: u64) -> Phase {
        let hidden = self.laps.here().innermost == Some(name);
        let open = if hidden {
            None
        } else {
            self.laps.open(name, start)
        };
        Phase {
            name,
            open,
            start,
            flags: SpanFlags::NONE,
            written: self.laps.last_written(),
        }
    }

    /// Begins a phase.
    pub fn begin(&mut self, name: Name, start: u64) {
        if let Some(unit) = &mut self.unit {
            unit.raised_at = None;
        }
        self.phase = Some(self.open(name, start));
    }

    /// Where the phase under way lies.
    pub fn place(&self) -> Option<Place> {
        let open = self.phase.as_ref()?.open?;
        Some(match &self.unit {
            Some(unit) if unit.holds(open) => Place::Unit(unit.parent),
            _ => Place::Path(self.laps.path_of(open)),
        })
    }

    /// The phase under way goes on with the last one of its name.
    pub fn goes_on(&mut self) {
        if let Some(phase) = &mut self.phase {
            phase.flags = phase.flags.with(SpanFlags::CONTINUES);
        }
    }

    /// The phase under way was cut short.
    pub fn breaks_off(&mut self) {
        if let Some(phase) = &mut self.phase {
            phase.flags = phase.flags.with(SpanFlags::UNFINISHED);
        }
    }

    /// Ends the phase under way; whether it was directly inside its unit.
    pub fn end(&mut self, at: u64) -> bool {
        self.compiling = None; // it closed together with its phase, if it was left open
        let Some(phase) = self.phase.take() else {
            return false;
        };
        self.last_end = at;
        let whole = !phase.flags.has(SpanFlags::UNFINISHED);
        self.previous = whole.then_some(phase.name);
        let Some(unit) = &mut self.unit else {
            if let Some(open) = phase.open {
                self.laps.close(open, at, phase.flags);
            }
            return false;
        };
        let Some(open) = phase.open else {
            return false;
        };
        let direct = unit.holds(open);
        unit.end(&*self.laps, &phase, open, at);
        direct
    }

    /// Begins a phase inside an optimizer's closure.
    pub fn begin_inner(&mut self, name: Name) {
        let at = self.now();
        if self.inner.is_some() {
            self.end_inner(at, false);
        }
        let mut phase = self.open(name, at);
        // A loss module called after the model goes on with the same forward.
        let place = phase.open.map(|open| (name, self.laps.path_of(open)));
        if name == Name::Forward && place.is_some() && place == self.after_inner {
            phase.flags = SpanFlags::CONTINUES;
        }
        self.inner = Some(phase);
    }

    /// Ends it.
    pub fn end_inner(&mut self, at: u64, raised: bool) {
        self.after_inner = None;
        let Some(phase) = self.inner.take() else {
            return;
        };
        let Some(open) = phase.open else { return };
        let flags = if raised {
            phase.flags.with(SpanFlags::UNFINISHED)
        } else {
            self.after_inner = Some((phase.name, self.laps.path_of(open)));
            phase.flags
        };
        self.laps.close(open, at, flags);
    }

    /// Something was interrupted before its end was told.
    pub fn repair(&mut self, at: u64) {
        self.nested = 0;
        if self.inner.is_some() || self.phase.is_some() {
            self.end_inner(at, false);
            self.end(at);
        }
    }

    /// The phase that ended at this time raised: what was to be a step may never be one.
    pub fn interrupted(&mut self, at: u64, direct: bool) {
        let Some(unit) = &mut self.unit else { return };
        unit.interrupted = true;
        unit.raised_at = Some(at);
        // With a lap of the user's open inside, the unit waits for what comes next.
        if direct {
            self.close_unit(at);
        }
    }

    /// The recording ends: nothing stays open, and what is open ends with its last phase.
    pub fn finish(&mut self) {
        let at = self.now();
        self.repair(at);
        if !self.has_unit() {
            return;
        }
        let Some(unit) = &self.unit else { return };
        let end = unit
            .raised_at
            .unwrap_or_else(|| self.last_end.max(unit.start));
        if !unit.decided {
            self.no_model(end);
        } else if unit.kind == Name::Step && self.number.backwards == 0 && !self.number.stepped {
            self.finish_untrained(end);
        } else {
            self.close_unit(end);
        }
    }

    /// Ends a step without a backward: training was interrupted, or it never was a step.
    fn finish_untrained(&mut self, end: u64) {
        let number = &self.number;
        let trains = self.steps > 0 && self.iteration.as_ref().is_some_and(|it| it.in_play());
        let Some(unit) = &mut self.unit else { return };
        if number.forwards > 0 && number.updates == 0 && !unit.interrupted && !trains {
            self.was_evaluation(end);
        } else {
            unit.interrupted = true;
            self.close_unit(end);
        }
    }

    /// A graph is being compiled, wherever that happens.
    pub fn compile_begin(&mut self) {
        if self.compiling.is_none() {
            let start = self.laps.now();
            self.compiling = if self.phase.is_some() {
                self.laps.open_within(Name::Compile, start)
            } else {
                self.laps.open(Name::Compile, start)
            };
        }
    }

    /// It is compiled.
    pub fn compile_end(&mut self) {
        let Some(open) = self.compiling.take() else {
            return;
        };
        let end = self.laps.now();
        if self.phase.is_some() {
            self.laps.close_within(open, end);
        } else {
            self.laps.close(open, end, SpanFlags::NONE);
        }
    }
}
