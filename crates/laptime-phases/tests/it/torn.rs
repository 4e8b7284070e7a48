//! Laps of the program's own that hold a part of a step each: no step is told, and that is said.

use crate::program::{Forward, Program, loss};

/// So many steps are a training, whose laps are no trial.
const ROUNDS: u32 = 12;

/// Does something inside a lap.
fn within(program: &Program, name: &str, work: impl FnOnce()) {
    let _lap = program.lap(name);
    work();
}

/// A round with a lap around each part of it.
fn in_parts(program: &Program) {
    within(program, "fw", || program.forward());
    within(program, "bw", || program.backward());
    within(program, "upd", || {
        program.step();
        program.zero_grad();
    });
}

#[test]
fn laps_that_hold_parts_of_a_step_are_told() {
    let program = Program::new();
    for _ in 0..ROUNDS {
        in_parts(&program);
    }
    program.finish();
    assert!(!program.torn().is_empty());
    let parts = ["fw", "bw"];
    let is_part = |lap: &String| parts.contains(&lap.as_str());
    assert!(program.torn().iter().all(is_part), "{:?}", program.torn());
    assert_eq!(program.count("step"), 0);
}

#[test]
fn a_lap_around_the_whole_step_tears_nothing_whatever_lies_in_it() {
    for name in ["step", "round"] {
        let program = Program::new();
        for _ in 0..ROUNDS {
            within(&program, name, || in_parts(&program));
        }
        program.finish();
        if name == "step" {
            assert!(program.torn().is_empty(), "{:?}", program.torn());
            assert_eq!(program.count("step"), ROUNDS as usize);
            assert_eq!(program.count("step/fw/forward"), ROUNDS as usize);
        } else {
            assert!(!program.torn().is_empty(), "laps in it hold its parts");
        }
    }
}

/// `with record_function("model_inference"):` around the model, as tutorials have it.
#[test]
fn a_lap_around_the_model_alone_is_told_where_a_loss_follows_it() {
    let program = Program::new();
    for _ in 0..ROUNDS {
        within(&program, "inference", || program.forward());
        program.call(loss(2));
        program.zero_grad();
        program.backward();
        program.step();
    }
    program.finish();
    assert!(program.torn().contains(&"inference".to_owned()));
}

#[test]
fn laps_named_like_the_phases_are_the_whole_table_and_tear_nothing() {
    let program = Program::new();
    for _ in 0..ROUNDS {
        within(&program, "forward", || {
            within(&program, "model", || program.call(Forward::default()));
            program.call(loss(2));
        });
        within(&program, "backward", || {
            program.zero_grad();
            program.backward();
        });
        within(&program, "optimizer", || program.step());
    }
    program.finish();
    assert!(program.torn().is_empty(), "{:?}", program.torn());
    let paths = ["backward", "forward", "forward/model", "optimizer"];
    assert_eq!(program.paths(), paths);
    for path in paths {
        assert_eq!(program.count(path), ROUNDS as usize, "{path}");
    }
}

#[test]
fn one_step_that_is_tried_out_says_nothing_of_the_training() {
    let program = Program::new();
    within(&program, "try", || program.forward());
    program.backward();
    for _ in 0..ROUNDS {
        program.forward();
        program.backward();
        program.step();
    }
    program.finish();
    assert!(program.torn().is_empty(), "{:?}", program.torn());
}

/// The step went on outside of its lap, and nothing of it is left: the next is whole.
#[test]
fn a_step_that_was_updated_in_its_lap_is_whole() {
    let program = Program::new();
    for _ in 0..ROUNDS {
        within(&program, "round", || {
            program.forward();
            program.backward();
            program.step();
        });
        program.zero_grad();
    }
    program.finish();
    assert!(program.torn().is_empty(), "{:?}", program.torn());
}
