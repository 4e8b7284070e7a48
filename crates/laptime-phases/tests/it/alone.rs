//! Forwards without a loader: many before a backward, and those that no backward follows.

use crate::program::{BACKWARD, FORWARD, Forward, Module, OUTSIDE, Program, STEP, ZERO, loss};

/// A policy gradient: the backward comes at the end of an episode.
#[test]
fn all_forwards_before_a_backward_are_its_step_s_however_many() {
    for forwards in [1, 64, 65, 100, 5_000] {
        let program = Program::new();
        for _ in 0..3 {
            for _ in 0..forwards {
                program.forward();
                program.other(OUTSIDE);
            }
            program.zero_grad();
            program.backward();
            program.step();
        }
        assert_eq!(program.count("step"), 3, "{forwards}");
        assert_eq!(program.count("step/forward"), 3, "{forwards}");
        assert_eq!(program.total("step/forward"), 3 * forwards * FORWARD);
        assert_eq!(program.count("evaluation"), 0, "{forwards}");
    }
}

#[test]
fn forwards_without_gradients_leave_the_first_step_its_forward() {
    let program = Program::new();
    for _ in 0..100 {
        let _no = program.no_grad();
        program.forward();
    }
    for _ in 0..3 {
        program.forward();
        program.call(loss(2));
        program.backward();
        program.step();
        program.zero_grad();
    }
    assert_eq!(program.count("evaluation"), 100);
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 3 * (FORWARD + 2));
    assert_eq!(program.total("step/optimizer"), 3 * (STEP + ZERO));
}

/// A service that never switches gradients off.
#[test]
fn forwards_with_gradients_that_no_backward_ever_follows_are_an_evaluation_each() {
    let program = Program::new();
    let calls = 20_000;
    for _ in 0..calls {
        program.forward();
        program.other(OUTSIDE);
    }
    program.finish();
    assert_eq!(program.count("evaluation"), calls);
    assert_eq!(program.count("evaluation/forward"), calls);
    assert_eq!(program.total("evaluation"), calls as u64 * FORWARD);
    assert_eq!(program.count("step"), 0);
    // A training that begins after all that is one.
    program.backward();
    program.step();
    program.forward();
    program.backward();
    program.step();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.total("step/forward"), FORWARD);
    assert_eq!(program.total("step/backward"), 2 * BACKWARD);
}

/// A second of the script's is a million ticks.
const SECOND: u64 = 1_000_000;

#[test]
fn a_service_is_told_after_a_minute_and_an_episode_that_is_longer_is_learned() {
    let program = Program::new();
    for _ in 0..70 {
        program.forward();
        program.other(SECOND);
    }
    assert_eq!(
        program.count("evaluation"),
        70,
        "it is not waited for longer"
    );
    for _ in 0..2 {
        program.backward();
        program.step();
        for _ in 0..70 {
            program.forward();
            program.other(SECOND);
        }
    }
    program.backward();
    program.step();
    assert_eq!(program.count("evaluation"), 70);
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 2 * 70 * FORWARD);
}

#[test]
fn a_loss_after_the_model_goes_on_with_the_evaluation() {
    for grad in [false, true] {
        let program = Program::new();
        let model = Forward {
            training: false,
            ..Forward::default()
        };
        let no_grad = (!grad).then(|| program.no_grad());
        for _ in 0..5 {
            program.call(model);
            program.other(OUTSIDE);
            program.call(Forward {
                training: false,
                ..loss(2)
            });
        }
        drop(no_grad);
        assert_eq!(program.count("evaluation"), 5);
        assert_eq!(program.count("evaluation/forward"), 5);
        assert_eq!(program.total("evaluation/forward"), 5 * (FORWARD + 2));
    }
}

#[test]
fn two_models_after_each_other_are_two_evaluations() {
    let program = Program::new();
    let frozen = Forward {
        module: Module::Frozen,
        ..Forward::default()
    };
    let _no = program.no_grad();
    for _ in 0..3 {
        program.call(frozen);
        program.forward();
    }
    assert_eq!(program.count("evaluation"), 6);
}

#[test]
fn a_model_without_parameters_is_an_evaluation_each_time_that_it_is_not_a_loss() {
    let program = Program::new();
    let _no = program.no_grad();
    program.call(loss(2));
    {
        let _lap = program.lap("elsewhere");
        program.call(loss(2));
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.count("elsewhere/evaluation"), 1);
}

fn layer(number: usize, took: u64) -> Forward {
    Forward {
        took,
        number,
        ..Forward::default()
    }
}

/// `model.decode(z)`, which calls the model's layers, not the model.
#[test]
fn layers_that_are_called_one_after_the_other_are_one_evaluation() {
    let program = Program::new();
    for _ in 0..10 {
        let _no = program.no_grad();
        for number in 0..3 {
            program.call(layer(number, FORWARD));
            program.other(OUTSIDE);
        }
    }
    assert_eq!(program.count("evaluation"), 10);
    assert_eq!(program.count("evaluation/forward"), 10);
    assert_eq!(program.total("evaluation"), 10 * 3 * FORWARD);
}

/// `generate`, and every loop over requests.
#[test]
fn calls_of_the_same_module_are_an_evaluation_each() {
    let program = Program::new();
    let _no = program.no_grad();
    for _ in 0..10 {
        program.forward();
    }
    assert_eq!(program.count("evaluation"), 10);
}

#[test]
fn another_module_that_is_called_much_later_is_another_evaluation() {
    let program = Program::new();
    let _no = program.no_grad();
    for number in 0..10 {
        program.call(layer(number, FORWARD));
        program.other(SECOND);
    }
    assert_eq!(program.count("evaluation"), 10);
}

/// The loss raised, or what the program does between forward and backward.
#[test]
fn a_forward_after_a_step_that_an_error_ended_is_a_step_cut_short() {
    let program = Program::new();
    for _ in 0..5 {
        program.forward();
        program.backward();
        program.step();
        program.zero_grad();
    }
    program.forward();
    program.call(loss(2));
    program.other(OUTSIDE);
    program.fail();
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/forward"), 6 * FORWARD + 2);
}

#[test]
fn weights_that_are_updated_by_hand_have_a_last_step_cut_short_too() {
    let program = Program::new();
    for _ in 0..5 {
        program.forward();
        program.backward();
    }
    program.forward();
    program.fail();
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.count("step"), 1);
}

#[test]
fn an_error_makes_no_step_of_a_program_that_never_trained() {
    for forwards in [1, 5] {
        let program = Program::new();
        for _ in 0..forwards {
            program.forward();
        }
        program.fail();
        assert_eq!(program.count("evaluation"), forwards);
        assert_eq!(program.count("step"), 0);
    }
}

#[test]
fn an_error_makes_no_step_of_answers_after_the_last_one() {
    let program = Program::new();
    program.forward();
    program.backward();
    program.step();
    for _ in 0..3 {
        program.forward();
    }
    program.fail();
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.count("step"), 1);
}
