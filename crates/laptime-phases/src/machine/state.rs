//! What the machine knows of its thread's training.

use std::collections::BTreeSet;
use std::sync::Arc;

use laptime_core::PhaseName;

use super::loose_pieces::Loose;
use super::number::{Aside, Number, PhasePlace};
use super::pause::Paused;
use super::phase::Phase;
use super::prepared_calls::PreparedCalls;
use super::unit::Unit;
use crate::laps::{Laps, SpanId};
use crate::loader::Iteration;

/// What forwards with gradients and without a loader are taken for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Forwards {
    /// Forwards wait for a backward, for a while.
    #[default]
    Wait,
    /// No backward came: each forward is an evaluation.
    Alone,
    /// A backward came after all: forwards wait however long it takes.
    WaitLong,
}

/// What was learned of the program, and decides what its next calls are taken for.
#[derive(Debug, Default)]
pub struct Habits {
    /// The program updates its weights out of sight.
    pub updates_unseen: bool,
    pub forwards: Forwards,
    /// The program trains a module in evaluation mode.
    pub trains_in_eval: bool,
    /// The program fetches a batch between a forward and its backward.
    pub fetches_ahead: bool,
    /// How often a lap of the program's own held only a part of a step.
    pub torn: u64,
}

/// The last unit.
#[derive(Debug, Default)]
pub struct Last {
    pub kind: Option<PhaseName>,
    /// Where the last step and the last evaluation went on if they were set aside: a piece of them goes on there.
    pub step_aside: Option<Aside>,
    pub evaluation_aside: Option<Aside>,
    /// The path that the last unit opened under.
    pub parent: u32,
    /// A lap of the user's ended with a step in it that had work and no update: its path.
    pub left: Option<u32>,
    /// Where what was recorded last ended.
    pub end: u64,
    /// [`Laps::last_written`] at that end.
    pub written: u64,
}

impl Last {
    /// Where the last unit of a kind went on, if it was set aside.
    pub fn aside(&mut self, kind: PhaseName) -> Option<&mut Option<Aside>> {
        match kind {
            PhaseName::Step => Some(&mut self.step_aside),
            PhaseName::Evaluation => Some(&mut self.evaluation_aside),
            _ => None,
        }
    }
}

/// An optimizer at work.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Update {
    /// Optimizer work inside it.
    pub nested: u32,
    /// Weights are updated inside it, as Keras's `apply` does where it doesn't just collect gradients.
    pub has_stepped: bool,
    /// A `zero_grad` that follows its step: it reopens the step for itself alone.
    pub is_trailing: bool,
    /// A phase of the closure is under way in the optimizer's place.
    pub is_paused: bool,
    /// A forward of the closure is over: until its backward, the closure does what is neither's nor the optimizer's.
    pub is_between: bool,
    /// A phase of the closure is under way inside a lap of the user's.
    pub inner: Option<Phase>,
    /// The closure's last phase, and where it was, while nothing else happened since.
    pub after: Option<(PhaseName, PhasePlace)>,
    /// A module's call has told the forward of the closure's next gradient.
    pub has_forward: bool,
    /// When a `zero_grad` in it ended, and [`crate::Laps::last_written`] then, while nothing else happened
    /// since.
    pub zeroed: Option<(u64, u64)>,
}

/// An exchange that is under way.
#[derive(Debug)]
pub struct Exchange {
    /// Exchanges inside this one: one for objects consists of several for tensors.
    pub nested: u32,
    pub lies: Lies,
}

/// Where an exchange lies.
#[derive(Debug)]
pub enum Lies {
    /// The exchange lies inside a phase.
    Phase(Option<SpanId>),
    /// The exchange lies in a unit, between its phases: what the last of them was.
    Unit(Option<PhaseName>),
    /// The exchange lies outside of units.
    Outside(Option<SpanId>),
    /// Training has not begun: the exchange is no span.
    Nowhere,
}

/// A call of a function for its gradient that is under way.
#[derive(Debug)]
pub struct Function {
    /// Calls inside this one: derivatives of derivatives.
    pub nested: u32,
    /// When the call began.
    pub since: u64,
    /// A module's call has told its forward.
    pub is_told: bool,
    /// [`crate::Laps::last_written`] when the call began.
    pub written: u64,
}

/// The phases of one thread.
pub struct Machine {
    pub(super) laps: Box<dyn Laps>,
    pub(super) unit: Option<Unit>,
    /// The phase under way.
    pub(super) phase: Option<Phase>,
    /// The optimizer at work.
    pub(super) update: Option<Update>,
    pub(super) compiling: Option<SpanId>,
    pub(super) exchange: Option<Exchange>,
    pub(super) function: Option<Function>,
    /// Whose batch feeds what comes next.
    pub(super) iteration: Option<Arc<Iteration>>,
    /// Iterations whose batches were fetched for a use that is not known yet.
    pub(super) waiting: Vec<Arc<Iteration>>,
    /// Iterations with a batch that no forward was trained on yet.
    pub(super) ahead: Vec<Arc<Iteration>>,
    /// Whose batch the last forward of a step was given.
    pub(super) feeds: Option<Arc<Iteration>>,
    /// What waits for the unit that it is a part of.
    pub(super) loose: Vec<Loose>,
    /// A call that prepares what the next module is given, maybe.
    pub(super) prepared: Option<PreparedCalls>,
    /// A step that an evaluation interrupts.
    pub(super) paused: Option<Paused>,
    /// Where the start of a pass was written that is in no unit of the machine's.
    pub(super) started: Option<PhasePlace>,
    /// Modules that a step trained.
    pub(super) learners: Vec<usize>,
    /// Modules that wrap another one, each with that.
    pub(super) wrappers: Vec<(usize, usize)>,
    /// The loader's pass that tells the epochs, where several loaders are read side by side.
    pub(super) epochs_of: Option<Arc<Iteration>>,
    pub(super) number: Number,
    /// The last phase of the open unit, or of the user's own step.
    pub(super) previous: Option<PhaseName>,
    pub(super) steps: u64,
    pub(super) last: Last,
    pub(super) habits: Habits,
    /// An optimizer stepped inside a backward.
    pub(super) updated_inside: bool,
    /// Where the last unit was, if that was one forward and nothing happened since.
    pub(super) alone: Option<u32>,
    /// The modules that the evaluation of [`Machine::alone`] called.
    pub(super) called: Vec<usize>,
    /// The modules that were made, or got other weights, since that evaluation began.
    pub(super) made: BTreeSet<usize>,
    /// When the evaluation of [`Machine::alone`] began.
    pub(super) alone_since: u64,
}

impl Machine {
    /// Nothing has happened yet.
    pub fn new(laps: Box<dyn Laps>) -> Self {
        Self {
            laps,
            unit: None,
            phase: None,
            update: None,
            compiling: None,
            exchange: None,
            function: None,
            iteration: None,
            waiting: Vec::new(),
            ahead: Vec::new(),
            feeds: None,
            loose: Vec::new(),
            prepared: None,
            paused: None,
            started: None,
            learners: Vec::new(),
            wrappers: Vec::new(),
            epochs_of: None,
            number: Number::default(),
            previous: None,
            steps: 0,
            last: Last {
                parent: u32::MAX,
                ..Last::default()
            },
            habits: Habits::default(),
            updated_inside: false,
            alone: None,
            called: Vec::new(),
            made: BTreeSet::new(),
            alone_since: 0,
        }
    }
}
