//! Trainings whose workers have laps of their own, and others whose child processes say nothing about the wait.

use laptime_core::SpanFlags;
use proptest::prelude::*;

use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script, anchor};
use crate::{Finding, Options, WorkerLap};

/// Returns 100 steps of 40 ms from 100 ms on, half of each a wait for data.
fn training() -> Script {
    let mut script = Script::new(7, 4_100 * MS);
    for step in 0..100 {
        let at = (100 + 40 * step) * MS;
        script.span(&["step", "data"], at, 20 * MS);
        script.span(&["step", "forward"], at + 20 * MS, 20 * MS);
        script.span(&["step"], at, 40 * MS);
    }
    script
}

/// Returns a child of process `parent` that has a `sample` every 20 ms between two moments, most of it `decode`
/// of so long.
fn worker(pid: u32, parent: u32, (from, to): (u64, u64), decode_ms: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.header.parent_pid = parent;
    script.header.closed = Some(anchor(to * MS));
    let mut at = from;
    while at + 20 <= to {
        script.span(&["sample", "decode"], at * MS, decode_ms * MS);
        script.span(&["sample"], at * MS, 19 * MS);
        at += 20;
    }
    script
}

fn worker_lap(scripts: &[Script]) -> Option<WorkerLap> {
    let summary = summarize(scripts, Options::default());
    let mut waits = summary.findings.into_iter().filter_map(|one| match one {
        Finding::DataWait { workers, .. } => Some(workers),
        _ => None,
    });
    waits.next().expect("the wait is found whatever workers do")
}

#[test]
fn the_innermost_lap_that_workers_spend_their_time_in_is_named() {
    let workers = [8, 9].map(|pid| worker(pid, 7, (100, 4_100), 17));
    let [one, other] = workers;
    let lap = worker_lap(&[training(), one, other]).unwrap();
    assert_eq!(
        (&*lap.path, lap.worker_count, lap.count, lap.mean_ns),
        ("sample/decode", 2, 400, 17 * MS)
    );
    assert!((lap.ratio - 0.85).abs() < 0.01, "{}", lap.ratio);
}

#[test]
fn of_short_inner_laps_the_one_around_them_is_named() {
    let lap = worker_lap(&[training(), worker(8, 7, (100, 4_100), 3)]).unwrap();
    assert_eq!((&*lap.path, lap.mean_ns), ("sample", 19 * MS));
}

#[test]
fn workers_that_mostly_wait_themselves_are_not_why() {
    let mut idle = worker(8, 7, (100, 4_100), 1);
    idle = {
        let mut script = Script::new(8, 4_100 * MS);
        script.header = idle.header;
        for at in 0..200 {
            script.span(&["decode"], (100 + 20 * at) * MS, 4 * MS);
        }
        script
    };
    assert_eq!(worker_lap(&[training(), idle]), None);
}

#[test]
fn child_processes_that_worked_before_the_steps_are_no_loader() {
    assert_eq!(worker_lap(&[training(), worker(8, 7, (0, 110), 17)]), None);
    let strange = worker(8, 6, (100, 4_100), 17);
    assert_eq!(worker_lap(&[training(), strange]), None, "not its child");
    assert_eq!(worker_lap(&[training()]), None);
}

#[test]
fn waits_that_are_short_in_themselves_are_not_told() {
    let waiting = |wait_us: u64, steps: u64| {
        let mut script = Script::new(7, 100_000 * MS);
        let step = 2 * wait_us * 1_000;
        for index in 0..steps {
            let at = 100 * MS + index * step;
            script.span(&["step", "data"], at, step / 2);
            script.span_on(1, &["step"], at, step, SpanFlags::NONE);
        }
        script.header.closed = Some(anchor(100 * MS + steps * step));
        summarize(&[script], Options::default()).findings
    };
    assert_eq!(
        waiting(40, 10_000),
        [],
        "as long as a batch takes that is ready"
    );
    assert_eq!(waiting(500, 150), [], "75 ms in all");
    assert!(matches!(
        waiting(500, 1_000)[..],
        [Finding::DataWait { .. }]
    ));
}

proptest! {
    #[test]
    fn a_lap_is_named_only_if_it_takes_most_of_the_workers_time(
        decode in 0_u64..19, count in 1_u32..4, end in 1_000_u64..4_100
    ) {
        let mut scripts = vec![training()];
        scripts.extend((0..count).map(|index| worker(8 + index, 7, (100, end), decode.max(1))));
        if let Some(lap) = worker_lap(&scripts) {
            prop_assert!((0.5..=1.0).contains(&lap.ratio));
            prop_assert_eq!(lap.worker_count, u64::from(count));
            prop_assert!(end >= 2_000, "workers are at work for half of the steps");
        } else {
            prop_assert!(end <= 2_200);
        }
    }
}
