//! Evaluations that follow each other closely, of a model and of another one that was loaded in between.

use crate::program::{FORWARD, Forward, Module, OUTSIDE, Program, evaluating, loss};

fn model(number: usize) -> Forward {
    Forward {
        number,
        ..evaluating(FORWARD)
    }
}

/// A validation, `Net()` with the best weights, and a test.
#[test]
fn a_model_that_was_made_since_is_another_evaluation() {
    for grad in [false, true] {
        let program = Program::new();
        let _no = (!grad).then(|| program.no_grad());
        program.call(model(1));
        program.call(loss(2));
        program.make_module(2);
        program.other(OUTSIDE);
        program.call(model(2));
        program.call(loss(2));
        assert_eq!(program.count("evaluation"), 2, "{grad}");
        assert_eq!(program.total("evaluation"), 2 * (FORWARD + 2));
    }
}

/// `nn.Softmax(1)(model(x))`, and the model's next layer after that.
#[test]
fn a_module_without_parameters_that_was_made_since_goes_on_with_the_evaluation() {
    let program = Program::new();
    let _no = program.no_grad();
    program.call(model(1));
    program.make_module(7);
    program.call(Forward {
        number: 7,
        module: Module::Loss,
        ..evaluating(2)
    });
    program.call(model(2));
    assert_eq!(program.count("evaluation"), 1);
}

#[test]
fn the_layers_of_a_model_that_was_made_since_are_one_evaluation() {
    let program = Program::new();
    let _no = program.no_grad();
    program.call(model(1));
    for number in [2, 3] {
        program.make_module(number);
    }
    for number in [2, 3] {
        program.call(model(number));
    }
    assert_eq!(program.count("evaluation"), 2);
    for number in [2, 3] {
        program.call(model(number));
    }
    assert_eq!(program.count("evaluation"), 3);
}

#[test]
fn a_model_made_after_a_loop_was_left_is_not_of_its_batch() {
    let program = Program::new();
    let _no = program.no_grad();
    let mut batches = program.loader(5).pass();
    assert!(batches.next().is_some());
    program.call(model(1));
    drop(batches);
    program.call(model(2));
    program.make_module(3);
    program.other(OUTSIDE);
    program.call(model(3));
    program.finish();
    assert_eq!(program.count("evaluation"), 2);
    assert_eq!(program.count("evaluation/data"), 1);
    assert_eq!(program.total("evaluation/forward"), 3 * FORWARD);
    let top = program.top();
    assert_eq!(
        top[1].start - top[0].end(),
        OUTSIDE,
        "loading is in neither"
    );
}

#[test]
fn a_model_made_while_a_loader_is_read_is_evaluated_with_its_batch() {
    let program = Program::new();
    let _no = program.no_grad();
    for _ in program.loader(3).pass() {
        program.call(model(1));
        program.make_module(2);
        program.call(model(2));
    }
    assert_eq!(program.count("evaluation"), 3);
}
