//! Programs whose memory grows, told by what is resident.

use laptime_core::format::record::Record;
use laptime_core::{PrivateMemory, ProcessMemory, Runner, SampledStack, StackFrame};

use crate::Finding;
use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

const MIB: u64 = 1_048_576;
const KEEP: u32 = 1;
const WORK: u32 = 2;
const IMPORT: u32 = 3;
const IN_WORK: u32 = 4;

/// A reading, the so manyth, of what a process allocated.
fn sample(index: u64, bytes: u64) -> Record<'static> {
    Record::Sample {
        ticks: EPOCH_NS + index * 100 * MS,
        resident_bytes: bytes + 300 * MIB,
        private: Some(PrivateMemory {
            resident_bytes: bytes,
            reserved_bytes: 2 * bytes,
        }),
    }
}

/// A program that is read ten times per second, and grows by so many MiB between two readings.
fn program(readings: u64, mib: u64) -> Script {
    let mut script = Script::new(7, 0);
    for index in 0..readings {
        script.observed(sample(index, 200 * MIB + index * mib * MIB));
    }
    script.header.closed = Some(anchor(readings * 100 * MS));
    script
}

/// Such a program with steps of 50 ms.
fn training(readings: u64, mib: u64) -> Script {
    let mut script = program(readings, mib);
    for step in 0..2 * readings {
        script.span(&["step"], step * 50 * MS, 49 * MS);
    }
    script
}

fn resident(script: &Script) -> Vec<Finding> {
    let is_meant = |one: &Finding| matches!(one, Finding::ResidentGrowth { .. });
    found(script).into_iter().filter(is_meant).collect()
}

#[test]
fn steps_that_leave_memory_are_told_with_what_each_leaves() {
    let all = resident(&training(100, 2));
    let [
        Finding::ResidentGrowth {
            path,
            step_count,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns: None,
            before_end_ns: None,
            is_counted: false,
            counted_bytes: None,
            function: None,
            busy_function: None,
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(path.as_deref(), Some("step"));
    assert!(each_bytes.abs_diff(MIB) < MIB / 100, "{each_bytes}");
    assert!(*uncertainty_bytes < MIB / 50);
    let steps = step_count.unwrap();
    assert!((150..=200).contains(&steps), "{steps}");
    assert!(
        risen_bytes.abs_diff(steps * MIB) <= 2 * MIB,
        "{risen_bytes}"
    );
}

#[test]
fn a_program_without_steps_is_told_per_second_of_a_few_seconds_too() {
    for readings in [22, 150] {
        let all = resident(&program(readings, 2));
        let [
            Finding::ResidentGrowth {
                path: None,
                step_count: None,
                each_bytes,
                during_ns: Some(during_ns),
                ..
            },
        ] = &all[..]
        else {
            panic!("{all:?}");
        };
        assert!(each_bytes.abs_diff(20 * MIB) < MIB / 10, "{each_bytes}");
        assert!(*during_ns < readings * 100 * MS, "{during_ns}");
    }
}

#[test]
fn what_is_little_or_stays_is_not_told() {
    assert_eq!(resident(&training(100, 0)), []);
    assert_eq!(resident(&program(15, 8)), [], "too few readings");
    assert_eq!(resident(&training(15, 8)), [], "too few readings in steps");
}

/// Has a program run functions of its script, seen fifty times a second: each time as `stack` says of the moment in ms.
fn sampled(script: &mut Script, until_ms: u64, stack: impl Fn(u64) -> u32) {
    looks(script, until_ms, |at_ms| (stack(at_ms), true));
}

/// Has a program run functions, as `stack` says of the moment in ms, with whether it was at work or waited.
fn looks(script: &mut Script, until_ms: u64, stack: impl Fn(u64) -> (u32, bool)) {
    let functions = [
        (KEEP, "keep", "/home/me/script.py", 0),
        (WORK, "work", "/home/me/script.py", 0),
        (IN_WORK, "parse", "/home/me/script.py", WORK),
        (
            IMPORT,
            "_find_and_load",
            "<frozen importlib._bootstrap>",
            WORK,
        ),
    ];
    for (id, name, file, parent) in functions {
        script.observed(Record::Function { id, name, file });
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function: id,
            line: 10 * id,
        }));
    }
    for at_ms in (10..until_ms).step_by(20) {
        let (frame, at_work) = stack(at_ms);
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + at_ms * MS,
            thread: 7,
            frame,
            is_running: at_work,
            has_interpreter: at_work,
            in_same_turn: false,
            others_ready: false,
            runner: Runner::Unknown,
            within_ns: 1_000,
            stands_for_ns: 20 * MS,
        }));
    }
}

/// The names of the function that memory rises in, and of the one that mostly runs meanwhile.
fn functions(script: &Script) -> Vec<(Option<String>, Option<String>)> {
    let all = resident(script).into_iter();
    all.map(|one| {
        let Finding::ResidentGrowth {
            function,
            busy_function,
            ..
        } = one
        else {
            unreachable!()
        };
        (
            function.map(|one| one.name),
            busy_function.map(|one| one.name),
        )
    })
    .collect()
}

#[test]
fn a_function_is_named_where_memory_rises_while_it_runs_and_hardly_while_others_do() {
    // Half a second each in turn: memory rises in one of them.
    let in_turn = |at_ms: u64| {
        if (at_ms / 500).is_multiple_of(2) {
            KEEP
        } else {
            WORK
        }
    };
    let mut script = Script::new(7, 0);
    let mut bytes = 200 * MIB;
    for index in 0..150 {
        script.observed(sample(index, bytes));
        bytes += if in_turn(index * 100) == KEEP {
            2 * MIB
        } else {
            0
        };
    }
    script.header.closed = Some(anchor(15_000 * MS));
    sampled(&mut script, 15_000, in_turn);
    assert_eq!(functions(&script), [(Some("keep".to_owned()), None)]);
    // Evenly over both, none of them has most.
    let mut script = program(150, 2);
    sampled(&mut script, 15_000, in_turn);
    assert_eq!(functions(&script), [(None, None)]);
}

#[test]
fn a_function_that_nearly_always_runs_is_told_as_that() {
    let mut script = program(150, 2);
    sampled(&mut script, 15_000, |at_ms| {
        if at_ms % 300 < 20 { WORK } else { KEEP }
    });
    assert_eq!(functions(&script), [(None, Some("keep".to_owned()))]);
}

#[test]
fn a_program_that_mostly_waits_is_told_with_what_it_does_at_work() {
    let mut script = program(150, 2);
    // One look in fifty falls into the function that works.
    looks(&mut script, 15_000, |at_ms| {
        let at_work = at_ms % 1_000 == 510;
        (if at_work { KEEP } else { WORK }, at_work)
    });
    assert_eq!(functions(&script), [(None, Some("keep".to_owned()))]);
}

#[test]
fn of_functions_that_run_in_turn_the_one_that_calls_them_is_told() {
    let mut script = program(150, 2);
    sampled(&mut script, 15_000, |at_ms| {
        if at_ms % 40 < 20 { IN_WORK } else { KEEP }
    });
    assert_eq!(functions(&script), [(None, None)], "nothing is around both");
    let mut script = program(150, 2);
    sampled(&mut script, 15_000, |at_ms| {
        if at_ms % 40 < 20 { IN_WORK } else { WORK }
    });
    assert_eq!(functions(&script), [(None, Some("work".to_owned()))]);
}

#[test]
fn a_rise_after_long_imports_is_one_of_the_program() {
    let mut script = Script::new(7, 0);
    for index in 0..100 {
        let kept = u64::saturating_sub(index, 70) * 2;
        script.observed(sample(index, (20 + index.min(70) + kept) * MIB));
    }
    script.header.closed = Some(anchor(10_000 * MS));
    assert_eq!(resident(&script), [], "a third of the time");
    sampled(&mut script, 10_000, |at_ms| {
        if at_ms < 7_000 { IMPORT } else { KEEP }
    });
    assert_eq!(functions(&script), [(None, Some("keep".to_owned()))]);
}

#[test]
fn laps_that_take_little_of_the_time_do_not_hide_it() {
    let mut script = program(100, 2);
    for lap in 0..200 {
        script.span(&["round"], lap * 50 * MS, MS);
    }
    let all = resident(&script);
    assert!(
        matches!(all[..], [Finding::ResidentGrowth { path: None, .. }]),
        "{all:?}"
    );
}

#[test]
fn what_imports_take_is_not_told() {
    let mut script = program(150, 2);
    sampled(&mut script, 15_000, |_| IMPORT);
    assert_eq!(resident(&script), []);
}

#[test]
fn where_allocations_are_counted_they_tell_it() {
    let mut script = training(100, 2);
    for index in 0..500 {
        script.observed(Record::Memory {
            ticks: EPOCH_NS + index * 20 * MS,
            memory: ProcessMemory {
                bytes: (index * MIB * 2 / 5) as i64,
                peak_bytes: 1 << 40,
            },
        });
    }
    let all = found(&script);
    assert!(matches!(all[..], [Finding::MemoryGrowth { .. }]), "{all:?}");
}

#[test]
fn steps_whose_modules_are_timed_are_not_told_to_leave_memory() {
    let mut script = training(100, 2);
    for step in 0..200 {
        script.span(&["step", "forward"], step * 50 * MS, 20 * MS);
    }
    assert_eq!(resident(&script).len(), 1);
    for step in 0..200 {
        script.span(&["step", "forward", "Net"], step * 50 * MS, 10 * MS);
    }
    script.module(&["step", "forward", "Net"], 0, "Net");
    assert_eq!(resident(&script), []);
}
