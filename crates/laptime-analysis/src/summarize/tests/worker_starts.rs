//! Epochs that begin with workers that start, and epochs that don't.

use proptest::prelude::*;

use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};
use crate::{Finding, Options};

/// Returns epochs of 20 steps of 20 ms, the first of which waits so long for its batch.
fn training(epochs: u64, first_ms: u64) -> Script {
    training_of(epochs, first_ms, 1)
}

/// Returns epochs of 20 steps of 20 ms, of which the first and the second wait for their batches.
fn training_of(epochs: u64, first_ms: u64, second_ms: u64) -> Script {
    let mut script = Script::new(7, 0);
    let mut at = 100;
    for _ in 0..epochs {
        script.mark(&["epoch"], at * MS);
        for step in 0..20 {
            let wait = match step {
                0 => first_ms,
                1 => second_ms,
                _ => 1,
            };
            script.span(&["step", "data"], at * MS, wait * MS);
            script.span(&["step", "forward"], (at + wait) * MS, 19 * MS);
            script.span(&["step"], at * MS, (wait + 19) * MS);
            at += wait + 19;
        }
    }
    script.header.closed = Some(anchor(at * MS));
    script
}

/// Returns a worker that starts at a moment and has a first lap at another one, if it has any.
fn worker(pid: u32, started_ms: u64, lap_ms: Option<u64>) -> Script {
    let mut script = Script::new(pid, 60_000 * MS);
    script.header.parent_pid = 7;
    script.header.anchor = anchor(started_ms * MS);
    script.header.process_started_boottime_ns = Some(EPOCH_NS + started_ms * MS);
    if let Some(lap_ms) = lap_ms {
        script.span(&["decode"], lap_ms * MS, 5 * MS);
    }
    script
}

/// Returns when each epoch of a training begins, in ms.
fn epochs(count: u64, first_ms: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |epoch| 100 + epoch * (first_ms + 19 + 19 * 20))
}

fn findings_of(scripts: &[Script]) -> Vec<Finding> {
    summarize(scripts, Options::default()).findings
}

#[test]
fn workers_that_start_in_each_epoch_are_found_and_no_wait_besides() {
    let mut scripts = vec![training(5, 1_000)];
    for (pid, at) in (8..).zip(epochs(5, 1_000)) {
        // The system knows it to a hundredth of a second: two start in the wait, said to be before it.
        scripts.push(worker(pid, at - 7, None));
        scripts.push(worker(20 + pid, at + 3, None));
    }
    let wall_ns = 100 * MS + 5 * (1_000 + 19 + 19 * 20) * MS;
    let all = findings_of(&scripts);
    let [
        Finding::WorkerStarts {
            count,
            total_ns,
            wall_ns: of,
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((*count, *of), (5, wall_ns));
    assert!(total_ns.abs_diff(4_995 * MS) < 5 * MS, "{total_ns}");
}

#[test]
fn the_second_worker_starts_later_and_its_batch_waits_too() {
    let mut scripts = vec![training_of(5, 1_000, 401)];
    for (pid, at) in (8..).zip((0..5).map(|epoch| 100 + epoch * (1_400 + 20 * 20))) {
        scripts.push(worker(pid, at, None));
        scripts.push(worker(20 + pid, at, None));
    }
    let all = findings_of(&scripts);
    let [Finding::WorkerStarts { total_ns, .. }] = &all[..] else {
        panic!("{all:?}");
    };
    assert!(total_ns.abs_diff(7_000 * MS) < 20 * MS, "{total_ns}");
}

#[test]
fn what_workers_do_after_they_have_started_is_no_start() {
    let mut scripts = vec![training(5, 1_000)];
    for (pid, at) in (8..).zip(epochs(5, 1_000)) {
        scripts.push(worker(pid, at, Some(at + 5)));
    }
    let all = findings_of(&scripts);
    assert!(
        all.iter()
            .all(|one| !matches!(one, Finding::WorkerStarts { .. })),
        "{all:?}"
    );
    assert!(
        all.iter()
            .any(|one| matches!(one, Finding::DataWait { .. })),
        "{all:?}"
    );
}

#[test]
fn long_first_waits_without_workers_that_start_are_waits() {
    let all = findings_of(&[training(5, 1_000), worker(8, 50, None)]);
    assert!(matches!(&all[..], [Finding::DataWait { .. }]), "{all:?}");
}

#[test]
fn workers_that_start_at_once_are_not_told() {
    let mut scripts = vec![training(5, 20)];
    for (pid, at) in (8..).zip(epochs(5, 20)) {
        scripts.push(worker(pid, at, None));
    }
    assert_eq!(findings_of(&scripts), []);
}

proptest! {
    #[test]
    fn no_wait_is_counted_twice(
        steps in prop::collection::vec((1_u64..2_000, any::<bool>(), 0_u32..3), 20..60)
    ) {
        let mut script = Script::new(7, 0);
        let (mut at, mut waited_ns, mut workers) = (100, 0, Vec::new());
        for (wait, is_next, count) in &steps {
            script.span(&["step", "data"], at * MS, wait * MS);
            script.span(&["step"], at * MS, (wait + 5) * MS);
            workers.extend((0..*count).map(|_| at));
            waited_ns += wait * MS;
            at += wait + if *is_next { 5 } else { 50 };
        }
        script.header.closed = Some(anchor(at * MS));
        let mut scripts = vec![script];
        scripts.extend((8..).zip(workers).map(|(pid, at)| worker(pid, at, None)));
        for one in findings_of(&scripts) {
            if let Finding::WorkerStarts { total_ns, .. } = one {
                prop_assert!(total_ns <= waited_ns, "{} of {}", total_ns, waited_ns);
            }
        }
    }
}
