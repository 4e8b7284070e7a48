//! Units that are set aside, as their operations are counted or they are profiled, and what goes on with them.

use laptime_phases::Machine;

use crate::program::{BACKWARD, FORWARD, Forward, Program, STEP, ZERO, evaluating, loss};

/// A round of a loop that zeroes first and validates last; a part of it may be set aside.
fn round(program: &Program, sets_aside: [bool; 3]) {
    let [zero, training, validation] = sets_aside;
    program.event(|machine| machine.optimizer_begin(false));
    set_aside(program, zero);
    program.other(ZERO);
    program.event(|machine| machine.optimizer_end(false, false));
    program.call_around(Forward::default(), || set_aside(program, training));
    program.backward();
    program.step();
    let _no = program.no_grad();
    program.call_around(evaluating(FORWARD), || set_aside(program, validation));
}

fn set_aside(program: &Program, sets: bool) {
    if sets {
        program.event(Machine::set_aside);
    }
}

#[test]
fn a_zero_grad_after_a_validation_stands_where_its_step_does() {
    for validation in [false, true] {
        let program = Program::new();
        round(&program, [false, true, false]);
        round(&program, [false, false, validation]);
        round(&program, [false; 3]);
        program.zero_grad();
        program.finish();
        assert_eq!(program.count("counted step"), 1);
        assert_eq!(program.count("counted step/optimizer"), 1);
        assert_eq!(program.count("step"), 2);
        assert_eq!(program.count("step/optimizer"), 2);
        let whole = FORWARD + BACKWARD + STEP + ZERO;
        assert_eq!(program.total("counted step"), whole + ZERO);
        assert_eq!(program.total("step"), 2 * whole);
    }
}

/// Its time is made longer and is in no statistics of steps; nor is it a step of its own.
#[test]
fn a_zero_grad_that_is_set_aside_after_a_step_that_was_not_is_a_part() {
    let program = Program::new();
    round(&program, [false; 3]);
    round(&program, [true, true, true]);
    round(&program, [false; 3]);
    program.finish();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/optimizer"), 2);
    assert_eq!(program.count("counted step"), 1);
    assert_eq!(program.count("counted step/optimizer"), 1);
    // The second `zero_grad` is the part, the third goes on with the second step.
    let whole = FORWARD + BACKWARD + STEP + ZERO;
    assert_eq!(program.total("counted step"), whole + ZERO);
    assert_eq!(program.total("step"), 2 * whole - ZERO);
}

#[test]
fn a_loss_after_a_model_goes_on_with_an_evaluation_that_was_set_aside() {
    let program = Program::new();
    let _no = program.no_grad();
    for is_first in [true, false, false] {
        program.call_around(evaluating(FORWARD), || set_aside(&program, is_first));
        program.call(loss(2));
    }
    program.finish();
    assert_eq!(program.count("counted evaluation"), 1);
    assert_eq!(program.count("counted evaluation/forward"), 1);
    assert_eq!(program.total("counted evaluation"), FORWARD + 2);
    assert_eq!(program.count("evaluation"), 2);
    assert_eq!(program.total("evaluation"), 2 * (FORWARD + 2));
}

/// The start of a pass is told under the step's plain name, as a part: counting began after it.
#[test]
fn a_step_that_is_set_aside_has_its_batch_and_leaves_the_start_of_its_pass_behind() {
    let program = Program::new();
    for epoch in 0..2 {
        let mut batches = program.loader(2).pass();
        batches.begin(400);
        for index in batches {
            let is_first = index == 1;
            program.call_around(Forward::default(), || set_aside(&program, is_first));
            program.backward();
            program.step();
        }
        assert_eq!(program.count("counted step"), epoch + 1);
    }
    program.finish();
    assert_eq!(program.count("counted step/data"), 2);
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 2);
    let data = program.total("step/data") + program.total("counted step/data");
    assert_eq!(data, 2 * 400 + 4 * 100 + 2 * 3);
}
