use laptime_core::format::record::Record;
use laptime_core::{COLLECTION, Runner, SampledStack, StackFrame};

use super::*;
use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};

/// A program that is looked at each 10 ms, and in so many of 100 looks collects garbage.
fn collects(mut script: Script, ms: u64, percent: u64) -> Script {
    script.header.closed = Some(anchor(ms * MS));
    script.name_track(MAIN, false, "main");
    let (name, file) = COLLECTION;
    for (id, name, file) in [(1, "train", "/home/me/train.py"), (2, name, file)] {
        script.observed(Record::Function { id, name, file });
        script.observed(Record::Frame(StackFrame {
            id,
            parent: id - 1,
            function: id,
            line: 40 * (2 - id),
        }));
    }
    for look in 1..ms / 10 {
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + look * 10 * MS,
            thread: 40 + u64::from(MAIN),
            // Evenly over the time.
            frame: if look * 37 % 100 < percent { 2 } else { 1 },
            is_running: true,
            has_interpreter: true,
            in_same_turn: false,
            others_ready: false,
            runner: Runner::Thread,
            within_ns: 1_000,
            stands_for_ns: 10 * MS,
        }));
    }
    script
}

/// Steps of 50 ms, one after another.
fn steps(ms: u64) -> Script {
    let mut script = Script::new(7, ms * MS);
    for step in 2..ms / 50 - 2 {
        script.span(&["step"], step * 50 * MS, 50 * MS);
    }
    script
}

/// The path, the percentage and the line that is told of collections.
fn told(script: &Script) -> Option<(Option<String>, u64, Option<u32>)> {
    found(script).into_iter().find_map(|one| match one {
        Finding::GarbageCollection {
            path,
            total_ns,
            during_ns,
            place,
        } => Some((path, 100 * total_ns / during_ns, place.map(|at| at.line))),
        _ => None,
    })
}

#[test]
fn collections_that_take_much_of_a_run_are_told() {
    let run = |ms, percent| told(&collects(Script::new(7, ms * MS), ms, percent));
    assert_eq!(run(5_000, 40), Some((None, 39, Some(40))));
    assert_eq!(run(5_000, 8), None, "a small share");
    assert_eq!(run(1_000, 40), None, "too short to bother");
    assert_eq!(run(5_000, 0), None);
}

#[test]
fn collections_in_steps_are_a_share_of_the_steps() {
    let run = |percent| told(&collects(steps(10_000), 10_000, percent));
    let (path, percent, _) = run(30).unwrap();
    assert_eq!(path.as_deref(), Some("step"));
    assert!((25..=35).contains(&percent), "{percent}");
    assert_eq!(run(5), None);
}

#[test]
fn a_function_is_not_accused_of_collections_that_began_in_it() {
    let script = collects(steps(10_000), 10_000, 80);
    let all = found(&script);
    let names_it = |one: &Finding| matches!(one, Finding::InFunction { function, .. } if function.name == COLLECTION.0);
    assert!(!all.iter().any(names_it), "{all:?}");
}
