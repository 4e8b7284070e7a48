//! Laps of the user's around, inside and across the automatic spans.

use laptime_core::SpanFlags;

use crate::program::{BACKWARD, DATA, FORWARD, LAST_FETCH, Program, STEP, ZERO, loss};

fn any_path(program: &Program, is_wrong: impl Fn(&str) -> bool) -> bool {
    program.paths().iter().any(|path| is_wrong(path))
}

#[test]
fn a_lap_around_the_epoch_is_the_parent_of_its_steps() {
    let program = Program::new();
    {
        let _train = program.lap("train");
        for _ in program.loader(3).pass() {
            program.train_batch();
        }
    }
    assert_eq!(program.count("train"), 1);
    assert_eq!(program.count("train/step"), 3);
    assert_eq!(program.count("train/step/forward"), 3);
}

#[test]
fn a_lap_around_a_forward_is_inside_the_step() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        {
            let _mine = program.lap("mine");
            program.forward();
        }
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 3);
    assert_eq!(program.count("step/mine/forward"), 3);
    assert_eq!(program.total("step/data"), 3 * DATA + LAST_FETCH);
}

#[test]
fn two_laps_around_two_forwards_have_a_forward_each() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        {
            let _model = program.lap("model");
            program.forward();
        }
        {
            let _loss = program.lap("loss");
            program.call(loss(2));
        }
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step/model/forward"), 3);
    assert_eq!(program.count("step/loss/forward"), 3);
}

#[test]
fn a_lap_around_the_whole_body_keeps_its_step_open_to_its_end() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        let _body = program.lap("body");
        program.train_batch();
        program.other(9);
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/body"), 3);
    let spans = program.spans();
    let is_balanced = |flags: SpanFlags| !flags.has(SpanFlags::UNBALANCED);
    assert!(spans.iter().all(|span| is_balanced(span.flags)));
    let body = ZERO + FORWARD + BACKWARD + STEP + 9;
    assert_eq!(program.total("step/body"), 3 * body);
    assert_eq!(program.total("step"), 3 * (DATA + body) + LAST_FETCH);
}

#[test]
fn a_lap_around_the_body_without_a_loader_is_the_parent_of_the_step() {
    let program = Program::new();
    for _ in 0..3 {
        let _body = program.lap("body");
        program.train_batch();
    }
    assert_eq!(program.count("body"), 3);
    assert_eq!(program.count("body/step"), 3);
}

#[test]
fn a_lap_around_the_fetch_alone_does_not_cut_the_step_again() {
    let program = Program::new();
    let mut batches = program.loader(4).pass();
    for _ in 0..4 {
        {
            let _load = program.lap("load");
            batches.next();
        }
        program.train_batch();
    }
    assert_eq!(program.count("step"), 4);
    assert_eq!(
        program.count("load/step"),
        1,
        "the first, until it was known"
    );
    assert_eq!(program.count("load/data"), 3);
    assert_eq!(program.count("load"), 4);
}

#[test]
fn track_named_step_takes_the_place_of_the_step_and_its_data() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    for _ in 0..3 {
        let _step = program.lap("step");
        {
            let _data = program.lap("data");
            batches.next();
        }
        program.train_batch();
    }
    for path in ["step", "step/data", "step/forward", "step/backward"] {
        assert_eq!(program.count(path), 3, "{path}");
    }
    let is_doubled = |path: &str| path.contains("step/step") || path.contains("data/");
    assert!(!any_path(&program, is_doubled), "{:?}", program.paths());
    assert_eq!(program.epochs(), 1);
    assert_eq!(program.script().marks().len(), 1);
}

#[test]
fn track_under_another_name_is_the_parent_of_the_step() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    for _ in 0..3 {
        let _batch = program.lap("batch");
        {
            let _data = program.lap("data");
            batches.next();
        }
        program.train_batch();
    }
    assert_eq!(program.count("batch/step"), 3);
    assert_eq!(program.count("batch/data"), 3);
    assert_eq!(program.count("batch/step/forward"), 3);
}

#[test]
fn a_lap_named_step_by_the_user_is_not_doubled() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    for _ in 0..3 {
        let _step = program.lap("step");
        batches.next();
        program.train_batch();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 3);
    let is_doubled = |path: &str| path.contains("step/step");
    assert!(!any_path(&program, is_doubled), "{:?}", program.paths());
}

#[test]
fn a_lap_named_like_a_phase_takes_its_place() {
    for (has_loader, above, steps) in [(false, "", 0), (true, "step/", 3)] {
        let program = Program::new();
        let within = |name: &str, work: &dyn Fn()| {
            let _lap = program.lap(name);
            work();
        };
        for _ in program.rounds(3, has_loader) {
            within("optimizer", &|| program.zero_grad());
            within("forward", &|| {
                program.forward();
                program.call(loss(2));
            });
            within("backward", &|| program.backward());
            within("optimizer", &|| program.step());
        }
        program.finish();
        for (phase, count) in [("forward", 3), ("backward", 3), ("optimizer", 6)] {
            let path = format!("{above}{phase}");
            assert_eq!(program.count(&path), count, "{path}");
        }
        let depth = |path: &str| path.matches('/').count();
        let is_deeper = |path: &str| depth(path) > depth(above);
        assert!(!any_path(&program, is_deeper), "{:?}", program.paths());
        assert_eq!(program.count("step"), steps, "a loader: {has_loader}");
    }
}

#[test]
fn a_lap_named_like_another_phase_is_its_parent() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        {
            let _forward = program.lap("forward");
            program.forward();
            program.backward();
        }
        program.step();
    }
    assert_eq!(program.count("step/forward/backward"), 3);
    let is_doubled = |path: &str| path == "step/forward/forward";
    assert!(!any_path(&program, is_doubled), "{:?}", program.paths());
}

#[test]
fn a_lap_around_a_forward_keeps_it_when_the_step_ends_with_the_lap() {
    let program = Program::new();
    for _ in 0..3 {
        {
            let _mine = program.lap("mine");
            program.forward();
        }
        program.backward();
        program.step();
    }
    assert_eq!(program.count("mine/step/forward"), 3);
    assert_eq!(program.total("mine/step/forward"), 3 * FORWARD);
}

#[test]
fn the_mark_of_an_epoch_is_in_no_path() {
    let program = Program::new();
    {
        let _train = program.lap("train");
        for _ in program.loader(3).pass() {
            let _body = program.lap("body");
            program.train_batch();
        }
    }
    let begin = program.top()[0].start;
    assert_eq!(program.script().marks(), [("epoch".to_owned(), begin)]);
}

#[test]
fn a_validation_in_a_step_of_the_user_s_is_one_also_on_the_training_loader() {
    let program = Program::new();
    let loader = program.loader(3);
    for _ in loader.pass() {
        program.train_batch();
    }
    {
        let _step = program.lap("step");
        let _no = program.no_grad();
        for _ in loader.pass() {
            program.forward();
        }
    }
    program.finish();
    assert_eq!(program.count("step/evaluation"), 3);
    assert_eq!(program.count("step/evaluation/data"), 3);
    assert_eq!(program.count("step"), 3 + 1);
}
