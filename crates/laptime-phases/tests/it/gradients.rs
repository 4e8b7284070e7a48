//! Gradients that are asked for and handed back, instead of being left with the parameters.

use crate::program::{BACKWARD, FORWARD, OUTSIDE, Program, STEP, evaluating, loss};

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

/// `net.forward(x)` in a loop with a loader: no module is called.
#[test]
fn from_the_batch_to_the_gradient_is_a_forward_that_no_call_told() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.other(40);
        program.backward();
        program.other(3);
        program.step();
        program.zero_grad();
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/forward"), 4);
    assert_eq!(program.total("step/forward"), 4 * 40);
    assert_eq!(program.inferred(), 4);
}

/// Functions and tensors alone: zeroed before the loss, or after the update.
#[test]
fn from_the_last_update_or_zeroing_to_the_gradient_is_a_forward_too() {
    for zero_first in [true, false] {
        let program = Program::new();
        for _ in 0..200 {
            if zero_first {
                program.zero_grad();
            }
            program.other(40);
            program.backward();
            program.step();
            if !zero_first {
                program.zero_grad();
            }
        }
        assert_eq!(program.count("step"), 200, "{zero_first}");
        assert_eq!(program.count("step/backward"), 200, "{zero_first}");
        // What came before the first zeroing nobody knows.
        let told = if zero_first { 200 } else { 199 };
        assert_eq!(program.count("step/forward"), told, "{zero_first}");
        assert_eq!(
            program.total("step/forward"),
            told as u64 * 40,
            "{zero_first}"
        );
        assert_eq!(program.count("evaluation"), 0, "{zero_first}");
    }
}

#[test]
fn micro_batches_have_a_forward_each_that_no_call_told() {
    let program = Program::new();
    let loader = program.loader(6);
    for (index, _) in loader.pass().enumerate() {
        program.other(40);
        program.backward();
        if index % 2 == 1 {
            program.step();
        }
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 6 * 40);
}

#[test]
fn where_a_module_was_called_nothing_is_inferred() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.other(OUTSIDE);
        program.forward();
        program.other(OUTSIDE);
        program.zero_grad();
        program.other(OUTSIDE);
        program.backward();
        program.other(OUTSIDE);
        program.backward();
        program.step();
    }
    assert_eq!(program.total("step/forward"), 4 * FORWARD);
    assert_eq!(program.inferred(), 0);
}

#[test]
fn laps_of_the_user_s_in_between_tell_enough() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        {
            let _lap = program.lap("attention");
            program.other(40);
        }
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step/attention"), 4);
    assert_eq!(program.count("step/forward"), 0);
    assert_eq!(program.inferred(), 0);
}

/// Two losses of one batch, each with an optimizer of its own.
#[test]
fn a_second_update_of_the_same_batch_has_its_forward() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.forward();
        program.backward();
        program.step();
        program.other(OUTSIDE);
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.total("step/forward"), 4 * FORWARD);
    assert_eq!(program.inferred(), 0);
}

/// A saliency map, or an attack: of an evaluation that is one forward, without a loader.
#[test]
fn gradients_of_what_is_only_looked_at_go_on_with_their_evaluation() {
    let program = Program::new();
    for _ in 0..20 {
        program.call(evaluating(FORWARD));
        program.gradient_of(false);
        program.other(OUTSIDE);
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 20);
    assert_eq!(program.total("evaluation/forward"), 20 * FORWARD);
    assert_eq!(program.total("evaluation/backward"), 20 * BACKWARD);
    assert_eq!(program.count("step"), 0);
    assert_eq!(program.total("evaluation"), 20 * (FORWARD + BACKWARD));
}

#[test]
fn a_gradient_long_after_an_evaluation_is_no_part_of_it() {
    let program = Program::new();
    program.call(evaluating(FORWARD));
    {
        let _lap = program.lap("other work");
    }
    program.gradient_of(false);
    program.finish();
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.count("evaluation/backward"), 0);
}
