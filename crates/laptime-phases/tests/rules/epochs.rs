//! What an epoch is: a pass over the training data, marked where its first step begins.

use crate::program::{Forward, Program};

#[test]
fn a_peek_at_the_loader_is_no_epoch() {
    let looks: [fn(&Program); 4] = [
        |_| (),
        |program| program.forward(),
        |program| {
            let _no = program.no_grad();
            program.call(Forward {
                training: false,
                ..Forward::default()
            });
        },
        Program::train_batch,
    ];
    for look in looks {
        let program = Program::new();
        let loader = program.loader(4);
        for _ in 0..3 {
            assert!(loader.pass().next().is_some());
            look(&program);
            for _ in loader.pass() {
                program.train_batch();
            }
        }
        assert_eq!(program.epochs(), 3);
    }
}

#[test]
fn a_loader_of_one_batch_has_an_epoch_for_each_pass() {
    let program = Program::new();
    let loader = program.loader(1);
    for _ in 0..3 {
        for _ in loader.pass() {
            program.train_batch();
        }
    }
    assert_eq!((program.epochs(), program.count("step")), (3, 3));
}

#[test]
fn an_epoch_is_marked_where_its_first_step_begins() {
    let program = Program::new();
    let loader = program.loader(3);
    for _ in 0..2 {
        for _ in loader.pass() {
            program.train_batch();
        }
    }
    let steps = program.top();
    let whole: Vec<u64> = steps
        .iter()
        .filter(|step| step.counts())
        .map(|step| step.start)
        .collect();
    let marks: Vec<u64> = program
        .script()
        .marks()
        .into_iter()
        .map(|(_, at)| at)
        .collect();
    assert_eq!(marks, [whole[0], whole[3]]);
}

#[test]
fn a_pass_that_is_evaluated_is_no_epoch() {
    let program = Program::new();
    let loader = program.loader(3);
    let _no = program.no_grad();
    for _ in loader.pass() {
        program.forward();
    }
    assert_eq!((program.epochs(), program.count("evaluation")), (0, 3));
}

#[test]
fn a_batch_that_is_trained_on_many_times_is_no_epoch() {
    let program = Program::new();
    assert!(program.loader(3).pass().next().is_some());
    for _ in 0..5 {
        program.train_batch();
    }
    assert_eq!((program.epochs(), program.count("step")), (0, 5));
}
