//! Steps of several batches, and batches of several updates.

use crate::program::{BACKWARD, DATA, FORWARD, LAST_FETCH, OUTSIDE, Program, STEP, ZERO};

#[test]
fn accumulated_micro_batches_belong_to_one_step() {
    let program = Program::new();
    for (index, _) in program.loader(8).pass().enumerate() {
        program.forward();
        program.backward();
        if index % 4 == 3 {
            program.step();
            program.zero_grad();
        }
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 8);
    assert_eq!(program.count("step/forward"), 8);
    assert_eq!(program.count("step/optimizer"), 2);
}

#[test]
fn a_rest_of_micro_batches_after_the_loop_closes_with_its_own_step() {
    let program = Program::new();
    for (index, _) in program.loader(6).pass().enumerate() {
        program.forward();
        program.backward();
        if index == 3 {
            program.step();
        }
    }
    program.step();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 6);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn two_optimizers_share_the_step_of_their_batch() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.zero_grad();
        program.forward(); // the discriminator on real images
        program.forward(); // and on generated ones
        program.backward();
        program.step();
        program.other(OUTSIDE);
        program.zero_grad();
        program.forward();
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/optimizer"), 6);
    assert_eq!(program.count("step/forward"), 6);
    assert_eq!(program.total("step/forward"), 9 * FORWARD);
    // Without what ran between the two.
    let one = DATA + 2 * ZERO + 3 * FORWARD + 2 * BACKWARD + 2 * STEP;
    assert_eq!(program.total("step"), 3 * one + LAST_FETCH);
}

#[test]
fn batches_fetched_together_before_their_forwards_are_filed_together() {
    let program = Program::new();
    let mut batches = program.loader(4).pass();
    for _ in 0..2 {
        batches.next();
        batches.next();
        for _ in 0..2 {
            program.forward();
            program.backward();
        }
        program.step();
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 4);
}

#[test]
fn an_update_inside_an_optimizers_work_ends_the_step_and_work_without_one_does_not() {
    let program = Program::new();
    for (batch, _) in program.loader(4).pass().enumerate() {
        program.forward();
        program.zero_grad();
        program.backward();
        program.apply(batch % 2 == 1);
        program.other(OUTSIDE);
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/backward"), 4);
    let optimizer = program.total("step/optimizer");
    assert_eq!(optimizer, 4 * (ZERO + STEP) + 2 * STEP);
}
