//! Validation between training epochs, as trainers do it.

use crate::program::{BACKWARD, Batches, FORWARD, Forward, Loader, Program, STEP, ZERO, loss};

/// Evaluates `batches` of a pass and leaves it there.
fn validate(program: &Program, pass: &mut Batches, batches: usize) {
    let _no = program.no_grad();
    for _ in pass.by_ref().take(batches) {
        program.call(Forward {
            training: false,
            ..Forward::default()
        });
    }
}

fn train(program: &Program, loader: &Loader) {
    for _ in loader.pass() {
        program.train_batch();
    }
}

/// Trainers that know a loader's length never ask for the batch that isn't there.
#[test]
fn a_zero_grad_after_a_validation_that_was_left_is_the_next_steps() {
    for batches in [1, 2, 3] {
        let program = Program::new();
        let (training, validation) = (program.loader(4), program.loader(3));
        for _ in 0..3 {
            train(&program, &training);
            let mut pass = validation.pass();
            validate(&program, &mut pass, batches);
            program.zero_grad();
        }
        train(&program, &training);
        assert_eq!(program.count("step"), 16, "{batches}");
        assert_eq!(program.count("step/forward"), 16, "{batches}");
        assert_eq!(program.count("evaluation"), 3 * batches);
        assert_eq!(program.count("evaluation/forward"), 3 * batches);
        assert!(
            !program.paths().contains(&"evaluation/optimizer".to_owned()),
            "{:?}",
            program.paths()
        );
        assert_eq!(program.epochs(), 4, "{batches}");
    }
}

/// A check before the first training, and a `zero_grad` before and after it.
#[test]
fn a_validation_between_zero_grads_before_any_training_is_evaluation() {
    let program = Program::new();
    let (training, validation) = (program.loader(4), program.loader(3));
    program.zero_grad();
    let mut pass = validation.pass();
    validate(&program, &mut pass, 2);
    program.zero_grad();
    train(&program, &training);
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("evaluation"), 2);
    assert!(!program.paths().contains(&"evaluation/optimizer".to_owned()));
    assert_eq!(program.epochs(), 1);
}

/// Neither a loader nor `no_grad`, and the loss is a module: the mode alone tells the validation.
#[test]
fn the_loss_of_a_validation_with_gradients_is_of_the_validation() {
    let given = Forward {
        is_given_learned: true,
        ..loss(1)
    };
    for batches in [1, 2, 5] {
        let program = Program::new();
        for _ in 0..4 {
            for _ in 0..20 {
                program.zero_grad();
                program.forward();
                program.call(given);
                program.backward();
                program.step();
            }
            for _ in 0..batches {
                program.call(Forward {
                    training: false,
                    ..Forward::default()
                });
                program.call(given);
            }
            program.other(1_000_000_000);
        }
        program.finish();
        assert_eq!(program.count("step"), 80, "{batches}");
        assert_eq!(program.count("step/forward"), 80, "{batches}");
        assert_eq!(program.count("evaluation"), 4 * batches);
        assert_eq!(
            program.total("step"),
            80 * (FORWARD + 1 + BACKWARD + STEP + ZERO)
        );
    }
}
