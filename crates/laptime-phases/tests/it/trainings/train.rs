//! Trains as planned, and notes what timers would.

use crate::program::{BACKWARD, Batches, DATA, FORWARD, Forward, LAST_FETCH, Loader, Module};
use crate::program::{Program, STEP, ZERO, evaluating, loss};

use super::plan::{Place, Plan, Says, Source};
use super::truth::Truth;

const LOSS: u64 = 2;
const TEACHER: u64 = 11;
const PREPARES: u64 = 17;
const COMPILES: u64 = 1_700;
/// The model that is trained, its teacher, and a second network.
const MODEL: usize = 0;
const TEACHERS: usize = 8;
const OTHER: usize = 9;
const WRAPPER: usize = 10;

struct Run<'a> {
    program: &'a Program,
    /// Laps are written inside of each network's call.
    has_laps: bool,
    plan: &'a Plan,
    truth: &'a mut Truth,
    training: Loader,
    validation: Loader,
    batches: Option<Batches>,
    /// Batches that are there and not used.
    ahead: u32,
    /// Batches of the pass that will still be there.
    left: u32,
    micro_batch: u32,
    is_compiled: bool,
}

/// Trains.
pub fn train(program: &Program, plan: &Plan, truth: &mut Truth, has_laps: bool) {
    let validated = plan.validation.map_or(0, |validation| validation.batches);
    let mut run = Run {
        program,
        has_laps,
        plan,
        truth,
        training: program.loader(plan.batches),
        validation: program.loader(validated),
        batches: None,
        ahead: 0,
        left: 0,
        micro_batch: 0,
        is_compiled: false,
    };
    run.sets_up();
    for pass in 0..plan.passes {
        run.passes(pass);
    }
    let is_rest = run.micro_batch > 0;
    if is_rest {
        run.updates();
    }
}

impl Run<'_> {
    /// Calls a network.
    fn calls(&self, called: Forward) {
        self.program.call_around(called, || {
            if self.has_laps {
                drop(self.program.lap("Layer"));
            }
        });
    }

    fn elsewhere(&mut self, took: u64) {
        self.program.other(took);
    }

    /// What a program does after an update: in no step, but for one whose batch is there by then.
    fn after_update(&mut self) {
        let took = self.plan.gap.min(2_000);
        self.program.other(took);
        if self.plan.source == Source::Ahead(Place::AfterUpdate) {
            self.truth.does("step", took);
        }
    }

    /// The program's own work in a step.
    fn own(&mut self) {
        self.program.other(self.plan.own);
        self.truth.does("step", self.plan.own);
    }

    fn sets_up(&mut self) {
        if self.plan.compiles {
            self.program.event(laptime_phases::Machine::compile_begin);
            self.elsewhere(COMPILES);
            self.program.event(laptime_phases::Machine::compile_end);
        }
        if let Some(set_up) = self.plan.dry_run {
            self.calls(Forward::default());
            self.truth.evaluates(&[("evaluation/forward", FORWARD)]);
            self.elsewhere(set_up);
        }
        if self.plan.zeroes_first {
            self.program.zero_grad();
            self.truth.zeroes(ZERO, false);
            if self.plan.source == Source::Tensors {
                self.own();
            } else {
                self.elsewhere(self.plan.gap);
            }
        }
    }

    // -- data ------------------------------------------------------------------------------

    fn begins(&mut self) {
        let mut batches = match self.plan.source {
            Source::Kept => self.training.pass_of(self.plan.batches * self.plan.passes),
            _ => self.training.pass(),
        };
        batches.begin(self.plan.begins);
        self.truth.waits("step/data", self.plan.begins);
        self.batches = Some(batches);
        self.program.other(self.plan.gap);
        if self.micro_batch > 0 {
            self.truth.does("step", self.plan.gap); // between the micro-batches of one
        }
    }

    fn fetches(&mut self) {
        let Some(batches) = &mut self.batches else {
            return;
        };
        if self.left == 0 {
            batches.next();
            self.truth.waits("step/data", LAST_FETCH);
            return;
        }
        batches.next();
        self.left -= 1;
        self.ahead += 1;
        self.truth.step("step/data", DATA);
    }

    fn passes(&mut self, pass: u32) {
        let plan = self.plan;
        self.left = plan.batches;
        match plan.source {
            Source::Tensors => {}
            Source::Kept => {
                if pass == 0 {
                    self.begins();
                }
                self.training.goes_over();
            }
            _ => self.begins(),
        }
        if plan.source != Source::Tensors {
            self.truth.epochs += 1;
        }
        if matches!(plan.source, Source::Ahead(_)) {
            self.fetches();
            self.own();
        }
        for index in 0..plan.batches {
            self.batch(index);
        }
        if matches!(plan.source, Source::Passes) {
            self.fetches();
        }
        self.validates_at(None);
        if !plan.counts_on && self.micro_batch > 0 {
            self.updates();
        }
        if plan.source != Source::Kept {
            self.batches = None;
        }
    }

    fn fetches_ahead(&mut self, place: Place) {
        if self.plan.source == Source::Ahead(place) {
            self.fetches();
            self.own();
        }
    }

    // -- a micro-batch ---------------------------------------------------------------------

    fn batch(&mut self, index: u32) {
        match self.plan.source {
            Source::Passes | Source::Kept => self.fetches(),
            Source::Behind => {
                if index == 0 {
                    self.fetches();
                }
                self.fetches();
            }
            Source::Tensors | Source::Ahead(_) => {}
        }
        self.ahead = 0;
        self.is_at(Place::BeforeForward);
        self.forwards(MODEL);
        self.is_at(Place::BeforeBackward);
        self.fetches_ahead(Place::BeforeBackward);
        self.backwards();
        self.micro_batch += 1;
        self.is_at(Place::AfterBackward);
        self.fetches_ahead(Place::AfterBackward);
        if self.micro_batch == self.plan.micro_batches {
            self.updates();
            self.after_update();
            self.is_at(Place::AfterUpdate);
        } else if self.plan.source == Source::Ahead(Place::AfterUpdate) {
            self.fetches_ahead(Place::AfterUpdate);
        }
    }

    fn forwards(&mut self, model: usize) {
        if self.plan.has_teacher {
            let _no = self.program.no_grad();
            self.calls(Forward {
                number: TEACHERS,
                module: Module::Frozen,
                ..evaluating(TEACHER)
            });
            self.truth.step("step/forward", TEACHER);
        }
        if let Some(grad) = self.plan.prepares {
            let _no = (!grad).then(|| self.program.no_grad());
            self.program.call(Forward {
                number: 7,
                ..loss(PREPARES)
            });
            self.truth.step("step/forward", PREPARES);
        }
        let compiles = if self.plan.compiles && !self.is_compiled {
            COMPILES
        } else {
            0
        };
        self.is_compiled = true;
        let is_wrapped = self.plan.compiles && model == MODEL;
        let called = Forward {
            number: if is_wrapped { WRAPPER } else { model },
            wraps: is_wrapped.then_some(MODEL),
            ..Forward::default()
        };
        let has_laps = self.has_laps;
        self.program.call_around(called, || {
            if has_laps {
                drop(self.program.lap("Layer"));
            }
            if compiles > 0 {
                self.program.event(laptime_phases::Machine::compile_begin);
                self.program.other(compiles);
                self.program.event(laptime_phases::Machine::compile_end);
            }
        });
        self.truth.step("step/forward", FORWARD + compiles);
        self.own();
    }

    fn backwards(&mut self) {
        if self.plan.has_loss {
            self.program.call(Forward {
                is_given_learned: true,
                ..loss(LOSS)
            });
            self.truth.step("step/forward", LOSS);
        }
        if self.plan.has_penalty {
            self.program.gradient();
            self.truth.step("step/backward", BACKWARD);
        }
        self.program.backward();
        self.truth.step("step/backward", BACKWARD);
        self.own();
    }

    fn updates(&mut self) {
        self.program.step();
        self.truth.updates(STEP, true);
        self.micro_batch = 0;
        if self.plan.two_optimizers {
            self.elsewhere(3);
            self.forwards(OTHER);
            self.backwards();
            self.program.step();
            self.truth.updates(STEP, false);
        }
        if self.plan.zeroes == Some(Place::AfterUpdate) {
            self.program.zero_grad();
            self.truth.zeroes(ZERO, true);
        }
        self.fetches_ahead(Place::AfterUpdate);
        if self.plan.has_accuracy {
            self.elsewhere(self.plan.own);
            self.calls(Forward::default());
            self.truth.evaluates(&[("evaluation/forward", FORWARD)]);
        }
    }

    // -- between ---------------------------------------------------------------------------

    fn is_at(&mut self, place: Place) {
        let zeroes = self.plan.zeroes == Some(place) && place != Place::AfterUpdate;
        let is_first =
            self.micro_batch == 0 || (self.micro_batch == 1 && place == Place::AfterBackward);
        if zeroes && is_first && !matches!(place, Place::AfterBackward) {
            self.program.zero_grad();
            self.truth.zeroes(ZERO, false);
            self.own();
        }
        if self.plan.answers == Some(place) {
            self.answers();
        }
        self.validates_at(Some(place));
    }

    fn answers(&mut self) {
        let _no = self.program.no_grad();
        self.calls(evaluating(FORWARD));
        self.truth.evaluates(&[("evaluation/forward", FORWARD)]);
        self.elsewhere(self.plan.gap.min(2_000));
    }

    fn validates_at(&mut self, place: Option<Place>) {
        let Some(validation) = self.plan.validation else {
            return;
        };
        let is_due =
            place.is_none() || (self.micro_batch + self.left).is_multiple_of(validation.every);
        if validation.place != place || !is_due {
            return;
        }
        self.truth.breaks();
        self.elsewhere(self.plan.gap.min(2_000));
        let mut pass = self.validation.pass();
        pass.begin(self.plan.begins);
        self.truth.waits("evaluation/data", self.plan.begins);
        self.elsewhere(self.plan.gap);
        let _around = (validation.says == Says::NoGradAround).then(|| self.program.no_grad());
        for index in 0..validation.batches {
            pass.next();
            let inside = (validation.says == Says::NoGradInside).then(|| self.program.no_grad());
            self.calls(evaluating(FORWARD));
            drop(inside);
            let phases = [("evaluation/data", DATA), ("evaluation/forward", FORWARD)];
            self.truth.evaluates(&phases);
            if validation.has_loss {
                self.program.call(Forward {
                    is_given_learned: validation.says == Says::Mode,
                    ..loss(LOSS)
                });
                self.truth.loss(LOSS);
            }
            let is_last = index + 1 == validation.batches;
            if is_last && validation.is_left_early {
                self.elsewhere(self.plan.gap);
            } else {
                self.program.other(self.plan.own);
                self.truth.does("evaluation", self.plan.own);
            }
        }
        if !validation.is_left_early {
            pass.next();
            self.truth.waits("evaluation/data", LAST_FETCH);
        }
    }
}
