//! Batches that are fetched ahead: between a forward and its backward, before the update, before the loop.

use crate::program::{BACKWARD, Batches, DATA, FORWARD, Forward, LAST_FETCH, OUTSIDE};
use crate::program::{Program, STEP, ZERO, evaluating, loss};

/// What a batch for the next step is fetched before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Zero,
    Backward,
    Update,
}

const PLACES: [Ahead; 3] = [Ahead::Zero, Ahead::Backward, Ahead::Update];

/// Trains on a batch that was fetched before, and fetches the next one meanwhile.
fn train(program: &Program, batches: &mut Batches, ahead: Ahead) {
    program.forward();
    program.call(loss(2));
    let mut fetch = |place| {
        if ahead == place {
            batches.next();
        }
    };
    fetch(Ahead::Zero);
    program.zero_grad();
    program.other(OUTSIDE);
    fetch(Ahead::Backward);
    program.backward();
    fetch(Ahead::Update);
    program.step();
    program.other(OUTSIDE);
}

fn trained(program: &Program, steps: usize) {
    let count = steps as u64;
    for path in ["step", "step/forward", "step/backward", "step/optimizer"] {
        assert_eq!(program.count(path), steps, "{path}");
    }
    assert_eq!(program.total("step/forward"), count * (FORWARD + 2));
    assert_eq!(program.total("step/backward"), count * BACKWARD);
    assert_eq!(program.total("step/optimizer"), count * (ZERO + STEP));
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.inferred(), 0, "every forward was called");
}

#[test]
fn a_batch_fetched_between_forward_and_update_leaves_the_forward_in_its_step() {
    for ahead in PLACES {
        let program = Program::new();
        let mut batches = program.loader(30).pass();
        batches.next();
        for _ in 0..30 {
            train(&program, &mut batches, ahead);
        }
        program.finish();
        trained(&program, 30);
        assert_eq!(program.count("step/data"), 30, "{ahead:?}");
        assert_eq!(
            program.total("step/data"),
            30 * DATA + LAST_FETCH,
            "{ahead:?}"
        );
        assert_eq!(program.epochs(), 1, "{ahead:?}");
        // What runs between an update and the next forward is in no step.
        let inside = FORWARD + 2 + ZERO + OUTSIDE + BACKWARD + STEP;
        assert_eq!(
            program.total("step"),
            30 * (DATA + inside) + LAST_FETCH,
            "{ahead:?}"
        );
    }
}

#[test]
fn passes_that_are_fetched_ahead_are_an_epoch_each_with_its_steps() {
    for ahead in PLACES {
        let program = Program::new();
        let loader = program.loader(4);
        let mut starts = Vec::new();
        for _ in 0..3 {
            let mut batches = loader.pass();
            batches.next();
            starts.push(program.script().clock() - DATA);
            for _ in 0..4 {
                train(&program, &mut batches, ahead);
            }
        }
        program.finish();
        trained(&program, 12);
        let marks: Vec<u64> = program.script().marks().iter().map(|(_, at)| *at).collect();
        assert_eq!(marks, starts, "{ahead:?}");
    }
}

#[test]
fn micro_batches_that_are_fetched_ahead_stay_in_their_step() {
    let program = Program::new();
    let mut batches = program.loader(12).pass();
    batches.next();
    for index in 0..12 {
        program.forward();
        batches.next();
        program.backward();
        if index % 4 == 3 {
            program.step();
            program.zero_grad();
        }
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 12);
    assert_eq!(program.count("step/forward"), 12);
    assert_eq!(program.count("evaluation"), 0);
}

/// The batch for the next step is there before the validation, and its forward comes after.
#[test]
fn a_validation_between_a_batch_and_its_forward_is_evaluation() {
    for ahead in PLACES {
        let program = Program::new();
        let (train_on, test_on) = (program.loader(8), program.loader(3));
        let mut batches = train_on.pass();
        batches.next();
        for index in 0..8 {
            train(&program, &mut batches, ahead);
            if index % 2 == 1 {
                for _ in test_on.pass() {
                    let _no = program.no_grad();
                    program.call(evaluating(FORWARD));
                }
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 8, "{ahead:?}");
        assert_eq!(
            program.total("step/forward"),
            8 * (FORWARD + 2),
            "{ahead:?}"
        );
        assert_eq!(program.count("step/data"), 8, "{ahead:?}");
        assert_eq!(program.count("evaluation"), 12, "{ahead:?}");
        assert_eq!(program.count("evaluation/data"), 12, "{ahead:?}");
    }
}

/// `accelerate` keeps one batch back, to know the last one.
#[test]
fn a_loader_that_is_one_batch_ahead_has_a_step_for_each_batch() {
    let program = Program::new();
    for _ in 0..2 {
        let mut batches = program.loader(5).pass();
        batches.next();
        for _ in 0..5 {
            batches.next();
            program.train_batch();
        }
    }
    program.finish();
    assert_eq!(program.count("step"), 10);
    assert_eq!(program.count("step/data"), 10);
    assert_eq!(program.count("step/forward"), 10);
    assert_eq!(program.epochs(), 2);
}

/// Two views of one batch, each from a loader of its own: the loss is of both.
#[test]
fn forwards_on_two_loaders_with_a_fetch_between_them_are_one_step_s() {
    let program = Program::new();
    let (one, other) = (program.loader(6), program.loader(6));
    let (mut one, mut other) = (one.pass(), other.pass());
    for _ in 0..6 {
        one.next();
        program.forward();
        other.next();
        program.forward();
        program.backward();
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 6);
    assert_eq!(program.count("step/data"), 12);
    assert_eq!(program.total("step/forward"), 12 * FORWARD);
    assert_eq!(program.count("evaluation"), 0);
}

/// The gradient of a whole pass: a forward for each batch, one backward at the end.
#[test]
fn forwards_of_a_whole_pass_belong_to_the_backward_at_its_end() {
    let program = Program::new();
    for _ in 0..3 {
        for _ in program.loader(5).pass() {
            program.forward();
        }
        program.zero_grad();
        program.backward();
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 15);
    assert_eq!(program.count("step/forward"), 15);
    assert_eq!(program.count("evaluation"), 0);
}

/// A generator's images first, then a batch of real ones, and another network on both.
#[test]
fn a_network_that_is_called_before_the_batch_of_another_one_is_in_the_step() {
    let program = Program::new();
    let mut batches = program.loader(6).pass();
    for _ in 0..6 {
        program.call(Forward {
            number: 1,
            ..Forward::default()
        });
        batches.next();
        program.forward();
        program.backward();
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 6);
    assert_eq!(program.total("step/forward"), 12 * FORWARD);
    assert_eq!(program.count("evaluation"), 0);
}
