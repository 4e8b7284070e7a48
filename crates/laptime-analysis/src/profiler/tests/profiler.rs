use laptime_core::format::record::Record;
use laptime_core::{DeviceWork, DeviceWorkKind, Operator, PathId};
use proptest::prelude::*;

use super::device::{DeviceInterval, device_uses};
use super::operator_pass::{Joined, Moment};
use super::{LapOperators, OperatorRun, nest_operators};
use crate::Options;
use crate::summary::Summary;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, Script};

/// The main thread's number in a script.
const THREAD: u64 = 40 + MAIN as u64;

fn ran(name: u32, start_ns: u64, duration_ns: u64) -> OperatorRun {
    OperatorRun {
        start_ns,
        duration_ns,
        thread: THREAD,
        name,
    }
}

fn self_ns(all: &[OperatorRun]) -> Vec<Option<u64>> {
    let nested = nest_operators(all).into_iter();
    nested.map(|one| one.map(|one| one.self_ns)).collect()
}

#[test]
fn what_an_operator_calls_is_not_its_own_time() {
    let all = [
        ran(1, 0, 100),
        ran(2, 10, 30),
        ran(3, 12, 5),
        ran(2, 60, 20),
    ];
    assert_eq!(self_ns(&all), [Some(50), Some(25), Some(5), Some(20)]);
}

#[test]
fn the_only_callee_of_the_same_name_is_the_same_call() {
    // As aten::sum calls aten::sum: one call, whose callees are those of the inner one.
    let all = [ran(1, 0, 100), ran(1, 10, 80), ran(2, 20, 30)];
    assert_eq!(self_ns(&all), [Some(70), None, Some(30)]);
    let two = [ran(1, 0, 100), ran(1, 10, 30), ran(1, 50, 30)];
    assert_eq!(self_ns(&two), [Some(40), Some(30), Some(30)]);
}

#[test]
fn operators_of_other_threads_are_inside_of_none() {
    let other = OperatorRun {
        thread: THREAD + 1,
        ..ran(2, 10, 30)
    };
    assert_eq!(self_ns(&[ran(1, 0, 100), other]), [Some(100), Some(30)]);
}

fn operator(at_ns: u64, thread: u64, name: u32) -> Record<'static> {
    Record::Operator(Operator {
        ticks: EPOCH_NS + at_ns,
        thread,
        name,
        self_ns: 10,
        total_ns: 15,
    })
}

fn kernel(at_ns: u64, duration_ns: u64, launched_ns: u64) -> DeviceWork {
    DeviceWork {
        ticks: EPOCH_NS + at_ns,
        duration_ns,
        name: 2,
        kind: DeviceWorkKind::Kernel,
        device: 0,
        stream: 7,
        launched: (EPOCH_NS + launched_ns, THREAD),
    }
}

/// Returns a step from 100 to 900 with a forward from 200 to 300 and a backward from 400 to 800.
fn script() -> Script {
    let mut script = Script::new(1, 10_000);
    script.name_track(MAIN, false, "MainThread");
    script.span(&["profiled step", "forward"], 200, 100);
    script.span(&["profiled step", "backward"], 400, 400);
    script.span(&["profiled step"], 100, 800);
    for (id, name) in [(1, "aten::mm"), (2, "gemm")] {
        script.observed(Record::OperatorName { id, name });
    }
    script
}

fn lap<'s>(summary: &'s Summary, path: &str) -> &'s LapOperators {
    let operators = summary.operators.as_ref().unwrap();
    let mut laps = operators.laps.iter();
    laps.find(|lap| lap.path == path).unwrap()
}

#[test]
fn operators_are_in_the_innermost_lap_that_holds_their_start() {
    let mut script = script();
    for at in [150, 200, 299, 300, 5_000] {
        script.observed(operator(at, THREAD, 1));
    }
    let summary = summarize(&[script], Options::default());
    let count = |path| lap(&summary, path).call_count;
    assert_eq!(count("profiled step/forward"), 2);
    assert_eq!(count("profiled step"), 2);
    assert_eq!(count("no lap open"), 1);
    let forward = lap(&summary, "profiled step/forward");
    assert_eq!(forward.lap_ns, Some(100));
    assert_eq!(forward.operators[0].name, "aten::mm");
    assert_eq!((forward.self_ns, forward.operators[0].total_ns), (20, 30));
}

#[test]
fn a_thread_without_laps_is_in_the_phase_of_the_main_thread() {
    let mut script = script();
    script.observed(operator(500, THREAD + 9, 1));
    let summary = summarize(&[script], Options::default());
    assert_eq!(lap(&summary, "profiled step/backward").call_count, 1);
}

#[test]
fn kernels_are_in_the_lap_that_launched_them() {
    let mut script = script();
    script.observed(operator(210, THREAD, 1));
    // Launched in forward, it runs in backward's time: busy 100, then a gap of 100.
    script.observed(Record::DeviceWork(kernel(400, 100, 210)));
    // The host launched the next one 60 after the gap began.
    script.observed(Record::DeviceWork(kernel(600, 50, 560)));
    script.observed(Record::DeviceWork(DeviceWork {
        kind: DeviceWorkKind::Copy,
        ..kernel(620, 50, 570)
    }));
    let summary = summarize(&[script], Options::default());
    let forward = lap(&summary, "profiled step/forward");
    assert_eq!(forward.kernels[0].call_count, 1);
    assert_eq!(forward.device.unwrap().busy_ns, 100);
    let backward = lap(&summary, "profiled step/backward");
    let used = backward.device.unwrap();
    assert_eq!(
        (used.busy_ns, used.launch_bound_ns, used.waiting_ns),
        (70, 60, 40)
    );
    let kinds: Vec<DeviceWorkKind> = backward.kernels.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [DeviceWorkKind::Kernel, DeviceWorkKind::Copy]);
    let whole = summary.operators.as_ref().unwrap().devices[0];
    assert_eq!(
        (whole.busy_ns, whole.launch_bound_ns, whole.waiting_ns),
        (170, 60, 40)
    );
}

/// Returns intervals that nest: each holds the next ones, up to its end.
fn nested(seed: &[u8]) -> Vec<(u64, u64, usize)> {
    let mut out: Vec<(u64, u64, usize)> = vec![(0, 1 << 20, 1)];
    for (turn, byte) in seed.iter().enumerate() {
        let (start, end, depth) = out[usize::from(*byte) % out.len()];
        let third = (end - start) / 3;
        if third > 3 {
            let from = start + third * (turn as u64 % 2) + 1;
            let is_free = |(one, other, level): &(u64, u64, usize)| {
                *level != depth + 1 || *other <= from || from + third <= *one
            };
            if out.iter().all(is_free) {
                out.push((from, from + third, depth + 1));
            }
        }
    }
    out
}

proptest! {
    #[test]
    fn own_times_add_up_to_the_time_of_the_outermost(seed in proptest::collection::vec(any::<u8>(), 0..60)) {
        let all: Vec<OperatorRun> = (1..)
            .zip(nested(&seed))
            .map(|(name, (start, end, _))| ran(name, start, end - start))
            .collect();
        let sum: u64 = self_ns(&all).into_iter().flatten().sum();
        prop_assert_eq!(sum, 1 << 20);
    }

    #[test]
    fn every_operator_is_in_the_innermost_lap_that_holds_its_start(
        seed in proptest::collection::vec(any::<u8>(), 0..60),
        moments in proptest::collection::vec((0_u64..(1 << 20) + 100, 0_u64..3), 1..50),
        turn in any::<usize>(),
    ) {
        let laps = nested(&seed);
        let moments: Vec<Moment> = moments
            .iter()
            .map(|(ticks, thread)| Moment { ticks: *ticks, thread: *thread })
            .collect();
        // Thread 0 is the main one and has laps, as has thread 1, at other times; thread 2 has none.
        let mut joined = Joined::new(&moments, 0);
        let mut given: Vec<(u64, u64, u64, usize, PathId)> = Vec::new();
        for (number, (start, end, depth)) in (2..).zip(&laps) {
            given.push((0, *start, *end, *depth, PathId(number)));
            given.push((1, *start / 2, *end / 2, *depth, PathId(number + 1_000)));
        }
        let at = turn % given.len();
        given.rotate_left(at); // in any order
        for (thread, start, end, depth, path) in &given {
            joined.lap(*thread, *start, *end, *depth, *path);
        }
        let found = joined.finish();
        let holds = |thread: u64, ticks: u64| {
            let all = given.iter().filter(move |lap| lap.0 == thread && (lap.1..lap.2).contains(&ticks));
            all.max_by_key(|lap| (lap.3, lap.1)).map(|lap| lap.4)
        };
        for (moment, path) in moments.iter().zip(&found) {
            let own = holds(moment.thread, moment.ticks);
            let expected = own.or_else(|| holds(0, moment.ticks)).unwrap_or(PathId::ROOT);
            prop_assert_eq!(*path, expected);
        }
    }

    #[test]
    fn a_device_is_busy_launch_bound_or_waiting_at_each_moment(
        works in proptest::collection::vec((0_u64..1_000, 1_u64..100, 0_u64..1_000, 0_u8..3), 1..40),
    ) {
        let works: Vec<DeviceInterval<u8>> = works
            .iter()
            .map(|(start, duration, launched, lap)| DeviceInterval {
                device: 0,
                start_ns: *start,
                end_ns: start + duration,
                launched_ns: Some(*launched.min(start)),
                lap: *lap,
            })
            .collect();
        let (devices, laps) = device_uses(&works);
        let first = works.iter().map(|work| work.start_ns).min().unwrap();
        let last = works.iter().map(|work| work.end_ns).max().unwrap();
        let whole = devices[0];
        prop_assert_eq!(whole.busy_ns + whole.launch_bound_ns + whole.waiting_ns, last - first);
        let launch_bound: u64 = laps.values().map(|lap| lap.launch_bound_ns).sum();
        prop_assert_eq!(launch_bound, whole.launch_bound_ns);
        prop_assert!(laps.values().all(|lap| lap.busy_ns <= whole.busy_ns));
    }
}
