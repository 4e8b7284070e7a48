//! Gradients that are asked for and handed back, instead of being left with the parameters.

use crate::program::{BACKWARD, FORWARD, Program, STEP, loss};

#[test]
fn gradients_of_parameters_make_a_step_of_each_update_by_hand() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..200 {
        program.forward();
        program.call(loss(2));
        program.gradient_of(true);
        program.other(4);
    }
    program.finish();
    assert_eq!(program.count("step"), 200);
    assert_eq!(program.count("step/forward"), 200);
    assert_eq!(program.count("step/backward"), 200);
    assert_eq!(program.total("step/forward"), 200 * (FORWARD + 2));
    assert_eq!(program.count("evaluation"), 0);
}

/// Meta-learning: the gradients of inner updates, then one step of the outer optimizer.
#[test]
fn gradients_of_inner_updates_are_in_the_step_of_the_outer_one() {
    let program = Program::new();
    for _ in 0..5 {
        for _ in 0..3 {
            program.forward();
            program.gradient_of(true);
        }
        program.forward();
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.count("step/forward"), 20);
    assert_eq!(program.count("step/backward"), 20);
    assert_eq!(program.total("step/optimizer"), 5 * STEP);
}

/// A penalty on the gradient of the inputs: part of the step, and no update of its own.
#[test]
fn gradients_of_inputs_stay_in_the_step_that_they_are_a_part_of() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.zero_grad();
        program.forward();
        program.gradient_of(false);
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/backward"), 8);
    assert_eq!(program.total("step/backward"), 8 * BACKWARD);
}

#[test]
fn gradients_of_parameters_of_a_loader_s_batches_are_its_steps() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in program.loader(4).pass() {
        program.forward();
        program.gradient_of(true);
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/data"), 4);
    assert_eq!(program.epochs(), 1);
}
