//! How a wrong guess of what batches and forwards are for is put right.

use crate::program::{FORWARD, Forward, OUTSIDE, Program, STEP, ZERO, evaluating};

const TRAINING: [&str; 5] = [
    "step",
    "step/backward",
    "step/data",
    "step/forward",
    "step/optimizer",
];

#[test]
fn a_teacher_before_its_student_stays_in_the_step_once_known() {
    let program = Program::new();
    for _ in program.loader(4).pass() {
        {
            let _no = program.no_grad();
            program.call(evaluating(11));
        }
        program.forward();
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(program.total("step/forward"), 4 * (11 + FORWARD));
    assert_eq!(program.count("step/data"), 4);
    assert_eq!(program.count("step/forward"), 4);
    assert_eq!(program.paths(), TRAINING);
}

#[test]
fn inference_with_gradients_on_does_not_become_one_endless_step() {
    let program = Program::new();
    for _ in 0..3 {
        program.call(evaluating(FORWARD));
    }
    assert_eq!(program.count("evaluation"), 3);
    for _ in 0..200 {
        program.forward();
    }
    program.finish();
    assert!(program.count("evaluation") > 100);
    assert_eq!(program.count("step"), 0);
}

#[test]
fn training_in_evaluation_mode_is_training() {
    let program = Program::new();
    let train = || {
        program.call(evaluating(FORWARD));
        program.backward();
        program.step();
    };
    for _ in program.loader(3).pass() {
        train();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("evaluation"), 0);
    for _ in 0..3 {
        train();
    }
    assert_eq!(program.count("step"), 6);
}

#[test]
fn warming_up_a_model_by_one_forward_is_no_step_of_training() {
    let program = Program::new();
    program.forward();
    for _ in program.loader(2).pass() {
        program.train_batch();
    }
    assert_eq!(program.count("evaluation"), 1);
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.total("step/optimizer"), 2 * (STEP + ZERO));
}

#[test]
fn a_teacher_of_the_first_batch_is_in_its_step() {
    let program = Program::new();
    for _ in program.loader(1).pass() {
        {
            let _no = program.no_grad();
            program.call(evaluating(11));
            program.call(evaluating(11));
        }
        program.zero_grad();
        program.forward();
        program.backward();
        program.step();
    }
    assert_eq!(program.paths(), TRAINING);
    let phases: u64 = TRAINING[1..].iter().map(|path| program.total(path)).sum();
    assert_eq!(phases, program.total("step"));
}

#[test]
fn a_module_in_evaluation_mode_that_is_trained_after_all_has_its_forward_in_the_step() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.call(evaluating(FORWARD));
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step/forward"), 2);
    assert_eq!(program.count("step/data"), 2);
    assert_eq!(program.count("step"), 2);
    let paths = program.paths();
    let is_evaluation = |path: &String| path.starts_with("evaluation");
    assert!(!paths.iter().any(is_evaluation), "{paths:?}");
}

#[test]
fn a_lap_inside_the_first_forward_of_a_teacher_is_counted_once() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        {
            let _no = program.no_grad();
            program.call_around(Forward::default(), || {
                let _lap = program.lap("Teacher");
                program.other(OUTSIDE);
            });
        }
        program.forward();
        program.backward();
        program.step();
    }
    let forwards = program.total("step/forward") + program.total("evaluation/forward");
    assert_eq!(forwards, 3 * (2 * FORWARD + OUTSIDE));
    let laps = program.total("step/forward/Teacher") + program.total("evaluation/forward/Teacher");
    assert_eq!(laps, 3 * OUTSIDE);
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("evaluation"), 0);
    let spans = program.spans();
    for span in &spans {
        let Some((parent, _)) = span.path.rsplit_once('/') else {
            continue;
        };
        let mut around = spans.iter().filter(|one| one.path == parent);
        assert!(
            around.any(|one| one.start <= span.start && span.end() <= one.end()),
            "{span:?}"
        );
    }
}

/// With `--modules`, from a pass on whose start takes its time.
#[test]
fn a_teacher_with_laps_inside_makes_no_evaluation_of_the_start_of_its_pass() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    batches.begin(400);
    for _ in batches {
        {
            let _no = program.no_grad();
            program.call_around(evaluating(11), || drop(program.lap("Teacher")));
        }
        program.forward();
        program.backward();
        program.step();
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("evaluation"), 0);
    assert_eq!(
        program.total("step/data") + program.total("evaluation/data"),
        400 + 3 * 100 + 3
    );
}

#[test]
fn an_evaluation_with_gradients_and_laps_is_counted_once() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.call_around(Forward::default(), || {
            let _lap = program.lap("Net");
            program.other(OUTSIDE);
        });
    }
    program.finish();
    let laps = program.total("step/forward/Net") + program.total("evaluation/forward/Net");
    assert_eq!(laps, 3 * OUTSIDE);
    let in_steps = program.count("step/forward/Net") as u64;
    assert_eq!(
        program.total("step/forward"),
        in_steps * (FORWARD + OUTSIDE)
    );
    assert_eq!(program.count("step"), 0);
}
