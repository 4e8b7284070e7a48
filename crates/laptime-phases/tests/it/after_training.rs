//! Forwards in training mode after the last update, with gradients on and no backward to follow.

use crate::program::{BACKWARD, DATA, FORWARD, Forward, OUTSIDE, Program, STEP, ZERO, loss};

/// What a second of the script's takes.
const SECOND: u64 = 1_000_000;

fn trained(program: &Program, has_loader: bool) {
    for _ in program.rounds(3, has_loader) {
        program.train_batch();
    }
    program.other(OUTSIDE);
}

fn steps_are_what_they_were(program: &Program) {
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
    assert_eq!(program.total("step/backward"), 3 * BACKWARD);
    assert_eq!(program.total("step/optimizer"), 3 * (STEP + ZERO));
}

#[test]
fn a_last_forward_is_an_evaluation() {
    for has_loader in [false, true] {
        let program = Program::new();
        trained(&program, has_loader);
        program.forward();
        program.other(SECOND);
        program.finish();
        steps_are_what_they_were(&program);
        assert_eq!(program.count("evaluation"), 1);
        assert_eq!(program.total("evaluation"), FORWARD);
    }
}

#[test]
fn last_forwards_are_an_evaluation_each_without_the_time_between_them() {
    let program = Program::new();
    trained(&program, true);
    for _ in 0..3 {
        program.forward();
        program.call(Forward {
            number: 1,
            ..loss(2)
        });
        program.other(SECOND);
    }
    program.finish();
    steps_are_what_they_were(&program);
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.count("evaluation/forward"), 3);
    assert_eq!(program.total("evaluation"), 3 * (FORWARD + 2));
}

/// `batches = iter(loader)`, `next(batches)` for a number of steps, and the iterator is still there.
#[test]
fn a_last_forward_is_no_piece_of_a_step_whose_pass_could_go_on() {
    let program = Program::new();
    let mut batches = program.loader(10).pass();
    for _ in 0..3 {
        assert!(batches.next().is_some());
        program.train_batch();
    }
    program.forward();
    program.finish();
    steps_are_what_they_were(&program);
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.total("evaluation"), FORWARD);
    assert_eq!(program.total("step/data"), 3 * DATA);
}

/// A training accuracy after each update: `model(inputs).argmax(1) == targets`, with gradients on.
#[test]
fn a_forward_between_an_update_and_the_next_fetch_is_an_evaluation() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.train_batch();
        program.forward();
        program.other(OUTSIDE);
    }
    program.finish();
    steps_are_what_they_were(&program);
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.total("evaluation"), 3 * FORWARD);
}

/// `torch.compile(model)` is trained, and `model` called by itself after each update.
#[test]
fn a_forward_of_what_is_wrapped_is_an_evaluation_too() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.call(Forward {
            number: 1,
            wraps: Some(0),
            ..Forward::default()
        });
        program.backward();
        program.step();
        program.forward();
        program.other(OUTSIDE);
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
    assert_eq!(program.count("evaluation"), 3);
}

#[test]
fn a_forward_before_the_loop_of_a_test_ends_with_itself() {
    let program = Program::new();
    trained(&program, true);
    program.forward();
    program.other(SECOND);
    {
        let _no = program.no_grad();
        for _ in program.loader(2).pass() {
            program.forward();
        }
    }
    program.finish();
    steps_are_what_they_were(&program);
    assert_eq!(program.count("evaluation"), 3);
    assert!(program.total("evaluation") < SECOND);
}
