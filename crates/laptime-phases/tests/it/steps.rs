//! What a step is: where it opens, what belongs to it, where it closes.

use crate::program::{BACKWARD, DATA, FORWARD, LAST_FETCH, OUTSIDE, Program, STEP, ZERO, loss};

#[test]
fn a_plain_loop_gives_one_step_per_batch_with_its_four_phases() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.train_batch();
        program.other(OUTSIDE);
    }
    assert_eq!(program.count("step"), 3);
    for phase in ["data", "forward", "backward", "optimizer"] {
        assert_eq!(program.count(&format!("step/{phase}")), 3, "{phase}");
    }
    // The wait for the end goes on with the last.
    assert_eq!(program.total("step/data"), 3 * DATA + LAST_FETCH);
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
    assert_eq!(program.total("step/backward"), 3 * BACKWARD);
    assert_eq!(program.total("step/optimizer"), 3 * (ZERO + STEP));
    assert_eq!(program.paths().len(), 5);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn nothing_is_open_between_steps_so_other_work_is_in_no_step() {
    let program = Program::new();
    let start = program.script().clock();
    for _ in program.loader(3).pass() {
        program.train_batch();
        assert!(program.script().open_paths().is_empty());
        program.other(OUTSIDE);
    }
    let steps = program.total("step");
    assert_eq!(
        steps,
        3 * (DATA + ZERO + FORWARD + BACKWARD + STEP) + LAST_FETCH
    );
    assert_eq!(program.script().clock() - start - steps, 3 * OUTSIDE);
}

#[test]
fn zero_grad_after_the_step_reopens_the_same_step() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.forward();
        program.backward();
        program.step();
        program.zero_grad();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/optimizer"), 3);
    assert_eq!(program.total("step/optimizer"), 3 * (STEP + ZERO));
}

#[test]
fn without_a_loader_a_step_begins_with_the_first_work_after_the_last() {
    let program = Program::new();
    for _ in 0..4 {
        program.forward();
        program.backward();
        program.step();
        program.zero_grad();
    }
    program.finish();
    assert_eq!(program.count("step/forward"), 4);
    // A zero_grad after the update is a piece of that step, and leaves nothing open.
    let top = program.top();
    assert_eq!(top.len(), 8);
    assert!(top.iter().all(|span| span.path == "step"), "{top:?}");
    assert_eq!(program.count("step"), 4);
    assert_eq!(top[0].duration, FORWARD + BACKWARD + STEP);
    assert_eq!(top[1].duration, ZERO);
}

#[test]
fn what_follows_a_zero_grad_after_the_update_is_not_in_the_step() {
    for has_loader in [false, true] {
        let program = Program::new();
        for _ in program.rounds(3, has_loader) {
            program.forward();
            program.backward();
            program.step();
            program.zero_grad();
            program.other(1_000);
        }
        program.finish();
        assert_eq!(program.count("step"), 3, "a loader: {has_loader}");
        let work = 3 * (FORWARD + BACKWARD + STEP + ZERO);
        assert_eq!(
            program.total("step"),
            program.total("step/data") + work,
            "a loader: {has_loader}"
        );
    }
}

#[test]
fn after_a_loader_is_exhausted_steps_are_told_by_the_optimizer_again() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.train_batch();
    }
    for _ in 0..3 {
        program.train_batch();
    }
    assert_eq!(program.count("step"), 5);
}

#[test]
fn a_loss_module_goes_on_with_the_forward_of_the_model() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.forward();
        program.call(loss(2));
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step/forward"), 3);
    assert_eq!(program.total("step/forward"), 3 * (FORWARD + 2));
}

#[test]
fn parameters_updated_by_hand_make_a_step_of_every_batch() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in program.loader(3).pass() {
        program.forward();
        program.backward();
    }
    assert_eq!(program.count("step"), 3);
    for _ in 0..3 {
        program.forward();
        program.backward();
    }
    program.finish();
    assert_eq!(program.count("step"), 6);
}

#[test]
fn an_optimizer_stepped_by_hooks_inside_backward_closes_the_step() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.forward();
        program.backward_around(BACKWARD, false, || program.update_inside());
    }
    assert_eq!(program.count("step"), 3);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn updates_out_of_sight_do_not_make_one_endless_step() {
    let program = Program::new();
    for _ in program.loader(1_000).pass() {
        program.forward();
        program.backward();
    }
    program.finish();
    assert_eq!(program.count("step"), 1 + 1_000 - 257);
}

/// A gradient scaler: `unscale_`, a step in which the optimizer's own is, and `update`.
#[test]
fn work_of_a_scaler_around_an_update_is_one_optimizer_span() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.forward();
        program.backward();
        program.zero_grad(); // unscales
        program.step_around(STEP, false, || program.step());
        program.zero_grad(); // updates the scale
    }
    program.finish();
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/optimizer"), 4);
    let optimizer = 4 * (2 * ZERO + 2 * STEP);
    assert_eq!(program.total("step/optimizer"), optimizer);
    assert_eq!(program.paths().len(), 5, "{:?}", program.paths());
}
