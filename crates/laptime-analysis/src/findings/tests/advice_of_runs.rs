//! Advice on runs as a whole, as in [`super::advice_tests`].

use super::advice_tests::{check, child, told};
use super::tests::{run, run_from, training};
use super::*;
use crate::Options;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script, anchor};

/// A program in a notebook, where somebody reads and types.
fn in_notebook(mut script: Script) -> Vec<Script> {
    script.header.program = "notebook".to_owned();
    vec![script]
}

fn closed(mut script: Script, at_ms: u64) -> Script {
    script.header.closed = Some(anchor(at_ms * MS));
    script
}

#[test]
fn a_long_beginning_is_one_that_a_program_takes() {
    let starting = || run_from(6_900, |_| training(1, 10));
    let mut other = starting();
    other.header.pid = 8;
    let mut loading = starting();
    loading.span(&["load"], 100 * MS, 6_700 * MS);
    let alike = [
        ("a notebook", in_notebook(starting())),
        ("two side by side", vec![starting(), other]),
        ("a lap", vec![loading]),
    ];
    check("startup", &[starting()], &alike);
}

#[test]
fn a_long_end_is_one_that_a_program_takes() {
    // Its steps end after 3,200 ms.
    let ended = || closed(run(|_| training(1, 10)), 8_000);
    let mut evaluated = ended();
    evaluated.span(&["evaluation"], 3_200 * MS, 4_800 * MS);
    let mut killed = ended();
    killed.leave_open(MAIN, &["evaluation"], 3_200 * MS);
    killed.killed();
    let alike = [
        ("a notebook", in_notebook(ended())),
        ("a lap", vec![evaluated]),
        ("a lap that a signal ended", vec![killed]),
    ];
    check("exit", &[ended()], &alike);
}

#[test]
fn a_loop_without_steps_is_one_that_runs_between_compilations() {
    let compiled = || {
        let mut script = Script::new(7, 5_000 * MS);
        script.span(&["compile"], 100 * MS, 500 * MS);
        script.span(&["compile"], 1_000 * MS, 500 * MS);
        script.note("interpreter.exits", &script.ticks(5_000 * MS).to_string());
        script
    };
    let mut stepping = compiled();
    for step in 0..30 {
        stepping.span(&["step"], (1_600 + 100 * step) * MS, 90 * MS);
    }
    let alike = [
        ("a notebook", in_notebook(compiled())),
        ("steps", vec![stepping]),
    ];
    check("no-steps", &[compiled()], &alike);
}

/// Steps of 10 ms with a pause of 10 s, in which a lap may run.
fn paused(beside: Option<(u32, &str)>) -> Script {
    let mut script = Script::new(7, 11_200 * MS);
    for step in 0..100 {
        let at = 100 + step * 10 + if step < 50 { 0 } else { 10_000 };
        script.span(&["step"], at * MS, 10 * MS);
    }
    if let Some((track, name)) = beside {
        let flags = laptime_core::SpanFlags::NONE;
        script.span_on(track, &[name], 600 * MS, 10_000 * MS, flags);
    }
    script
}

#[test]
fn a_lap_between_steps_is_advice_where_the_program_runs_without_one() {
    let alike = [
        ("a notebook", in_notebook(paused(None))),
        ("an evaluation", vec![paused(Some((MAIN, "evaluation")))]),
        ("another thread", vec![paused(Some((MAIN + 1, "save")))]),
    ];
    check("between-steps", &[paused(None)], &alike);
}

#[test]
fn steps_that_were_counted_are_not_outside_of_the_steps() {
    let fit = |beside: &str, ms: u64| {
        let mut script = Script::new(7, 4_100 * MS);
        script.span(&["fit", beside], 100 * MS, ms * MS);
        for step in 0..100 {
            script.span(&["fit", "step"], (3_000 + 10 * step) * MS, 10 * MS);
        }
        script.span(&["fit"], 100 * MS, 3_900 * MS);
        vec![script]
    };
    let alike = [
        ("counted", fit("counted step", 2_500)),
        ("profiled", fit("profiled step", 2_500)),
    ];
    check("outside-steps", &fit("load", 2_500), &alike);
}

#[test]
fn laps_of_other_processes_cost_the_run_nothing() {
    let is_told = |laps: [u64; 2]| {
        let scripts = [run(|_| training(1, 10)), child(8, 150, 160)];
        let mut summary = summarize(&scripts, Options::default());
        for (process, count) in summary.processes.iter_mut().zip(laps) {
            process.span_count = count;
        }
        summary.span_count = laps.iter().sum();
        let all = find(&summary, &Clues::default());
        all.iter()
            .any(|one| matches!(one, Finding::Overhead { .. }))
    };
    assert!(is_told([10_000_000, 0]));
    assert!(!is_told([0, 10_000_000]), "workers make them");
}

#[test]
fn shapes_are_advice_where_one_place_compiles_again() {
    let counts = |names: [&[&'static str]; 3]| {
        let mut script = Script::new(7, 10_000 * MS);
        for (at, names) in (0..).zip(names) {
            script.span(names, (100 + at * 2_000) * MS, 1_900 * MS);
        }
        match &told(&[script])[..] {
            [Finding::Compiling { places, .. }, ..] => {
                places.iter().map(|place| place.count).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(counts([&["compile"]; 3]), [3]);
    // The sentence says nothing of shapes then.
    let each: [&[&str]; 3] = [&["compile"], &["train", "compile"], &["test", "compile"]];
    assert_eq!(counts(each), [1, 1, 1]);
}
