//! The table of what explains what: each kind of row, and chains of them.

use super::*;
use crate::Options;
use crate::findings::clues::Clues;
use crate::summary::Summary;
use crate::summary::doubt::{CpuLoss, CpuTaker, Doubt, StepsDoubt};
use crate::summary::finding::{HeldLoop, MainFunction, ThreadsWait};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

const LAP: &str = "step/forward/load";

fn summary() -> Summary {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["step"], 0, 50 * MS);
    summarize(&[script], Options::default())
}

/// The kinds that are told of candidates, whatever their order.
fn told_of(candidates: &[Finding]) -> Vec<Kind> {
    let (summary, clues) = (summary(), Clues::default());
    let evidence = Evidence::new(&summary, &clues);
    let kinds = |turned: Vec<Finding>| {
        let told = unexplained(turned, &evidence);
        let mut kinds: Vec<Kind> = told.iter().map(Kind::of_finding).collect();
        kinds.sort_by_key(|kind| format!("{kind:?}"));
        kinds
    };
    let first = kinds(candidates.to_vec());
    for at in 0..candidates.len() {
        let mut turned = candidates.to_vec();
        turned.rotate_left(at);
        assert_eq!(kinds(turned.clone()), first);
        turned.reverse();
        assert_eq!(kinds(turned), first);
    }
    first
}

fn occasional(path: &str) -> Finding {
    Finding::Occasional {
        path: path.to_owned(),
        step_path: "step".to_owned(),
        count: 3,
        step_count: 100,
        mean_ns: 200 * MS,
        usual_ns: 10 * MS,
        total_ns: 600 * MS,
    }
}

fn slow_steps() -> Finding {
    Finding::SlowSteps {
        path: "step".to_owned(),
        one_in: 20,
        slow_ns: 200 * MS,
        usual_ns: 10 * MS,
        excess_ns: 1_000 * MS,
        cause: None,
        outside_ns: 0,
        is_bare: false,
    }
}

fn held_loop(path: &str, total_ns: u64) -> Finding {
    Finding::HeldLoop(HeldLoop {
        path: path.to_owned(),
        function: None,
        count: 3,
        total_ns,
        max_ns: total_ns,
        wall_ns: 1_000 * MS,
        waiting_count: 2,
        lost_ns: 0,
        sampled: false,
    })
}

fn hot_spot(path: &str) -> Finding {
    Finding::HotSpot {
        path: path.to_owned(),
        class: String::new(),
        step_path: "step".to_owned(),
        self_ns: 400 * MS,
        steps_ns: 1_000 * MS,
        function: None,
    }
}

fn function(name: &str, file: &str) -> MainFunction {
    MainFunction {
        name: name.to_owned(),
        file: file.to_owned(),
        line: 9,
        ratio: 0.7,
        awaited: None,
    }
}

fn in_function() -> Finding {
    Finding::InFunction {
        path: "step/forward".to_owned(),
        total_ns: 600 * MS,
        steps_ns: 1_000 * MS,
        function: function("load", "/home/me/train.py"),
    }
}

fn busy() -> Finding {
    Finding::Unsteady {
        doubt: Doubt::Steps {
            pid: None,
            doubt: StepsDoubt::BusyMachine {
                loss: CpuLoss {
                    taker: CpuTaker::OtherThreads,
                    ratio: 0.5,
                },
                noun: "step".to_owned(),
            },
        },
        is_busy: true,
    }
}

#[test]
fn no_finding_explains_one_that_explains_it() {
    let rows = || CAUSES.iter().chain(REPETITIONS);
    let explained_by = |kind: Kind| {
        let of_kind = rows().filter(move |(explained, ..)| *explained == kind);
        of_kind.map(|(_, by, _)| *by)
    };
    for (kind, by, _) in rows() {
        let (mut all, mut at) = (vec![*by], 0);
        while at < all.len() {
            let more: Vec<Kind> = explained_by(all[at])
                .filter(|more| !all.contains(more))
                .collect();
            all.extend(more);
            at += 1;
        }
        assert!(!all.contains(kind), "{kind:?} is explained by {all:?}");
    }
}

#[test]
fn a_lap_that_few_steps_have_is_told_in_the_place_of_slow_steps() {
    let told = told_of(&[slow_steps(), occasional(LAP)]);
    assert_eq!(told, [Kind::Occasional]);
    let little = held_loop("poll", MS);
    let told = told_of(&[slow_steps(), little]);
    assert_eq!(told, [Kind::HeldLoop, Kind::SlowSteps]);
}

#[test]
fn a_cause_that_another_finding_repeats_is_still_the_cause() {
    let held = held_loop(LAP, 100 * MS);
    let told = told_of(&[slow_steps(), held, occasional(LAP)]);
    assert_eq!(told, [Kind::HeldLoop]);
}

#[test]
fn a_finding_that_is_not_told_says_nothing_for_others() {
    let held = held_loop(LAP, 100 * MS);
    let told = told_of(&[hot_spot(LAP), held, occasional(LAP)]);
    assert_eq!(told, [Kind::HeldLoop, Kind::HotSpot]);
    let told = told_of(&[hot_spot(LAP), in_function()]);
    assert_eq!(told, [Kind::HotSpot]);
    let told = told_of(&[hot_spot(LAP), in_function(), busy()]);
    assert_eq!(told, [Kind::InFunction, Kind::Unsteady]);
}

#[test]
fn graphs_that_few_steps_compile_explain_what_they_make_slow_and_are_not_told_again() {
    let path = "step/forward/compile";
    let told = told_of(&[slow_steps(), occasional(path), hot_spot(path)]);
    assert_eq!(told, []);
}

#[test]
fn an_end_is_told_unless_the_wait_for_its_threads_is() {
    let exit = Finding::Exit {
        exit_ns: 4_000 * MS,
        wall_ns: 10_000 * MS,
        closing_ns: None,
        function: Some(function("_shutdown", "/usr/lib/python3.12/threading.py")),
    };
    let wait = Finding::ThreadsWait(ThreadsWait {
        total_ns: 4_000 * MS,
        wall_ns: 10_000 * MS,
        function: None,
    });
    assert_eq!(told_of(std::slice::from_ref(&exit)), [Kind::Exit]);
    assert_eq!(told_of(&[exit, wait]), [Kind::ThreadsWait]);
}

#[test]
fn memory_that_is_counted_is_not_told_again_by_what_is_resident() {
    let resident = Finding::ResidentGrowth {
        path: Some("step".to_owned()),
        step_count: Some(100),
        each_bytes: 1_000_000,
        uncertainty_bytes: 0,
        risen_bytes: 100_000_000,
        during_ns: None,
        before_end_ns: None,
        is_counted: true,
        counted_bytes: None,
        function: None,
        busy_function: None,
    };
    let growth = |kept_bytes| Finding::MemoryGrowth {
        path: "step".to_owned(),
        step_count: 100,
        per_step_bytes: kept_bytes / 100,
        uncertainty_bytes: 0,
        kept_bytes,
        keepers: Vec::new(),
        passing: None,
        between: false,
    };
    let told = told_of(&[resident.clone(), growth(90_000_000)]);
    assert_eq!(told, [Kind::MemoryGrowth]);
    let told = told_of(&[resident.clone(), growth(2_000_000)]);
    assert_eq!(
        told,
        [Kind::MemoryGrowth, Kind::ResidentGrowth],
        "another one"
    );
    let rise = Finding::MemoryRise {
        per_second_bytes: 9_000_000,
        uncertainty_bytes: 0,
        risen_bytes: 95_000_000,
        during_ns: 11_000 * MS,
        function: None,
        busy_function: None,
        is_sampled: false,
    };
    assert_eq!(told_of(&[rise, resident]), [Kind::MemoryRise]);
}
