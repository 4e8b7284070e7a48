//! Evaluations in the midst of a step: between micro-batches, before a batch's forward, before the update.

use crate::program::{BACKWARD, Batches, DATA, FORWARD, Forward, LAST_FETCH, Loader, OUTSIDE};
use crate::program::{Module, Program, STEP, evaluating};

/// How a program says that it evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    NoGradAround,
    NoGradInside,
    Mode,
}

const WAYS: [Says; 3] = [Says::NoGradAround, Says::NoGradInside, Says::Mode];

fn validate(program: &Program, pass: Batches, says: Says) {
    let _around = (says == Says::NoGradAround).then(|| program.no_grad());
    for _ in pass {
        let _inside = (says == Says::NoGradInside).then(|| program.no_grad());
        program.call(evaluating(FORWARD));
    }
}

fn train_for(program: &Program, loader: &Loader, counter: &mut u32, micro_batches: u32) {
    for _ in loader.pass() {
        program.forward();
        program.backward();
        *counter += 1;
        if counter.is_multiple_of(micro_batches) {
            program.step();
            program.zero_grad();
        }
    }
}

/// Batches are counted over all epochs, so that a step goes on after a validation.
#[test]
fn a_validation_between_micro_batches_is_in_no_step() {
    for says in WAYS {
        let program = Program::new();
        let (training, validation) = (program.loader(9), program.loader(12));
        let mut counter = 0;
        for _ in 0..4 {
            train_for(&program, &training, &mut counter, 4);
            program.other(OUTSIDE);
            validate(&program, validation.pass(), says);
        }
        program.finish();
        assert_eq!(program.count("step"), 9, "{says:?}");
        for path in ["step/data", "step/forward", "step/backward"] {
            assert_eq!(program.count(path), 36, "{says:?} {path}");
        }
        for path in ["evaluation", "evaluation/data", "evaluation/forward"] {
            assert_eq!(program.count(path), 48, "{says:?} {path}");
        }
        assert_eq!(program.total("step/data"), 36 * DATA + 4 * LAST_FETCH);
        assert_eq!(program.total("evaluation/data"), 48 * DATA + 4 * LAST_FETCH);
        let work = program.total("step/data") + 36 * (FORWARD + BACKWARD);
        let optimizer = program.total("step/optimizer");
        assert_eq!(program.total("step"), work + optimizer, "{says:?}");
        assert_eq!(program.epochs(), 4, "{says:?}");
    }
}

/// `if step % 2 == 0: validate()` at the head of the loop's body.
#[test]
fn a_validation_between_a_batch_and_its_forward_leaves_the_batch_in_its_step() {
    for says in WAYS {
        let program = Program::new();
        let (training, validation) = (program.loader(8), program.loader(3));
        for index in training.pass() {
            if index % 2 == 0 {
                let mut pass = validation.pass();
                pass.begin(40);
                validate(&program, pass, says);
            }
            program.train_batch();
        }
        program.finish();
        assert_eq!(program.count("step"), 8, "{says:?}");
        assert_eq!(program.count("step/data"), 8, "{says:?}");
        assert_eq!(program.total("step/forward"), 8 * FORWARD, "{says:?}");
        assert_eq!(program.count("evaluation"), 12, "{says:?}");
        assert_eq!(program.count("evaluation/data"), 12, "{says:?}");
        assert_eq!(
            program.total("evaluation/data"),
            12 * DATA + 4 * (40 + LAST_FETCH)
        );
        assert_eq!(program.count("loading"), 0, "{says:?}");
    }
}

#[test]
fn a_validation_between_backward_and_update_is_in_no_step() {
    for says in WAYS {
        let program = Program::new();
        let (training, validation) = (program.loader(4), program.loader(2));
        for _ in training.pass() {
            program.forward();
            program.backward();
            validate(&program, validation.pass(), says);
            program.step();
        }
        program.finish();
        assert_eq!(program.count("step"), 4, "{says:?}");
        assert_eq!(program.count("step/optimizer"), 4, "{says:?}");
        assert_eq!(
            program.total("step"),
            4 * (DATA + FORWARD + BACKWARD + STEP) + LAST_FETCH
        );
        assert_eq!(program.count("evaluation"), 8, "{says:?}");
    }
}

/// The trained network answers without gradients, with no loader: a sample to look at.
#[test]
fn an_answer_of_the_network_between_micro_batches_is_an_evaluation() {
    for training in [false, true] {
        let program = Program::new();
        for index in program.loader(8).pass() {
            program.forward();
            program.backward();
            if index % 4 == 2 {
                let _no = program.no_grad();
                program.call(Forward {
                    training,
                    ..Forward::default()
                });
            }
            if index % 4 == 0 {
                program.step();
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 2);
        assert_eq!(program.total("step/forward"), 8 * FORWARD);
        assert_eq!(program.count("evaluation"), 2);
        assert_eq!(program.total("evaluation"), 2 * FORWARD);
    }
}

/// A teacher of each micro-batch stays in the step, also where it has batches of its own.
#[test]
fn a_teacher_between_micro_batches_is_in_the_step() {
    for has_loader in [false, true] {
        let program = Program::new();
        let mut others = program.loader(8).pass();
        for index in program.loader(8).pass() {
            if has_loader {
                others.next();
            }
            {
                let _no = program.no_grad();
                program.call(Forward {
                    number: 9,
                    module: Module::Frozen,
                    ..evaluating(11)
                });
            }
            program.forward();
            program.backward();
            if index % 4 == 0 {
                program.step();
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 2, "{has_loader}");
        assert_eq!(
            program.total("step/forward"),
            8 * (FORWARD + 11),
            "{has_loader}"
        );
        assert_eq!(program.count("evaluation"), 0, "{has_loader}");
    }
}

/// The loop is left by `break`; the accumulation goes on with the next micro-batch.
#[test]
fn a_validation_that_is_left_early_between_micro_batches_ends_with_its_last_forward() {
    let program = Program::new();
    let (training, validation) = (program.loader(4), program.loader(9));
    for index in training.pass() {
        program.forward();
        program.backward();
        if index == 2 {
            let mut pass = validation.pass();
            let _no = program.no_grad();
            for _ in 0..3 {
                pass.next();
                program.call(evaluating(FORWARD));
            }
            program.other(100_000);
        }
    }
    program.step();
    program.finish();
    assert_eq!(program.count("step"), 1);
    assert_eq!(program.count("step/forward"), 4);
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.total("evaluation"), 3 * (DATA + FORWARD));
}
