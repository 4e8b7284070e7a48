//! Advice on steps, each with a program in which it is right, and with programs that look like it, which it would mislead.
//!
//! Advice on runs stands in `advice_of_runs.rs`, on devices in `advice_on_devices.rs`, and that of rules which need more than
//! a summary in files of their own beside them.

use super::tests::{Parts, run, run_from, training};
use super::*;
use crate::Options;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

/// Returns the findings of a run of these processes.
pub(super) fn told(scripts: &[Script]) -> Vec<Finding> {
    summarize(scripts, Options::default()).findings
}

/// The name of a finding's kind, as JSON has it.
fn kind_of(finding: &Finding) -> String {
    let debug = format!("{finding:?}");
    let name = debug.split([' ', '(']).next().unwrap_or_default();
    let mut kind = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kind.is_empty() {
            kind.push('-');
        }
        kind.extend(letter.to_lowercase());
    }
    kind
}

/// A kind of finding is told of the one program, and of none that only look like it.
pub(super) fn check(kind: &str, right: &[Script], alike: &[(&str, Vec<Script>)]) {
    let has = |scripts: &[Script]| told(scripts).iter().any(|one| kind_of(one) == kind);
    assert!(has(right), "{kind}: {:?}", told(right));
    let misled = alike.iter().filter(|(_, scripts)| has(scripts));
    let misled: Vec<&str> = misled.map(|(name, _)| *name).collect();
    assert_eq!(misled, Vec::<&str>::new(), "{kind}");
}

/// Processes that train side by side, one rank each.
fn ranks(count: u32, parts: impl Fn(u32, u64) -> Parts) -> Vec<Script> {
    let each = (0..count).map(|rank| {
        let mut script = run(|step| parts(rank, step));
        script.header.pid = 7 + rank;
        script.note("environment.rank", &rank.to_string());
        script
    });
    each.collect()
}

/// A process that another one starts, with a first lap at a moment.
pub(super) fn child(pid: u32, started_ms: u64, lap_ms: u64) -> Script {
    let mut script = Script::new(pid, 60_000 * MS);
    script.header.parent_pid = 7;
    script.header.anchor = anchor(started_ms * MS);
    script.header.process_started_boottime_ns = Some(EPOCH_NS + started_ms * MS);
    script.span(&["decode"], lap_ms * MS, 5 * MS);
    script
}

#[test]
fn more_workers_are_no_advice_for_a_single_long_wait() {
    let single_ns = |script: &Script| match &told(std::slice::from_ref(script))[..] {
        [Finding::DataWait { longest_ns, .. }] => *longest_ns,
        other => panic!("{other:?}"),
    };
    let each = run(|_| training(10, 10));
    let many = run(|step| training(if step % 4 == 3 { 40 } else { 0 }, 10));
    let one = run(|step| training(if step == 50 { 5_000 } else { 1 }, 10));
    assert_eq!(single_ns(&each), None);
    assert_eq!(single_ns(&many), None, "four workers bring four at once");
    assert_eq!(single_ns(&one), Some(5_000 * MS));
}

/// Epochs of 20 steps, of which the first waits a second; with what starts so long before a step waits, and its first lap.
fn loading(epochs: u64, each_step: bool) -> Vec<Script> {
    let mut scripts = vec![Script::new(7, 0)];
    let (mut at, mut pid) = (100, 8);
    for epoch in 0..epochs {
        scripts[0].mark(&["epoch"], at * MS);
        for step in 0..20 {
            let is_first = step == 0;
            let wait = if each_step || is_first { 1_000 } else { 1 };
            if each_step && (epoch > 0 || !is_first) || !each_step && is_first {
                scripts.push(child(pid, at, at + wait - 10));
                pid += 1;
            }
            scripts[0].span(&["step", "data"], at * MS, wait * MS);
            scripts[0].span(&["step"], at * MS, (wait + 19) * MS);
            at += wait + 19;
        }
    }
    scripts[0].header.closed = Some(anchor(at * MS));
    scripts
}

#[test]
fn persistent_workers_are_advice_for_those_that_start_once_an_epoch() {
    let alike = [("a process for each sample", loading(5, true))];
    check("worker-starts", &loading(5, false), &alike);
    // In a single epoch they start once, whatever they are told.
    let all = told(&loading(1, false));
    let mut each = all.iter();
    let is_once = |one: &Finding| matches!(one, Finding::WorkerStarts { count: 1, .. });
    assert!(each.any(is_once), "{all:?}");
}

/// Compiles for 80 ms in the forward, or in the loss, of some steps of a rank.
fn compiling(count: u32, is_compiled: impl Fn(u32, u64) -> Option<&'static str>) -> Vec<Script> {
    ranks(count, |rank, step| {
        let compiled = is_compiled(rank, step);
        let ms = |name: &str| if compiled == Some(name) { 110 } else { 30 };
        let mut parts = vec![(&["forward"][..], ms("forward")), (&["loss"], ms("loss"))];
        match compiled {
            Some("forward") => parts.push((&["forward", "compile"], 80)),
            Some(_) => parts.push((&["loss", "compile"], 80)),
            None => {}
        }
        parts
    })
}

#[test]
fn what_changes_between_steps_is_asked_where_one_place_compiles_again() {
    let again = |count| compiling(count, |_, step| (step % 30 == 29).then_some("forward"));
    let last = compiling(4, |_, step| (step == 99).then_some("forward"));
    let places = compiling(1, |_, step| match step {
        50 => Some("forward"),
        99 => Some("loss"),
        _ => None,
    });
    let alike = [
        ("the last batch is smaller, in each of four ranks", last),
        ("two functions, once each", places),
    ];
    check("recompilation", &again(1), &alike);
    check("recompilation", &again(4), &[]);
}

#[test]
fn slow_steps_are_no_parts_that_take_turns() {
    let steps = |is_traded: bool| {
        vec![run(move |step| {
            let slow = step % 10 == 3;
            let backward = if slow && is_traded { 10 } else { 90 };
            vec![
                (&["forward"][..], if slow { 90 } else { 10 }),
                (
                    &["backward"],
                    backward + if slow && !is_traded { 90 } else { 0 },
                ),
            ]
        })]
    };
    let once = vec![run(|step| training(1, if step == 50 { 900 } else { 10 }))];
    let alike = [
        ("one part is short where another is long", steps(true)),
        ("one step", once),
    ];
    check("slow-steps", &steps(false), &alike);
}

#[test]
fn what_one_process_does_in_each_step_of_its_own_is_not_occasional() {
    let logging = |is_logged: fn(u32, u64) -> bool, ms: u64| {
        ranks(4, move |rank, step| {
            let mut parts = training(1, 10);
            if is_logged(rank, step) {
                parts.push((&["log"], ms));
            }
            parts
        })
    };
    let alike = [
        ("rank 0 logs in each step", logging(|rank, _| rank == 0, 90)),
        ("once in each rank", logging(|_, step| step == 50, 500)),
    ];
    check(
        "occasional",
        &logging(|_, step| step % 20 == 19, 90),
        &alike,
    );
}

#[test]
fn more_steps_are_advice_for_a_warm_up_that_is_most_of_the_run() {
    let first = |count: u64| move |step: u64| training(1, if step < count { 500 } else { 10 });
    let alike = [
        (
            "a small part of the run",
            vec![run_from(200_000, first(10))],
        ),
        ("less than what follows", vec![run(first(4))]),
        (
            "the other half takes longer",
            vec![run(|step| training(1, if step < 50 { 50 } else { 5 }))],
        ),
    ];
    check("warm-up", &[run(first(10))], &alike);
}

#[test]
fn a_hot_spot_is_one_lap_that_leads() {
    let layers = |conv: u64, head: u64| {
        vec![run(move |_| {
            let mut parts = training(1, 40);
            parts.extend([
                (&["forward", "conv"][..], conv),
                (&["forward", "head"], head),
            ]);
            parts
        })]
    };
    let own = vec![run(|_| training(1, 90))];
    let alike = [("two alike", layers(20, 19)), ("a phase by itself", own)];
    check("hot-spot", &layers(34, 3), &alike);
}
