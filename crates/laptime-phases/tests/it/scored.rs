//! Batches that are scored without gradients before they are trained on, by the network itself: hard examples are
//! chosen, labels guessed.

use crate::program::{DATA, FORWARD, Forward, LAST_FETCH, Program, evaluating};

fn scoring(training: bool) -> Forward {
    Forward {
        training,
        ..evaluating(FORWARD)
    }
}

/// A call without gradients.
fn score(program: &Program, call: Forward) {
    let _no = program.no_grad();
    program.call(call);
}

#[test]
fn a_batch_that_its_network_scores_first_is_the_steps_whose_forward_follows() {
    for training in [false, true] {
        let program = Program::new();
        for _ in 0..3 {
            // A new loader for each pass.
            let mut batches = program.loader(4).pass();
            for _ in 0..4 {
                batches.next();
                score(&program, scoring(training));
                program.forward();
                program.zero_grad();
                program.backward();
                program.step();
            }
            batches.next();
        }
        program.finish();
        assert_eq!(program.count("evaluation"), 0, "{training}");
        assert_eq!(program.count("step"), 12, "{training}");
        assert_eq!(program.count("step/data"), 12, "{training}");
        assert_eq!(program.total("step/forward"), 24 * FORWARD, "{training}");
        assert_eq!(program.epochs(), 3, "{training}");
    }
}

#[test]
fn two_loaders_side_by_side_feed_one_step_though_the_second_batch_is_labelled_first() {
    for training in [false, true] {
        let program = Program::new();
        let (labelled, unlabelled) = (program.loader(6), program.loader(6));
        for _ in 0..2 {
            let (mut known, mut unknown) = (labelled.pass(), unlabelled.pass());
            for _ in 0..6 {
                known.next();
                unknown.next();
                score(&program, scoring(training));
                program.forward();
                program.forward();
                program.zero_grad();
                program.backward();
                program.step();
            }
            known.next();
        }
        program.finish();
        assert_eq!(program.count("evaluation"), 0, "{training}");
        assert_eq!(program.count("step"), 12, "{training}");
        let data = 24 * DATA + 2 * LAST_FETCH;
        assert_eq!(program.total("step/data"), data, "{training}");
        assert_eq!(program.total("step/forward"), 36 * FORWARD, "{training}");
        assert_eq!(program.epochs(), 2, "{training}");
    }
}

#[test]
fn a_validation_that_is_left_is_none_of_the_step_that_follows() {
    for left_after in [1, 2, 4] {
        let program = Program::new();
        let (training, validation) = (program.loader(30), program.loader(4));
        let mut batches = training.pass();
        for index in 0..6 {
            batches.next();
            if index % 2 == 0 {
                let mut pass = validation.pass();
                pass.begin(2);
                for _ in 0..left_after {
                    pass.next();
                    score(&program, evaluating(FORWARD));
                }
                if left_after == 4 {
                    pass.next();
                }
                drop(pass);
            }
            program.forward();
            program.backward();
            program.step();
        }
        program.finish();
        assert_eq!(program.count("evaluation"), 3 * left_after, "{left_after}");
        assert_eq!(program.count("step"), 6, "{left_after}");
        assert_eq!(program.total("step/forward"), 6 * FORWARD, "{left_after}");
    }
}
