//! Modules without parameters that prepare a batch: augmentation, flattening.

use crate::program::{BACKWARD, FORWARD, OUTSIDE, Program, STEP, evaluating, loss};

const AUGMENT: u64 = 60;

#[test]
fn a_module_that_prepares_the_batch_is_in_its_step() {
    for (has_loader, grad) in [(false, true), (false, false), (true, true), (true, false)] {
        let program = Program::new();
        for _ in program.rounds(30, has_loader) {
            {
                let _no = (!grad).then(|| program.no_grad());
                program.call(loss(AUGMENT));
            }
            program.other(OUTSIDE);
            program.forward();
            program.backward();
            program.step();
            program.other(OUTSIDE);
        }
        program.finish();
        let said = format!("a loader: {has_loader}, gradients: {grad}");
        assert_eq!(program.count("evaluation"), 0, "{said}");
        assert_eq!(program.count("step"), 30, "{said}");
        assert_eq!(program.count("step/forward"), 30, "{said}");
        assert_eq!(
            program.total("step/forward"),
            30 * (AUGMENT + FORWARD),
            "{said}"
        );
        let step = AUGMENT + OUTSIDE + FORWARD + BACKWARD + STEP;
        assert_eq!(
            program.total("step"),
            30 * step + program.total("step/data"),
            "{said}"
        );
    }
}

#[test]
fn a_zero_grad_between_the_prepared_batch_and_its_forward_changes_nothing() {
    let program = Program::new();
    for _ in 0..30 {
        program.call(loss(AUGMENT));
        program.zero_grad();
        program.forward();
        program.backward();
        program.step();
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.count("step"), 30);
    assert_eq!(program.total("step/forward"), 30 * (AUGMENT + FORWARD));
}

#[test]
fn a_module_that_prepares_what_is_evaluated_is_in_its_evaluation() {
    let program = Program::new();
    for _ in 0..10 {
        program.call(loss(AUGMENT));
        program.other(OUTSIDE);
        let _no = program.no_grad();
        program.call(evaluating(FORWARD));
        program.other(100_000);
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 10);
    assert_eq!(
        program.total("evaluation"),
        10 * (AUGMENT + OUTSIDE + FORWARD)
    );
}

/// The size of what it makes is asked for before anything else.
#[test]
fn a_module_that_is_tried_out_long_before_the_training_is_in_no_step() {
    for has_loader in [false, true] {
        let program = Program::new();
        program.call(loss(AUGMENT));
        program.other(2_000_000);
        for _ in program.rounds(5, has_loader) {
            program.forward();
            program.backward();
            program.step();
        }
        program.finish();
        assert_eq!(program.count("evaluation"), 1, "{has_loader}");
        assert_eq!(program.total("evaluation"), AUGMENT, "{has_loader}");
        assert_eq!(program.count("step"), 5, "{has_loader}");
        assert_eq!(program.total("step/forward"), 5 * FORWARD, "{has_loader}");
        assert!(program.total("step") < 1_000_000, "{has_loader}");
    }
}
