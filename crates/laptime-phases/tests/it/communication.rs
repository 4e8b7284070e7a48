//! Processes that exchange data: a part of what it is done for, and a sign of nothing.

use crate::program::{
    BACKWARD, DATA, FORWARD, Forward, LAST_FETCH, OUTSIDE, Program, STEP, ZERO, loss,
};

const EXCHANGE: u64 = 9;

#[test]
fn an_exchange_inside_a_phase_is_a_part_of_it() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.zero_grad();
        program.call_around(Forward::default(), || program.exchange(EXCHANGE));
        program.backward_around(BACKWARD, false, || program.exchange(EXCHANGE));
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 3 * (FORWARD + EXCHANGE));
    assert_eq!(program.total("step/forward/communication"), 3 * EXCHANGE);
    assert_eq!(program.total("step/backward/communication"), 3 * EXCHANGE);
    assert_eq!(program.total("step/optimizer"), 3 * (STEP + ZERO));
}

/// Gradients that are averaged by hand.
#[test]
fn an_exchange_between_phases_is_one_of_its_step() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.zero_grad();
        program.forward();
        program.backward();
        for _ in 0..3 {
            program.exchange(EXCHANGE);
        }
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/communication"), 12);
    assert_eq!(program.total("step/communication"), 12 * EXCHANGE);
    assert_eq!(program.total("step/backward"), 4 * BACKWARD);
}

#[test]
fn an_exchange_tells_nothing_about_what_is_around_it() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.zero_grad();
        program.exchange(EXCHANGE);
        program.forward();
        program.exchange(EXCHANGE);
        program.call(loss(2)); // goes on with the same forward
        program.backward();
        program.step();
    }
    {
        let _without = program.no_grad();
        for _ in program.loader(3).pass() {
            program.forward();
            program.exchange(EXCHANGE);
        }
    }
    program.finish();
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("step/forward"), 4);
    assert_eq!(program.total("step/forward"), 4 * (FORWARD + 2));
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.total("evaluation/communication"), 3 * EXCHANGE);
    assert_eq!(program.epochs(), 1);
}

#[test]
fn an_exchange_of_objects_counts_once() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.forward();
        program.backward();
        program.exchange_around(1, false, || {
            program.exchange(EXCHANGE);
            program.exchange(EXCHANGE);
        });
        program.step();
    }
    assert_eq!(program.count("step/communication"), 2);
    assert_eq!(program.total("step/communication"), 2 * (1 + 2 * EXCHANGE));
}

#[test]
fn exchanges_before_training_are_its_start_and_between_steps_are_rows_of_their_own() {
    let program = Program::new();
    program.exchange(EXCHANGE);
    assert!(program.spans().is_empty());
    for _ in program.loader(2).pass() {
        program.train_batch();
        program.other(OUTSIDE);
        program.exchange(EXCHANGE);
    }
    program.finish();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("communication"), 2);
    assert_eq!(program.total("communication"), 2 * EXCHANGE);
}

/// A loader of several processes may agree on a seed while its iterator is made.
#[test]
fn a_fetch_begins_after_an_exchange_that_came_before_it() {
    let program = Program::new();
    program.train_batch();
    let mut pass = program.loader(1).pass();
    pass.begin_around(OUTSIDE, || program.exchange(EXCHANGE));
    for _ in pass {
        program.train_batch();
    }
    program.finish();
    let data = program.total("step/data");
    assert_eq!(data, OUTSIDE + EXCHANGE + DATA + LAST_FETCH);
    assert_eq!((program.count("step"), program.count("step/data")), (2, 1));
    let top = program.top();
    let overlaps = top.windows(2).any(|pair| pair[0].end() > pair[1].start);
    assert!(!overlaps, "{top:?}");
}

#[test]
fn an_exchange_in_a_step_of_the_user_s_is_a_phase_of_it() {
    let program = Program::new();
    for _ in 0..3 {
        let _step = program.lap("step");
        program.train_batch();
        program.exchange(EXCHANGE);
    }
    assert_eq!(program.count("step/communication"), 3);
    assert_eq!(program.count("step/optimizer"), 3);
}

#[test]
fn a_lap_of_the_user_s_by_its_name_takes_its_place() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.zero_grad();
        program.forward();
        program.backward();
        {
            let _lap = program.lap("communication");
            program.exchange(EXCHANGE);
        }
        program.step();
    }
    assert_eq!(program.count("step/communication"), 2);
    assert!(
        !program
            .paths()
            .contains(&"step/communication/communication".to_owned())
    );
}

/// A group that lost one of its members.
#[test]
fn an_exchange_that_raises_cuts_its_step_short() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.zero_grad();
        program.forward();
        program.backward();
        program.exchange_around(EXCHANGE, true, || ());
    }
    program.finish();
    assert_eq!(program.count("step"), 0);
    assert_eq!(program.count("step/communication"), 0);
    assert_eq!(program.count("step/backward"), 2);
    assert_eq!(program.total("step/communication"), 2 * EXCHANGE);
}

/// Replicas that train on data of their own: gradients go around while others are computed, and
/// the rest of the wait is at the end.
#[test]
fn what_a_backward_waits_for_after_its_last_gradient_is_communication() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.zero_grad();
        program.forward();
        program.backward_around(BACKWARD, false, || {
            let since = program.script().clock();
            program.other(EXCHANGE);
            program.event(|machine| machine.waited_since(since));
        });
        program.step();
    }
    program.finish();
    assert_eq!(program.total("step/backward"), 3 * (BACKWARD + EXCHANGE));
    assert_eq!(program.count("step/backward/communication"), 3);
    assert_eq!(program.total("step/backward/communication"), 3 * EXCHANGE);
}

#[test]
fn a_wait_is_never_longer_than_its_backward_and_never_outside_of_one() {
    let program = Program::new();
    program.forward();
    program.backward_around(BACKWARD, false, || {
        program.event(|machine| machine.waited_since(0));
    });
    program.event(|machine| machine.waited_since(0));
    program.step();
    program.finish();
    assert_eq!(program.total("step/backward/communication"), BACKWARD);
    assert_eq!(program.count("step/backward/communication"), 1);
}

#[test]
fn a_wait_in_a_closure_lies_in_its_backward() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.step_around(STEP, false, || {
            program.forward();
            program.backward_around(BACKWARD, false, || {
                let since = program.script().clock();
                program.other(EXCHANGE);
                program.event(|machine| machine.waited_since(since));
            });
        });
    }
    program.finish();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.total("step/backward/communication"), 2 * EXCHANGE);
}

#[test]
fn an_exchange_whose_end_was_never_told_closes_with_what_comes_next() {
    let program = Program::new();
    program.zero_grad();
    program.event(laptime_phases::Machine::communication_begin);
    program.other(EXCHANGE);
    program.forward();
    program.event(|machine| machine.communication_end(false)); // of nothing
    program.backward();
    program.step();
    program.finish();
    assert_eq!(program.count("step"), 1);
    assert_eq!(program.total("step/forward"), FORWARD);
    assert!(program.script().open_paths().is_empty());
    program.event(laptime_phases::Machine::communication_begin);
    program.zero_grad();
    program.forward();
    program.backward();
    program.step();
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("communication"), 0);
    assert!(program.script().open_paths().is_empty());
}
