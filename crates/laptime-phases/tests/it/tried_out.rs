//! A model that is tried out before its training: an evaluation, which ends with itself.

use crate::program::{DATA, FORWARD, Forward, LAST_FETCH, OUTSIDE, Program, STEP, ZERO};

const SET_UP: u64 = 2_000_000;

/// What follows a dry run, with the set-up that takes long.
fn trains(program: &Program, begins: u64) {
    let mut batches = program.loader(5).pass();
    if begins > 0 {
        batches.begin(begins);
    }
    for _ in batches {
        program.forward();
        program.backward();
        program.step();
        program.zero_grad();
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.count("step/data"), 5);
    assert_eq!(program.count("step/forward"), 5);
    assert_eq!(program.count("step/optimizer"), 5);
    let data = 5 * DATA + LAST_FETCH + begins;
    assert_eq!(program.total("step/data"), data);
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.total("evaluation"), FORWARD);
    assert!(program.total("step") < SET_UP);
}

#[test]
fn a_dry_run_before_a_zero_grad_and_the_data_is_an_evaluation_of_its_own_time() {
    for begins in [0, 400] {
        for zeroes_first in [false, true] {
            let program = Program::new();
            if zeroes_first {
                program.zero_grad();
            }
            program.forward();
            program.other(SET_UP);
            program.zero_grad();
            program.other(OUTSIDE);
            trains(&program, begins);
        }
    }
}

/// What is trained wraps what was tried out (`DataParallel`, `torch.compile`).
#[test]
fn a_dry_run_of_what_is_wrapped_later_is_an_evaluation_where_a_pass_begins_after_it() {
    let program = Program::new();
    program.call(Forward {
        number: 7,
        ..Forward::default()
    });
    program.other(SET_UP);
    program.zero_grad();
    trains(&program, 400);
}

#[test]
fn a_zero_grad_long_before_the_data_makes_no_step_longer() {
    let program = Program::new();
    program.zero_grad();
    program.other(SET_UP);
    for _ in program.loader(5).pass() {
        program.forward();
        program.backward();
        program.step();
        program.zero_grad();
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.count("step/optimizer"), 5);
    assert_eq!(program.total("step/optimizer"), 6 * ZERO + 5 * STEP);
    assert!(program.total("step") < SET_UP);
}
