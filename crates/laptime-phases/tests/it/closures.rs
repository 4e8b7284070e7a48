//! What an optimizer's closure does stands beside the optimizer's span, which is cut around it.

use crate::program::{BACKWARD, FORWARD, OUTSIDE, Program, STEP, ZERO, loss};

/// Nothing of the closure lies inside the optimizer's span.
fn stands_beside(program: &Program) -> bool {
    let mut paths = program.paths().into_iter();
    paths.all(|path| !path.starts_with("step/optimizer/"))
}

#[test]
fn a_closure_gives_forward_and_backward_beside_the_optimizer() {
    let program = Program::new();
    let closure = || {
        program.zero_grad();
        program.forward();
        program.backward();
    };
    for _ in program.loader(2).pass() {
        program.step_around(STEP, false, || {
            closure();
            closure();
        });
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/optimizer"), 2);
    assert_eq!(program.total("step/forward"), 4 * FORWARD);
    assert_eq!(program.total("step/backward"), 4 * BACKWARD);
    // The update, and the rest of its closure.
    assert_eq!(program.total("step/optimizer"), 2 * STEP + 4 * ZERO);
    assert!(stands_beside(&program), "{:?}", program.paths());
}

#[test]
fn a_closure_without_a_loader_opens_its_step_itself() {
    let program = Program::new();
    for _ in 0..3 {
        program.step_around(STEP, false, || {
            program.forward();
            program.backward();
        });
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/forward"), 3);
    assert!(stands_beside(&program), "{:?}", program.paths());
}

#[test]
fn model_and_loss_inside_a_closure_are_one_forward_an_evaluation() {
    let program = Program::new();
    let closure = || {
        program.zero_grad();
        program.forward();
        program.forward();
        program.backward();
    };
    for _ in program.loader(2).pass() {
        program.step_around(STEP, false, || {
            closure();
            closure();
            closure();
        });
    }
    assert_eq!(program.count("step/forward"), 6);
    assert_eq!(program.count("step/backward"), 6);
    assert_eq!(program.total("step/forward"), 12 * FORWARD);
    assert!(stands_beside(&program), "{:?}", program.paths());
}

#[test]
fn a_lap_of_the_users_that_is_open_in_the_closure_keeps_what_is_in_it() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.step_around(STEP, false, || {
            let _lap = program.lap("mine");
            program.forward();
            program.call(loss(2));
            program.backward();
        });
    }
    assert_eq!(program.count("step/optimizer"), 2);
    assert_eq!(program.count("step/optimizer/mine/forward"), 2);
    let forward = program.total("step/optimizer/mine/forward");
    assert_eq!(forward, 2 * (FORWARD + 2));
    assert_eq!(program.total("step/optimizer/mine/backward"), 2 * BACKWARD);
    let optimizer = 2 * (STEP + FORWARD + 2 + BACKWARD);
    assert_eq!(program.total("step/optimizer"), optimizer);
}

#[test]
fn a_lap_around_a_closure_s_forward_that_ended_is_inside_the_optimizer_and_the_rest_beside() {
    let program = Program::new();
    program.step_around(STEP, false, || {
        {
            let _lap = program.lap("mine");
            program.forward();
        }
        program.backward();
        program.other(OUTSIDE);
    });
    assert_eq!(program.total("step/optimizer/mine/forward"), FORWARD);
    assert_eq!(program.total("step/backward"), BACKWARD);
    let optimizer = STEP + FORWARD + OUTSIDE;
    assert_eq!(program.total("step/optimizer"), optimizer);
    assert_eq!(program.total("step"), optimizer + BACKWARD);
    assert!(program.script().open_paths().is_empty());
}

/// Lightning's closure: `training_step` logs after the model, then come `zero_grad` and the backward.
#[test]
fn what_a_closure_does_after_its_forward_is_the_step_s() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.step_around(STEP, false, || {
            program.forward();
            program.other(OUTSIDE);
            program.zero_grad();
            program.backward();
        });
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/optimizer"), 3);
    assert_eq!(program.total("step/optimizer"), 3 * (STEP + ZERO));
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
    assert_eq!(program.total("step/backward"), 3 * BACKWARD);
    assert!(stands_beside(&program), "{:?}", program.paths());
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn a_closure_that_ends_after_its_forward_closes_the_step() {
    let program = Program::new();
    for raises in [false, true, false] {
        program.step_around(STEP, raises, || {
            program.zero_grad();
            program.forward();
            program.backward();
            program.forward();
            program.other(OUTSIDE);
        });
    }
    program.finish();
    assert!(program.script().open_paths().is_empty());
    assert_eq!(program.total("step/forward"), 6 * FORWARD);
}
