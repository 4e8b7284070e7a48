//! Programs that were sampled: one whose memory rises in a function, and one that waits for its threads.

use laptime_core::format::record::Record;
use laptime_core::{ProcessMemory, Runner, SampledStack, StackFrame};

use crate::findings::tests::found;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};
use crate::{Finding, MainFunction};

const MAIN_THREAD: u64 = 7;
const OTHER_THREAD: u64 = 8;
const LOAD: u32 = 1;
const PARSE: u32 = 2;
const SHUTDOWN: u32 = 3;
const WAIT: u32 = 4;

/// A program of `s` seconds that knows its functions: each a frame of its own, `wait` called by `load`.
fn program(s: u64) -> Script {
    let mut script = Script::new(7, 0);
    let functions = [
        (LOAD, "load_all", "/home/me/script.py", 0),
        (PARSE, "parse", "/home/me/script.py", 0),
        (SHUTDOWN, "_shutdown", "/usr/lib/python3.12/threading.py", 0),
        (WAIT, "wait", "/usr/lib/python3.12/threading.py", LOAD),
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
    script.header.closed = Some(anchor(s * 1_000 * MS));
    script
}

fn sample(script: &mut Script, thread: u64, at_ms: u64, frame: u32) {
    script.observed(Record::Stack(SampledStack {
        ticks: EPOCH_NS + at_ms * MS,
        thread,
        frame,
        is_running: true,
        has_interpreter: true,
        in_same_turn: false,
        others_ready: false,
        runner: Runner::Unknown,
        within_ns: 1_000,
        stands_for_ns: 10 * MS,
    }));
}

fn level(script: &mut Script, at_ms: u64, bytes: i64) {
    script.observed(Record::Memory {
        ticks: EPOCH_NS + at_ms * MS,
        memory: ProcessMemory {
            bytes,
            peak_bytes: 1 << 40,
        },
    });
}

/// Ten seconds in which `load_all` and `parse` take turns of 100 ms; they allocate so many bytes per 20 ms.
fn rising(load: i64, parse: i64) -> Vec<Finding> {
    let mut script = program(10);
    let mut bytes = 0;
    for at_ms in (0..10_000).step_by(10) {
        let is_load = at_ms / 100 % 2 == 0;
        let frame = if is_load { LOAD } else { PARSE };
        sample(&mut script, MAIN_THREAD, at_ms + 5, frame);
        if at_ms % 20 == 0 {
            level(&mut script, at_ms, bytes);
            bytes += if is_load { load } else { parse };
        }
    }
    found(&script)
}

fn rose_in(all: &[Finding]) -> Option<&MainFunction> {
    let [
        Finding::MemoryRise {
            function,
            is_sampled: true,
            ..
        },
    ] = all
    else {
        panic!("{all:?}");
    };
    function.as_ref()
}

#[test]
fn memory_that_rises_in_one_of_two_functions_is_told_of_that_one() {
    let all = rising(1_000_000, 100_000);
    let function = rose_in(&all).unwrap();
    assert_eq!((function.name.as_str(), function.line), ("load_all", 10));
    assert!((0.8..=1.0).contains(&function.ratio), "{function:?}");
    // What one frees the other allocated.
    let all = rising(-400_000, 500_000);
    assert_eq!(rose_in(&all).unwrap().name, "parse");
}

#[test]
fn memory_that_rises_in_two_functions_alike_is_told_of_none() {
    assert_eq!(rose_in(&rising(500_000, 500_000)), None);
    assert_eq!(rose_in(&rising(600_000, 500_000)), None);
}

/// A function that takes a hundredth of the time allocates it all: it is seen in few of the stretches.
#[test]
fn a_function_that_always_runs_does_not_have_what_others_allocate_in_a_moment() {
    let mut script = program(10);
    for at_ms in (0..10_000).step_by(10) {
        let frame = if at_ms % 400 == 0 { LOAD } else { PARSE };
        sample(&mut script, MAIN_THREAD, at_ms + 5, frame);
        if at_ms % 20 == 0 {
            level(&mut script, at_ms, at_ms as i64 * 20_000);
        }
    }
    assert_eq!(rose_in(&found(&script)), None);
}

#[test]
fn functions_of_a_program_whose_memory_stays_are_no_finding() {
    assert_eq!(rising(0, 0), []);
    assert_eq!(rising(500_000, -500_000), []);
}

/// A script of a second, and so many ms in which the interpreter waits for a thread.
fn waiting(ms: u64, frames: impl Fn(u64) -> u32) -> Vec<Finding> {
    waiting_in(SHUTDOWN, ms, frames)
}

/// A program whose main thread waits in a frame of its own.
fn waiting_in(frame: u32, ms: u64, frames: impl Fn(u64) -> u32) -> Vec<Finding> {
    let mut script = program(10);
    for at_ms in (0..1_000 + ms).step_by(10) {
        let frame = if at_ms < 1_000 { LOAD } else { frame };
        sample(&mut script, MAIN_THREAD, at_ms, frame);
        sample(&mut script, OTHER_THREAD, at_ms + 3, frames(at_ms));
    }
    found(&script)
}

#[test]
fn a_wait_for_threads_at_the_end_names_what_these_do_meanwhile() {
    let all = waiting(4_000, |at_ms| if at_ms < 1_000 { LOAD } else { PARSE });
    let [Finding::ThreadsWait(wait)] = &all[..] else {
        panic!("{all:?}");
    };
    assert_eq!((wait.total_ns, wait.wall_ns), (4_000 * MS, 10_000 * MS));
    assert_eq!(wait.function.as_ref().unwrap().name, "parse");
    // A thread that waits in turn does so for a function of the program.
    let all = waiting(4_000, |_| WAIT);
    let [Finding::ThreadsWait(wait)] = &all[..] else {
        panic!("{all:?}");
    };
    assert_eq!(wait.function.as_ref().unwrap().name, "load_all");
}

#[test]
fn a_script_that_waits_for_its_threads_itself_is_not_done() {
    // What it waits for is its result: threads that are daemons would end before they have it.
    let is_told = |frame: u32| {
        let all = waiting_in(frame, 4_000, |_| PARSE);
        all.iter().any(|one| matches!(one, Finding::ThreadsWait(_)))
    };
    assert!(is_told(SHUTDOWN));
    assert!(!is_told(WAIT));
}

#[test]
fn threads_in_several_functions_are_told_of_none_and_a_short_wait_is_not_told() {
    let all = waiting(4_000, |at_ms| {
        if at_ms % 30 == 0 {
            LOAD
        } else if at_ms % 30 == 10 {
            PARSE
        } else {
            SHUTDOWN
        }
    });
    assert!(
        matches!(&all[..], [Finding::ThreadsWait(wait)] if wait.function.is_none()),
        "{all:?}"
    );
    assert_eq!(waiting(400, |_| PARSE), []);
    assert_eq!(waiting(0, |_| PARSE), []);
}
