//! Tasks that block their event loop while others wait, and tasks that block nobody.

use laptime_core::format::record::Record;
use laptime_core::{PathId, Runner, SampledStack, Span, SpanFlags, StackFrame};
use proptest::prelude::*;

use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use crate::{Finding, HeldLoop, Options};

/// Adds a task on a thread. Threads of a script's tracks are known by their numbers: tasks may share one.
fn task(script: &mut Script, track: u32, thread: u64) {
    script.observed(laptime_core::format::record::Record::TrackName {
        track,
        is_task: true,
        thread,
        name: "task",
    });
}

fn push(script: &mut Script, track: u32, names: &[&str], (from, to): (u64, u64), flags: SpanFlags) {
    let path = script.path(names);
    script.push(Span {
        flags,
        ..Span::plain(path, EPOCH_NS + from * MS, (to - from) * MS, track)
    });
}

/// Scripts ten seconds in each of which a task resizes for 200 ms, while as many others wait for a reply.
fn served(others: u32, thread_of_others: u64, flags: SpanFlags) -> Script {
    let mut script = Script::new(7, 10_100 * MS);
    task(&mut script, MAIN + 1, 41);
    for other in 0..others {
        task(&mut script, MAIN + 2 + other, thread_of_others);
    }
    for round in 0..10 {
        let at = 100 + round * 1_000;
        push(
            &mut script,
            2,
            &["request", "resize"],
            (at + 10, at + 210),
            flags,
        );
        push(
            &mut script,
            2,
            &["request"],
            (at, at + 220),
            SpanFlags::NONE,
        );
        for other in 0..others {
            let track = MAIN + 2 + other;
            push(
                &mut script,
                track,
                &["request", "db"],
                (at + 1, at + 212),
                SpanFlags::NONE,
            );
            push(
                &mut script,
                track,
                &["request"],
                (at, at + 213),
                SpanFlags::NONE,
            );
        }
    }
    script.header.closed = Some(anchor(10_100 * MS));
    script
}

fn held_loop(script: &Script) -> Option<HeldLoop> {
    let all = summarize(std::slice::from_ref(script), Options::default()).findings;
    all.into_iter().find_map(|one| match one {
        Finding::HeldLoop(held) => Some(held),
        _ => None,
    })
}

#[test]
fn a_lap_that_holds_the_loop_of_others_is_found() {
    let expected = HeldLoop {
        path: "request/resize".to_owned(),
        function: None,
        count: 10,
        total_ns: 2_000 * MS,
        max_ns: 200 * MS,
        wall_ns: 10_100 * MS,
        waiting_count: 3,
        lost_ns: 6_000 * MS,
        sampled: false,
    };
    assert_eq!(held_loop(&served(3, 41, SpanFlags::HELD)), Some(expected));
}

#[test]
fn a_task_that_computes_alone_holds_up_nobody() {
    assert_eq!(held_loop(&served(0, 41, SpanFlags::HELD)), None);
}

#[test]
fn a_wait_for_what_others_wait_for_too_is_not_held() {
    assert_eq!(held_loop(&served(3, 41, SpanFlags::NONE)), None);
}

#[test]
fn tasks_of_another_thread_run_on() {
    assert_eq!(held_loop(&served(3, 42, SpanFlags::HELD)), None);
}

#[test]
fn little_of_a_run_is_not_told() {
    let mut script = served(3, 41, SpanFlags::HELD);
    script.header.closed = Some(anchor(100_000 * MS));
    assert_eq!(held_loop(&script), None);
}

/// Scripts a task that awaits and then computes for 300 ms in one lap, looked at every 10 ms, while another one
/// waits.
fn blocking(in_same_turn: bool) -> Script {
    let mut script = Script::new(7, 2_100 * MS);
    task(&mut script, 2, 41);
    task(&mut script, 3, 41);
    script.observed(Record::Function {
        id: 1,
        name: "hash",
        file: "/home/me/serve.py",
    });
    script.observed(Record::Frame(StackFrame {
        id: 1,
        parent: 0,
        function: 1,
        line: 9,
    }));
    for round in 0..4 {
        let at = 100 + round * 500;
        for look in 0..=30 {
            script.observed(Record::Stack(SampledStack {
                ticks: EPOCH_NS + (at + 50 + look * 10) * MS,
                thread: 41,
                frame: 1,
                is_running: true,
                has_interpreter: true,
                in_same_turn: in_same_turn && look > 0,
                others_ready: false,
                runner: Runner::Task {
                    track: 2,
                    path: PathId::ROOT,
                },
                within_ns: 1_000,
                stands_for_ns: 10 * MS,
            }));
        }
        for (track, name) in [(2, "login"), (3, "item")] {
            for names in [&["request", name][..], &["request"]] {
                push(&mut script, track, names, (at, at + 400), SpanFlags::NONE);
            }
        }
    }
    script.header.closed = Some(anchor(2_100 * MS));
    script
}

#[test]
fn a_lap_that_awaits_and_blocks_is_found_by_samples_of_one_turn() {
    let expected = HeldLoop {
        path: "request/login".to_owned(),
        function: None,
        count: 4,
        total_ns: 1_200 * MS,
        max_ns: 300 * MS,
        wall_ns: 2_100 * MS,
        waiting_count: 1,
        lost_ns: 1_200 * MS,
        sampled: true,
    };
    assert_eq!(held_loop(&blocking(true)), Some(expected));
}

#[test]
fn a_task_that_computes_much_and_gives_turns_in_between_holds_nothing() {
    assert_eq!(held_loop(&blocking(false)), None);
}

proptest! {
    #[test]
    fn it_is_told_only_of_laps_that_others_lie_around(
        laps in prop::collection::vec((0_u32..4, 0_u64..900, 20_u64..100, any::<bool>()), 1..40)
    ) {
        let mut script = Script::new(7, 1_000 * MS);
        for track in 0..4 {
            task(&mut script, 2 + track, 41);
        }
        for (track, from, long, is_held) in &laps {
            let flags = if *is_held { SpanFlags::HELD } else { SpanFlags::NONE };
            push(&mut script, 2 + track, &["work"], (*from, from + long), flags);
        }
        let around = |one: &(u32, u64, u64, bool)| laps.iter().filter(|(track, from, long, _)| {
            *track != one.0 && *from <= one.1 && from + long >= one.1 + one.2
        }).count() as u64;
        let count = laps.iter().filter(|one| one.3 && around(one) > 0).count() as u64;
        if let Some(held) = held_loop(&script) {
            prop_assert_eq!(held.count, count);
            let lost: u64 = laps.iter().filter(|one| one.3).map(|one| around(one) * one.2 * MS).sum();
            prop_assert_eq!(held.lost_ns, lost);
        } else {
            let total: u64 = laps.iter().filter(|one| one.3 && around(one) > 0).map(|one| one.2).sum();
            prop_assert!(total < 50);
        }
    }
}
