//! Programs that call functions instead of modules, and what they do with gradients.

use crate::program::{BACKWARD, FORWARD, Forward, OUTSIDE, Program, STEP, ZERO, evaluating, loss};

/// No module, no optimizer, no loader: `loss.backward()` and `w -= rate * w.grad`.
#[test]
fn each_gradient_is_a_step_where_weights_are_updated_by_hand_and_no_module_is_called() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..20 {
        program.other(FORWARD);
        program.backward();
        program.other(OUTSIDE);
    }
    program.finish();
    assert_eq!(program.count("step"), 20);
    assert_eq!(program.total("step/backward"), 20 * BACKWARD);
    assert_eq!(
        program.count("step/forward"),
        0,
        "the update isn't told from it"
    );
    assert_eq!(
        program.total("step"),
        20 * BACKWARD + 19 * (FORWARD + OUTSIDE)
    );
}

/// Gradients that are handed back, by `grad()`, are steps as those of `backward()` are.
#[test]
fn each_gradient_of_leaves_is_a_step_where_they_are_updated_by_hand() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..20 {
        program.other(FORWARD);
        program.gradient_of(true);
    }
    program.finish();
    assert_eq!(program.count("step"), 20);
    assert_eq!(program.count("step/backward"), 20);
}

#[test]
fn modules_keep_two_gradients_by_hand_in_one_step() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..20 {
        program.forward();
        program.backward();
        program.backward();
    }
    program.finish();
    assert_eq!(program.count("step"), 20);
    assert_eq!(program.count("step/backward"), 40);
}

/// `torch.func.grad` of a function that calls no module.
#[test]
fn a_function_s_gradient_is_a_step_whose_forward_is_what_came_before_the_engine() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..20 {
        program.function(|| program.other(FORWARD));
        program.other(OUTSIDE);
    }
    program.finish();
    assert_eq!(program.count("step"), 20);
    assert_eq!(program.count("step/forward"), 20);
    assert_eq!(program.total("step/forward"), 20 * FORWARD);
    assert_eq!(program.total("step/backward"), 20 * BACKWARD);
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.inferred(), 20);
}

/// `torch.func.functional_call`: modules without parameters of their own, in evaluation mode.
#[test]
fn modules_that_a_function_calls_are_the_forward_of_its_step() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in program.loader(5).pass() {
        program.function(|| program.call(evaluating(FORWARD)));
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/forward"), 5 * FORWARD);
    assert_eq!(program.total("step/backward"), 5 * BACKWARD);
    assert_eq!(program.count("step/data"), 5);
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.inferred(), 0);
}

#[test]
fn a_function_s_gradient_with_an_optimizer_is_a_part_of_its_step() {
    let program = Program::new();
    for _ in 0..5 {
        program.function(|| program.other(FORWARD));
        program.function(|| program.other(FORWARD));
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/forward"), 10 * FORWARD);
    assert_eq!(program.total("step/backward"), 10 * BACKWARD);
    assert_eq!(program.total("step/optimizer"), 5 * STEP);
}

/// A derivative of a derivative.
#[test]
fn a_function_inside_another_one_is_a_part_of_it() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..5 {
        program.function(|| program.function(|| program.other(FORWARD)));
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/backward"), 10 * BACKWARD);
    assert!(program.script().open_paths().is_empty());
}

/// Another way to the value is tried then.
#[test]
fn a_function_inside_another_one_may_raise_and_the_step_goes_on() {
    let program = Program::new();
    program.updates_by_hand();
    for _ in 0..5 {
        program.function(|| {
            program.function_around(true, || program.other(FORWARD));
            program.other(FORWARD);
        });
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/forward"), 5 * 2 * FORWARD);
    assert_eq!(program.total("step/backward"), 5 * BACKWARD);
}

#[test]
fn a_function_that_raises_leaves_no_step() {
    let program = Program::new();
    program.updates_by_hand();
    for raises in [true, false] {
        program.function_around(raises, || program.forward());
    }
    program.finish();
    assert_eq!(program.count("step"), 1);
    assert!(program.script().open_paths().is_empty());
}

/// LBFGS over tensors: the closure calls no module.
#[test]
fn a_closure_s_forward_is_from_its_zero_grad_to_its_gradient() {
    let program = Program::new();
    for _ in 0..5 {
        program.step_around(STEP, false, || {
            for _ in 0..4 {
                program.zero_grad();
                program.other(FORWARD);
                program.backward();
                program.other(2);
            }
        });
    }
    program.finish();
    assert_eq!(program.count("step"), 5);
    assert_eq!(program.total("step/forward"), 20 * FORWARD);
    assert_eq!(program.total("step/backward"), 20 * BACKWARD);
    assert_eq!(program.total("step/optimizer"), 5 * (STEP + 4 * (ZERO + 2)));
    assert_eq!(program.count("step/optimizer"), 5);
}

/// Lightning's closure: the model, then `zero_grad`, then the backward.
#[test]
fn a_closure_with_a_forward_has_no_second_one_before_its_gradient() {
    let program = Program::new();
    for _ in program.loader(5).pass() {
        program.step_around(STEP, false, || {
            program.forward();
            program.zero_grad();
            program.other(2);
            program.backward();
        });
    }
    program.finish();
    assert_eq!(program.count("step/forward"), 5);
    assert_eq!(program.total("step/forward"), 5 * FORWARD);
    assert_eq!(program.inferred(), 0);
}

/// Gradient surgery: a gradient for each loss of one forward, set aside and zeroed.
#[test]
fn gradients_that_are_set_aside_are_of_the_forward_before() {
    let program = Program::new();
    for _ in program.loader(5).pass() {
        program.forward();
        for _ in 0..3 {
            program.zero_grad();
            program.other(2);
            program.backward();
        }
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step/forward"), 5);
    assert_eq!(program.count("step/backward"), 15);
    assert_eq!(program.inferred(), 0);
}

/// `net.forward(x)` calls an activation, and the loss is a module: neither is the forward.
#[test]
fn a_forward_that_is_called_by_itself_is_told_whole_though_it_calls_modules() {
    let given = Forward {
        is_given_learned: true,
        ..loss(1)
    };
    for (has_loader, has_loss) in [(false, false), (false, true), (true, false), (true, true)] {
        let program = Program::new();
        for _ in program.rounds(20, has_loader) {
            program.zero_grad();
            program.other(FORWARD);
            program.call(given);
            program.other(FORWARD);
            if has_loss {
                program.call(given);
            }
            program.backward();
            program.step();
        }
        program.finish();
        let forward = 2 * FORWARD + 1 + u64::from(has_loss);
        assert_eq!(program.count("step"), 20, "{has_loader} {has_loss}");
        assert_eq!(program.count("evaluation"), 0, "{has_loader} {has_loss}");
        // Without a loader nothing tells where the first forward began.
        let told = 19 + u64::from(has_loader);
        assert!(program.total("step/forward") >= told * forward);
        assert!(program.total("step/forward") <= 20 * forward);
        assert_eq!(program.count("step/forward"), 20);
    }
}

/// `loss = model.forward(x); optimizer.zero_grad(); loss.backward()`, or the forward comes after the zeroing, or both
/// have a part of it.
#[test]
fn a_forward_that_no_call_tells_is_all_that_leads_from_the_batch_to_the_gradient_but_the_zeroing() {
    for (before, after) in [(FORWARD, 0), (0, FORWARD), (FORWARD, 3)] {
        let program = Program::new();
        for _ in program.loader(5).pass() {
            program.other(before);
            program.zero_grad();
            program.other(after);
            program.backward();
            program.step();
        }
        program.finish();
        let told = (program.total("step/forward"), program.count("step/forward"));
        assert_eq!(told, (5 * (before + after), 5), "{before} {after}");
        assert_eq!(program.total("step/optimizer"), 5 * (ZERO + STEP));
        assert_eq!(program.count("step"), 5);
    }
}
