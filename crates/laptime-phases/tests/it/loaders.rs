//! What the batches of a loader are for, and what of it is an epoch.

use crate::program::{DATA, Forward, LAST_FETCH, OUTSIDE, Program};

#[test]
fn loaders_read_side_by_side_feed_one_step_and_one_row_of_epochs() {
    let program = Program::new();
    let (labelled, unlabelled) = (program.loader(3), program.loader(3));
    for _ in 0..2 {
        for _ in labelled.pass().zip(unlabelled.pass()) {
            program.train_batch();
        }
    }
    assert_eq!(program.count("step"), 6);
    assert_eq!(program.count("step/data"), 12);
    assert_eq!(program.script().marks().len(), 2);
}

#[test]
fn a_batch_looked_at_long_before_training_is_no_step() {
    let program = Program::new();
    let loader = program.loader(2);
    let mut looked_at = loader.pass();
    looked_at.next();
    program.other(1_000_000);
    for _ in loader.pass() {
        program.train_batch();
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.total("loading"), DATA);
    assert_eq!(program.total("loading/data"), DATA);
}

#[test]
fn a_pass_over_a_loader_without_a_model_is_loading() {
    let program = Program::new();
    for _ in program.loader(5).pass() {
        program.other(OUTSIDE);
    }
    assert_eq!(program.paths(), ["loading", "loading/data"]);
    assert_eq!(program.count("loading/data"), 5);
}

#[test]
fn a_loader_without_batches_is_loading() {
    let program = Program::new();
    for _ in 0..2 {
        assert_eq!(program.loader(0).pass().next(), None);
    }
    assert_eq!(program.paths(), ["loading", "loading/data"]);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn an_epoch_is_marked_at_each_iteration_of_the_training_loader() {
    let program = Program::new();
    let (train, test) = (program.loader(2), program.loader(2));
    for _ in 0..3 {
        for _ in train.pass() {
            program.train_batch();
        }
        let _no_grad = program.no_grad();
        for _ in test.pass() {
            program.forward();
        }
    }
    assert_eq!(program.epochs(), 3);
    assert_eq!(program.script().marks().len(), 3);
}

#[test]
fn the_end_of_training_goes_on_with_a_step_even_after_a_validation() {
    let program = Program::new();
    let (train, test) = (program.loader(2), program.loader(2));
    for _ in train.pass() {
        program.train_batch();
        let _no_grad = program.no_grad();
        for _ in test.pass() {
            program.call(Forward {
                training: false,
                ..Forward::default()
            });
        }
    }
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 2);
    assert_eq!(program.count("evaluation"), 4);
    assert_eq!(program.count("evaluation/data"), 4);
    assert_eq!(program.total("step/data"), 2 * DATA + LAST_FETCH);
    assert_eq!(program.total("evaluation/data"), 4 * DATA + 2 * LAST_FETCH);
}
