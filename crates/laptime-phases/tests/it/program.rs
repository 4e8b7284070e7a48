//! A training program in events, on the script's clock: every event takes a known time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use laptime_phases::{self as phases, Iteration, Machine};

use crate::script::{Script, Span};

pub const DATA: u64 = 100;
pub const FORWARD: u64 = 30;
pub const BACKWARD: u64 = 50;
pub const STEP: u64 = 20;
pub const ZERO: u64 = 5;
pub const OUTSIDE: u64 = 7;
/// The fetch that finds no further batch.
pub const LAST_FETCH: u64 = 3;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module {
    /// A module with parameters to learn.
    Network,
    /// A module with parameters, and none to learn.
    Frozen,
    /// A module without parameters.
    Loss,
}

/// A call of a module.
#[derive(Debug, Clone, Copy)]
pub struct Forward {
    pub took: u64,
    pub training: bool,
    pub module: Module,
    /// Gradients reach what it is given.
    pub is_given_learned: bool,
    /// Which module it is nothing but a wrapper around.
    pub wraps: Option<usize>,
    /// Which of the program's modules.
    pub number: usize,
    pub raises: bool,
}

impl Default for Forward {
    fn default() -> Self {
        Self {
            took: FORWARD,
            training: true,
            module: Module::Network,
            is_given_learned: false,
            wraps: None,
            number: 0,
            raises: false,
        }
    }
}

/// A module without anything to learn: a loss.
pub fn loss(took: u64) -> Forward {
    Forward {
        took,
        module: Module::Loss,
        number: usize::MAX,
        ..Forward::default()
    }
}

/// A call of a module in evaluation mode.
pub fn evaluating(took: u64) -> Forward {
    Forward {
        took,
        training: false,
        ..Forward::default()
    }
}

struct Answers {
    grad: bool,
    by_hand: bool,
    for_parameters: bool,
    call: Forward,
}

impl phases::Program for Answers {
    fn grad(&self) -> bool {
        self.grad
    }

    fn training(&self) -> bool {
        self.call.training
    }

    fn trains(&self) -> bool {
        self.call.module == Module::Network || self.call.is_given_learned
    }

    fn is_bare(&self) -> bool {
        self.call.module == Module::Loss
    }

    fn called(&self) -> usize {
        self.call.number
    }

    fn wraps(&self) -> Option<usize> {
        self.call.wraps
    }

    fn for_parameters(&self) -> bool {
        self.for_parameters
    }

    fn by_hand(&self) -> bool {
        self.by_hand
    }
}

/// What a training script does, one method per call. A clone is the same program.
#[derive(Clone)]
pub struct Program(Rc<State>);

struct State {
    script: Script,
    machine: RefCell<Machine>,
    grad: Cell<bool>,
    by_hand: Cell<bool>,
}

/// Closes a lap, or records gradients again, when it is dropped.
pub struct Guard<'a>(Box<dyn Fn() + 'a>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Program {
    pub fn new() -> Self {
        let script = Script::default();
        script.pass(1_000);
        Self(Rc::new(State {
            machine: RefCell::new(Machine::new(Box::new(script.clone()))),
            script,
            grad: Cell::new(true),
            by_hand: Cell::new(false),
        }))
    }

    fn answers(&self, call: Forward) -> Answers {
        Answers {
            grad: self.0.grad.get(),
            by_hand: self.0.by_hand.get(),
            for_parameters: false,
            call,
        }
    }

    fn tell(&self, event: impl FnOnce(&mut Machine)) {
        event(&mut self.0.machine.borrow_mut());
    }

    pub fn script(&self) -> &Script {
        &self.0.script
    }

    // -- what the program does -------------------------------------------------------------

    /// The program has no optimizer and updates its weights itself.
    pub fn updates_by_hand(&self) {
        self.0.by_hand.set(true);
    }

    /// A loader of so many batches.
    pub fn loader(&self, batches: u32) -> Loader {
        Loader {
            program: self.clone(),
            memory: Arc::default(),
            batches,
            took: DATA,
        }
    }

    /// So many rounds of a training loop: over a loader's batches, or over nothing.
    pub fn rounds(&self, count: u32, has_loader: bool) -> Box<dyn Iterator<Item = u32>> {
        if has_loader {
            Box::new(self.loader(count).pass())
        } else {
            Box::new(0..count)
        }
    }

    pub fn forward(&self) {
        self.call(Forward::default());
    }

    pub fn call(&self, call: Forward) {
        self.call_around(call, || ());
    }

    /// A call in which something else happens.
    pub fn call_around(&self, call: Forward, inside: impl FnOnce()) {
        let answers = self.answers(call);
        self.tell(|machine| machine.forward_begin(&answers));
        self.other(call.took);
        inside();
        self.tell(|machine| machine.forward_end(call.raises));
    }

    /// A call begins, and its end may never be told.
    pub fn begin_forward(&self) {
        let answers = self.answers(Forward::default());
        self.tell(|machine| machine.forward_begin(&answers));
    }

    /// A backward begins, and its end may never be told.
    pub fn begin_backward(&self) {
        let answers = self.answers(Forward::default());
        self.tell(|machine| machine.backward_begin(&answers));
    }

    pub fn backward(&self) {
        self.backward_around(BACKWARD, false, || ());
    }

    pub fn backward_around(&self, took: u64, raises: bool, inside: impl FnOnce()) {
        self.begin_backward();
        self.other(took);
        inside();
        self.tell(|machine| machine.backward_end(raises));
    }

    /// Gradients that no update is made from.
    pub fn gradient(&self) {
        self.gradient_of(false);
    }

    /// Gradients that are handed back, with respect to parameters or not.
    pub fn gradient_of(&self, for_parameters: bool) {
        let answers = Answers {
            for_parameters,
            ..self.answers(Forward::default())
        };
        self.tell(|machine| machine.gradient_begin(&answers));
        self.other(BACKWARD);
        self.tell(|machine| machine.backward_end(false));
    }

    /// A function is called for its value and its gradient.
    pub fn function(&self, forward: impl FnOnce()) {
        self.function_around(false, forward);
    }

    /// A function is called for its value and its gradient; if it raises, before the gradient.
    pub fn function_around(&self, raises: bool, forward: impl FnOnce()) {
        let answers = self.answers(Forward::default());
        self.tell(|machine| machine.function_begin(&answers));
        forward();
        if !raises {
            self.gradient_of(false);
        }
        self.tell(|machine| machine.function_end(raises));
    }

    pub fn step(&self) {
        self.step_around(STEP, false, || ());
    }

    /// An optimizer's step with a closure.
    pub fn step_around(&self, took: u64, raises: bool, closure: impl FnOnce()) {
        self.tell(|machine| machine.optimizer_begin(true));
        self.other(took);
        closure();
        self.tell(|machine| machine.optimizer_end(true, raises));
    }

    /// What Keras's `apply` does with gradients: updates weights by them, or just collects them.
    pub fn apply(&self, updates: bool) {
        self.tell(|machine| machine.optimizer_begin(false));
        self.other(STEP);
        if updates {
            self.step();
        }
        self.tell(|machine| machine.optimizer_end(false, false));
    }

    pub fn zero_grad(&self) {
        self.tell(|machine| machine.optimizer_begin(false));
        self.other(ZERO);
        self.tell(|machine| machine.optimizer_end(false, false));
    }

    /// An optimizer steps inside the backward that is under way.
    pub fn update_inside(&self) {
        self.tell(Machine::update_inside);
    }

    /// Data is exchanged with other processes.
    pub fn exchange(&self, took: u64) {
        self.exchange_around(took, false, || ());
    }

    pub fn exchange_around(&self, took: u64, raises: bool, inside: impl FnOnce()) {
        self.tell(Machine::communication_begin);
        self.other(took);
        inside();
        self.tell(|machine| machine.communication_end(raises));
    }

    pub fn other(&self, took: u64) {
        self.0.script.pass(took);
    }

    pub fn train_batch(&self) {
        self.zero_grad();
        self.forward();
        self.backward();
        self.step();
    }

    /// No gradients are recorded while the guard lives.
    #[must_use]
    pub fn no_grad(&self) -> Guard<'_> {
        let before = self.0.grad.replace(false);
        Guard(Box::new(move || self.0.grad.set(before)))
    }

    /// A lap of the user's, open while the guard lives.
    #[must_use]
    pub fn lap(&self, name: &str) -> Guard<'_> {
        let serial = self.0.script.open_lap(name);
        Guard(Box::new(move || self.0.script.close_lap(serial)))
    }

    /// Any other event.
    pub fn event(&self, event: impl FnOnce(&mut Machine)) {
        self.tell(event);
    }

    pub fn finish(&self) {
        self.tell(|machine| machine.finish(false));
    }

    /// An error ends the program.
    pub fn fail(&self) {
        self.tell(|machine| machine.finish(true));
    }

    /// A module is made, or gets other weights.
    pub fn make_module(&self, number: usize) {
        self.tell(|machine| machine.module_made(number));
    }

    // -- what was recorded -----------------------------------------------------------------

    pub fn spans(&self) -> Vec<Span> {
        self.0.script.spans()
    }

    /// Spans of a path, continued ones counted once and those cut short not at all.
    pub fn count(&self, path: &str) -> usize {
        self.spans()
            .iter()
            .filter(|span| span.path == path && span.counts())
            .count()
    }

    pub fn total(&self, path: &str) -> u64 {
        let spans = self.spans();
        spans
            .iter()
            .filter(|span| span.path == path)
            .map(|span| span.duration)
            .sum()
    }

    pub fn paths(&self) -> Vec<String> {
        let paths: BTreeSet<String> = self.spans().into_iter().map(|span| span.path).collect();
        paths.into_iter().collect()
    }

    /// Outermost spans, in the order of their start.
    pub fn top(&self) -> Vec<Span> {
        let mut top = self.spans();
        top.retain(|span| !span.path.contains('/'));
        top.sort_by_key(|span| span.start);
        top
    }

    pub fn inferred(&self) -> u32 {
        self.0.script.inferred()
    }

    pub fn torn(&self) -> Vec<String> {
        self.0.script.torn()
    }

    pub fn epochs(&self) -> usize {
        self.0
            .script
            .marks()
            .iter()
            .filter(|(name, _)| name == "epoch")
            .count()
    }
}

/// A data loader of a program's.
#[derive(Clone)]
pub struct Loader {
    program: Program,
    memory: Arc<phases::Loader>,
    batches: u32,
    took: u64,
}

impl Loader {
    /// A pass over it.
    pub fn pass(&self) -> Batches {
        self.pass_of(self.batches)
    }

    /// Somebody begins to go over it, who may read an iterator that was kept.
    pub fn goes_over(&self) {
        self.memory.gone_over.set(true);
    }

    /// A pass with so many batches.
    pub fn pass_of(&self, batches: u32) -> Batches {
        Batches {
            program: self.program.clone(),
            iteration: Arc::new(Iteration::new(Arc::clone(&self.memory))),
            left: batches,
            took: self.took,
            fails: BTreeSet::new(),
        }
    }
}

/// The fetch raised.
#[derive(Debug)]
pub struct Failed;

/// A pass over a loader.
pub struct Batches {
    program: Program,
    pub iteration: Arc<Iteration>,
    pub left: u32,
    pub took: u64,
    /// Batches left when a fetch raises, once.
    pub fails: BTreeSet<u32>,
}

impl Batches {
    /// The iterator is made, which takes so long.
    pub fn begin(&mut self, took: u64) {
        self.begin_around(took, || ());
    }

    /// The iterator is made, and something else happens in that.
    pub fn begin_around(&mut self, took: u64, inside: impl FnOnce()) {
        let program = self.program.clone();
        let answers = program.answers(Forward::default());
        program.tell(|machine| machine.pass_begin(&answers));
        program.other(took);
        inside();
        program.tell(|machine| machine.pass_end(Some(&self.iteration)));
    }

    /// A fetch begins, and its end may never be told.
    pub fn begin_fetch(&self) {
        let answers = self.program.answers(Forward::default());
        self.program
            .tell(|machine| machine.fetch_begin(&self.iteration, &answers));
    }

    /// The next batch, `None` at the end.
    pub fn fetch(&mut self) -> Result<Option<u32>, Failed> {
        let program = self.program.clone();
        let answers = program.answers(Forward::default());
        program.tell(|machine| machine.fetch_begin(&self.iteration, &answers));
        if self.left == 0 {
            program.other(LAST_FETCH);
            program.tell(|machine| machine.exhausted(&self.iteration));
            return Ok(None);
        }
        program.other(self.took);
        if self.fails.remove(&self.left) {
            program.tell(|machine| machine.fetch_failed(&self.iteration));
            return Err(Failed);
        }
        self.left -= 1;
        program.tell(Machine::fetch_end);
        Ok(Some(self.left))
    }
}

impl Iterator for Batches {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.fetch().expect("a fetch that doesn't raise")
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.iteration.gone.set(true);
    }
}
