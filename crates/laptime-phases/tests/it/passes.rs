//! The start of a pass (workers, shuffling, sorting) is waiting for data, wherever it stands.

use crate::program::{DATA, FORWARD, LAST_FETCH, OUTSIDE, Program, evaluating};

const BEGINS: u64 = 400;
/// What a program does between `iter` and `next`, and Laptime itself.
const GAPS: [u64; 4] = [0, OUTSIDE, 20_000, 2_000_000];

#[test]
fn the_start_of_a_pass_is_waiting_for_its_first_batch_however_long_before() {
    for gap in GAPS {
        let program = Program::new();
        let loader = program.loader(3);
        for _ in 0..2 {
            let mut batches = loader.pass();
            batches.begin(BEGINS);
            program.other(gap);
            for _ in batches {
                program.train_batch();
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 6, "{gap}");
        assert_eq!(program.count("step/data"), 6, "{gap}");
        let data = 2 * BEGINS + 6 * DATA + 2 * LAST_FETCH;
        assert_eq!(program.total("step/data"), data, "{gap}");
        assert_eq!(program.epochs(), 2, "{gap}");
        let first = program.top()[0].start;
        assert_eq!(program.script().marks()[0].1, first, "{gap}");
    }
}

#[test]
fn the_start_of_a_pass_after_a_zero_grad_is_in_the_step() {
    for gap in GAPS {
        let program = Program::new();
        let loader = program.loader(4);
        program.zero_grad();
        for _ in 0..3 {
            let mut batches = loader.pass();
            batches.begin(BEGINS);
            program.other(gap);
            for _ in batches {
                program.forward();
                program.backward();
                program.step();
                program.zero_grad();
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 12, "{gap}");
        assert_eq!(program.count("step/data"), 12, "{gap}");
        let data = 3 * (BEGINS + LAST_FETCH) + 12 * DATA;
        assert_eq!(program.total("step/data"), data, "{gap}");
        assert_eq!(program.count("step/optimizer"), 12, "{gap}");
    }
}

#[test]
fn the_start_of_a_pass_amid_micro_batches_is_in_their_step() {
    for gap in GAPS {
        let program = Program::new();
        let loader = program.loader(3);
        let mut counter = 0;
        for _ in 0..4 {
            let mut batches = loader.pass();
            batches.begin(BEGINS);
            program.other(gap);
            for _ in batches {
                program.forward();
                program.backward();
                counter += 1;
                if counter % 2 == 0 {
                    program.step();
                }
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 6, "{gap}");
        assert_eq!(program.count("step/data"), 12, "{gap}");
        let data = 4 * (BEGINS + LAST_FETCH) + 12 * DATA;
        assert_eq!(program.total("step/data"), data, "{gap}");
    }
}

#[test]
fn the_start_of_a_pass_that_is_evaluated_is_the_evaluation_s() {
    for (gap, grad) in GAPS.into_iter().flat_map(|gap| [(gap, false), (gap, true)]) {
        let program = Program::new();
        let (training, validation) = (program.loader(3), program.loader(2));
        for _ in 0..2 {
            for _ in training.pass() {
                program.train_batch();
            }
            let _around = (!grad).then(|| program.no_grad());
            let mut batches = validation.pass();
            batches.begin(BEGINS);
            program.other(gap);
            for _ in batches {
                let _inside = program.no_grad();
                program.call(evaluating(FORWARD));
            }
        }
        program.finish();
        assert_eq!(program.count("step"), 6);
        assert_eq!(program.count("evaluation"), 4);
        assert_eq!(program.count("evaluation/data"), 4);
        let data = 2 * (BEGINS + LAST_FETCH) + 4 * DATA;
        assert_eq!(program.total("evaluation/data"), data, "{gap}");
        assert_eq!(program.total("step/data"), 6 * DATA + 2 * LAST_FETCH);
    }
}

/// Both passes begin before the first batch of either is asked for.
#[test]
fn passes_of_two_loaders_that_begin_side_by_side_are_their_steps() {
    let program = Program::new();
    let (mut one, mut other) = (program.loader(3).pass(), program.loader(3).pass());
    one.begin(BEGINS);
    other.begin(BEGINS);
    for _ in 0..3 {
        one.next();
        other.next();
        program.train_batch();
    }
    program.finish();
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 6);
    assert_eq!(program.total("step/data"), 2 * BEGINS + 6 * DATA);
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
}

#[test]
fn a_pass_that_is_begun_and_never_read_is_loading() {
    let program = Program::new();
    {
        let mut batches = program.loader(3).pass();
        batches.begin(BEGINS);
    }
    for _ in program.loader(3).pass() {
        program.train_batch();
    }
    program.finish();
    assert_eq!(program.total("loading/data"), BEGINS);
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 3);
}

#[test]
fn a_pass_that_is_begun_in_another_lap_than_it_is_read_in_is_loading_there() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    {
        let _lap = program.lap("set-up");
        batches.begin(BEGINS);
    }
    {
        let _lap = program.lap("train");
        for _ in batches {
            program.train_batch();
        }
    }
    program.finish();
    assert_eq!(program.total("set-up/loading/data"), BEGINS);
    assert_eq!(program.count("train/step"), 3);
    assert_eq!(program.count("train/step/data"), 3);
}

#[test]
fn a_pass_in_a_step_of_the_program_s_own_has_its_start_in_that_step() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    for index in 0..3 {
        let _step = program.lap("step");
        if index == 0 {
            batches.begin(BEGINS);
        }
        batches.next();
        program.train_batch();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/data"), 3);
    assert_eq!(program.total("step/data"), BEGINS + 3 * DATA);
}
