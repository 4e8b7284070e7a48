//! What evaluation is, and that it is never inside a step.

use crate::program::{DATA, FORWARD, Forward, LAST_FETCH, OUTSIDE, Program, STEP, ZERO};
use crate::program::{evaluating, loss};

fn evaluated(program: &Program, batches: usize) {
    for path in ["evaluation", "evaluation/data", "evaluation/forward"] {
        assert_eq!(program.count(path), batches, "{path}");
    }
    let paths = program.paths();
    let is_inside = |path: &String| path.starts_with("step") && path.contains("evaluation");
    assert!(!paths.iter().any(is_inside), "{paths:?}");
}

fn has_no_step(program: &Program) {
    let paths = program.paths();
    assert!(
        !paths.iter().any(|path| path.starts_with("step")),
        "{paths:?}"
    );
}

#[test]
fn a_loop_inside_no_grad_is_evaluation() {
    let program = Program::new();
    {
        let _no = program.no_grad();
        for _ in program.loader(3).pass() {
            program.call(evaluating(FORWARD));
        }
    }
    evaluated(&program, 3);
    has_no_step(&program);
}

#[test]
fn no_grad_inside_the_loop_is_evaluation_from_the_first_batch_on() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        let _no = program.no_grad();
        program.call(evaluating(FORWARD));
    }
    evaluated(&program, 3);
    has_no_step(&program);
    assert_eq!(program.total("evaluation/data"), 3 * DATA + LAST_FETCH);
}

#[test]
fn a_model_in_evaluation_mode_without_no_grad_is_evaluation() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.call(evaluating(FORWARD));
    }
    evaluated(&program, 3);
}

#[test]
fn a_forward_in_training_mode_without_a_backward_was_evaluation() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        program.forward();
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 4);
    assert_eq!(program.count("step"), 0);
    assert_eq!(program.count("evaluation/data"), 4);
    assert_eq!(program.count("evaluation/forward"), 4);
    assert_eq!(
        program.paths(),
        ["evaluation", "evaluation/data", "evaluation/forward"]
    );
}

#[test]
fn evaluation_between_epochs_is_never_inside_a_step() {
    let program = Program::new();
    let (train, test) = (program.loader(2), program.loader(3));
    for _ in 0..2 {
        for _ in train.pass() {
            program.train_batch();
        }
        for _ in test.pass() {
            let _no = program.no_grad();
            program.call(evaluating(FORWARD));
            program.call(loss(2));
        }
    }
    evaluated(&program, 6);
    assert_eq!(program.count("step"), 4);
}

#[test]
fn the_training_loader_read_for_evaluation_is_filed_under_evaluation() {
    let program = Program::new();
    let train = program.loader(3);
    for _ in 0..2 {
        for _ in train.pass() {
            program.train_batch();
        }
        for _ in train.pass() {
            let _no = program.no_grad();
            program.call(evaluating(FORWARD));
        }
    }
    evaluated(&program, 6);
    assert_eq!(program.count("step"), 6);
    assert_eq!(program.count("step/data"), 6);
    assert_eq!(program.script().marks().len(), 2);
}

#[test]
fn validation_in_the_middle_of_an_epoch_is_outside_the_steps() {
    let program = Program::new();
    let (train, test) = (program.loader(4), program.loader(2));
    for _ in train.pass() {
        program.train_batch();
        {
            let _no = program.no_grad();
            for _ in test.pass() {
                program.call(evaluating(FORWARD));
            }
        }
        program.zero_grad();
    }
    evaluated(&program, 8);
    assert_eq!(program.count("step/forward"), 4);
}

#[test]
fn a_loss_outside_no_grad_does_not_make_a_step_of_an_evaluation() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        {
            let _no = program.no_grad();
            program.call(evaluating(FORWARD));
        }
        program.call(loss(2));
    }
    evaluated(&program, 3);
    has_no_step(&program);
}

#[test]
fn a_transform_before_the_model_tells_nothing() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.call(loss(2));
        let _no = program.no_grad();
        program.call(evaluating(FORWARD));
    }
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.count("evaluation/data"), 3);
}

#[test]
fn inference_without_a_loader_is_one_evaluation_per_forward() {
    let program = Program::new();
    {
        let _no = program.no_grad();
        for _ in 0..3 {
            program.forward();
            program.other(OUTSIDE);
        }
    }
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.total("evaluation"), 3 * FORWARD);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn a_loop_left_early_closes_at_the_next_fetch() {
    let program = Program::new();
    let (test, train) = (program.loader(5), program.loader(2));
    {
        let _no = program.no_grad();
        let mut batches = test.pass();
        assert!(batches.next().is_some());
        program.call(evaluating(FORWARD));
    }
    for _ in train.pass() {
        program.train_batch();
    }
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.count("step"), 2);
}

#[test]
fn forward_with_gradients_then_a_gradient_of_the_input_stays_evaluation() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.call(evaluating(FORWARD));
        program.gradient();
    }
    assert_eq!(program.count("evaluation"), 3);
    assert_eq!(program.count("evaluation/backward"), 3);
}

#[test]
fn many_forwards_of_one_evaluation_are_held_back_to_a_bound() {
    let program = Program::new();
    {
        let _no = program.no_grad();
        for _ in program.loader(1).pass() {
            for _ in 0..3_000 {
                program.call(evaluating(FORWARD));
            }
        }
    }
    assert_eq!(program.total("evaluation/forward"), 3_000 * FORWARD);
}

#[test]
fn a_target_network_without_a_loader_is_evaluation_unless_a_step_is_open() {
    let program = Program::new();
    let target_network = |took| {
        let _no = program.no_grad();
        program.call(Forward {
            took,
            ..Forward::default()
        });
    };
    for _ in 0..3 {
        target_network(11);
        program.forward();
        target_network(13);
        program.backward();
        program.step();
    }
    assert_eq!(program.total("evaluation/forward"), 3 * 11);
    assert_eq!(program.total("step/forward"), 3 * (13 + FORWARD));
}

#[test]
fn units_never_overlap() {
    let program = Program::new();
    let (train, test) = (program.loader(3), program.loader(2));
    program.script().never_stands_still();
    // As a variable of the program's does, it holds each pass until the next is made.
    let mut validation = None;
    for _ in 0..2 {
        for _ in train.pass() {
            program.train_batch();
            program.zero_grad();
        }
        let batches = validation.insert(test.pass());
        batches.begin(OUTSIDE);
        let _no = program.no_grad();
        assert!(batches.next().is_some());
        program.call(evaluating(FORWARD));
    }
    program.forward();
    program.forward();
    program.finish();
    for pair in program.top().windows(2) {
        assert!(pair[0].end() <= pair[1].start, "{pair:?}");
    }
}

#[test]
fn work_of_an_optimizer_before_a_validation_is_of_the_step_after_it() {
    let program = Program::new();
    program.zero_grad();
    {
        let _no = program.no_grad();
        for _ in program.loader(2).pass() {
            program.forward();
        }
    }
    for _ in program.loader(2).pass() {
        program.train_batch();
    }
    assert_eq!(program.count("evaluation"), 2);
    assert_eq!(program.count("evaluation/data"), 2);
    assert!(!program.paths().contains(&"evaluation/optimizer".to_owned()));
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/optimizer"), 2);
    assert_eq!(program.total("step/optimizer"), 3 * ZERO + 2 * STEP);
}
