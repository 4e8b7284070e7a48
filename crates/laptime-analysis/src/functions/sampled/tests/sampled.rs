use laptime_core::format::record::Record;
use laptime_core::{PathId, Runner, SampledStack, SpanFlags, StackFrame};
use proptest::prelude::*;

use crate::Options;
use crate::summary::functions::{FunctionTime, Functions, LapFunctions};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

const PID: u32 = 7;
/// The main thread's number in a script: 40 more than its track.
const MAIN_THREAD: u64 = 40 + MAIN as u64;

/// Defines functions and frames: `main` calls `load` in line 3 or `train` in line 4, `train` calls `step` and
/// itself.
fn define_functions(script: &mut Script) {
    let names = [(1, "main"), (2, "load"), (3, "train"), (4, "step")];
    for (id, name) in names {
        let file = "/home/me/train.py";
        script.observed(Record::Function { id, name, file });
    }
    let frames = [
        (1, 0, 1, 3),
        (2, 1, 2, 10),
        (3, 0, 1, 4),
        (4, 3, 3, 20),
        (5, 4, 4, 30),
        (6, 4, 3, 21),
        (7, 6, 4, 31),
    ];
    for (id, parent, function, line) in frames {
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
}

fn sample(script: &mut Script, thread: u64, at_ms: u64, frame: u32, is_running: bool) {
    sample_of(script, Runner::Unknown, thread, at_ms, frame, is_running);
}

fn sample_of(
    script: &mut Script,
    runner: Runner,
    thread: u64,
    at_ms: u64,
    frame: u32,
    is_running: bool,
) {
    script.observed(Record::Stack(SampledStack {
        ticks: EPOCH_NS + at_ms * MS,
        thread,
        frame,
        is_running,
        has_interpreter: is_running,
        in_same_turn: false,
        others_ready: false,
        runner,
        within_ns: 1_000,
        stands_for_ns: 10 * MS,
    }));
}

fn script() -> Script {
    let mut script = Script::new(PID, 1_000 * MS);
    script.name_track(MAIN, false, "main");
    define_functions(&mut script);
    script
}

fn functions_of(script: &Script) -> Functions {
    let summary = summarize(std::slice::from_ref(script), Options::default());
    summary.functions.expect("stacks were sampled")
}

fn lap<'f>(functions: &'f Functions, path: &str) -> &'f LapFunctions {
    let mut laps = functions.laps.iter();
    laps.find(|lap| lap.path == path)
        .unwrap_or_else(|| panic!("{path} among {:?}", functions.laps))
}

#[test]
fn a_sample_is_in_the_innermost_lap_of_its_thread() {
    let mut script = script();
    for step in 0..10 {
        let start = (100 + step * 50) * MS;
        script.span(&["step", "data"], start, 20 * MS);
        script.span(&["step"], start, 40 * MS);
        sample(&mut script, MAIN_THREAD, 100 + step * 50 + 5, 2, false);
        sample(&mut script, MAIN_THREAD, 100 + step * 50 + 30, 5, true);
        sample(&mut script, MAIN_THREAD, 100 + step * 50 + 45, 4, true);
    }
    let functions = functions_of(&script);
    assert_eq!((functions.sample_count, functions.period_ns), (30, 10 * MS));
    let data = lap(&functions, "step/data");
    assert_eq!(
        (data.sample_count, data.total_ns, data.waiting_ns),
        (10, 200 * MS, 200 * MS),
        "as it was measured, all of it waiting"
    );
    assert_eq!(data.functions[0].name, "load");
    assert_eq!(data.functions[0].lines[0].line, 10);
    assert_eq!(lap(&functions, "step").functions[0].name, "step");
    // The last one comes after all laps.
    assert_eq!(lap(&functions, "other").sample_count, 9);
    assert_eq!(lap(&functions, "exit").sample_count, 1);
}

#[test]
fn own_times_add_up_and_a_function_that_calls_itself_counts_once() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    for index in 0..20 {
        sample(&mut script, MAIN_THREAD, 105 + index * 10, 7, true);
    }
    sample(&mut script, MAIN_THREAD, 350, 4, true);
    let functions = functions_of(&script);
    let step = lap(&functions, "step");
    let own: u64 = step.functions.iter().map(|one| one.self_ns).sum();
    let near = |ns: u64, to_ms: u64| ns.abs_diff(to_ms * MS) < 5;
    assert!(near(own, 300) && step.total_ns == 300 * MS, "{own}");
    let train = step
        .functions
        .iter()
        .find(|one| one.name == "train")
        .unwrap();
    assert!(near(train.total_ns, 300) && train.self_ns == 300 * MS * 10 / 210);
    assert_eq!(train.self_count, 1);
    let node = |name: &str| step.stacks.iter().filter(|node| node.name == name).count();
    assert_eq!((node("main"), node("train"), node("step")), (1, 2, 1));
    for node in &step.stacks {
        let inside = step.stacks.iter().filter(|inner| {
            inner
                .parent
                .is_some_and(|at| std::ptr::eq(&raw const step.stacks[at], node))
        });
        let inside: u64 = inside.map(|inner| inner.total_ns).sum();
        assert!(node.total_ns.abs_diff(node.self_ns + inside) < 5);
    }
}

#[test]
fn of_tasks_that_are_open_together_no_single_one_is_named() {
    let mut script = script();
    // Tasks run on the main thread here.
    for (track, name) in [(MAIN + 1, "a"), (MAIN + 2, "b")] {
        script.observed(Record::TrackName {
            track,
            is_task: true,
            thread: MAIN_THREAD,
            name: "task",
        });
        let start = if name == "a" { 100 } else { 200 };
        script.span_on(
            track,
            &["serve", name],
            start * MS,
            200 * MS,
            SpanFlags::DETACHED,
        );
    }
    script.span(&["serve"], 50 * MS, 500 * MS);
    for at_ms in [60, 150, 250, 350, 450] {
        sample(&mut script, MAIN_THREAD, at_ms, 2, true);
    }
    let functions = functions_of(&script);
    assert_eq!(lap(&functions, "serve/a").sample_count, 1);
    assert_eq!(lap(&functions, "serve/b").sample_count, 1);
    let shared = lap(&functions, "serve");
    assert_eq!((shared.sample_count, shared.shared_count), (3, 1));
}

#[test]
fn a_sample_is_in_the_lap_of_the_task_that_ran() {
    let mut script = script();
    for track in [MAIN + 1, MAIN + 2] {
        script.observed(Record::TrackName {
            track,
            is_task: true,
            thread: MAIN_THREAD,
            name: "task",
        });
    }
    script.span_on(
        MAIN + 1,
        &["a", "deep"],
        100 * MS,
        50 * MS,
        SpanFlags::DETACHED,
    );
    script.span_on(MAIN + 1, &["a"], 100 * MS, 200 * MS, SpanFlags::DETACHED);
    script.span_on(MAIN + 2, &["b"], 100 * MS, 300 * MS, SpanFlags::DETACHED);
    script.span(&["serve"], 50 * MS, 500 * MS);
    // Defines the path in the window that has the samples.
    script.span(&["a"], 600 * MS, 10 * MS);
    let a = script.path(&["a"]);
    let of = |track: u32, path: PathId| Runner::Task { track, path };
    for (runner, at_ms) in [
        (of(MAIN + 1, PathId::ROOT), 120),
        (of(MAIN + 1, PathId::ROOT), 220),
        (of(MAIN + 2, PathId::ROOT), 320),
        // Its lap is over; it was started in `a`.
        (of(MAIN + 2, a), 420),
        // Tasks that never had a lap: started in `a`, and in none.
        (of(0, a), 130),
        (of(0, PathId::ROOT), 140),
        // The loop itself.
        (Runner::Thread, 150),
    ] {
        sample_of(&mut script, runner, MAIN_THREAD, at_ms, 2, true);
    }
    let functions = functions_of(&script);
    let counts = ["a/deep", "a", "b", "serve"].map(|path| lap(&functions, path).sample_count);
    assert_eq!(counts, [1, 3, 1, 2]);
    assert!(functions.laps.iter().all(|lap| lap.shared_count == 0));
}

#[test]
fn other_threads_and_stacks_that_were_not_read_are_told_apart() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    sample(&mut script, MAIN_THREAD, 150, 2, true);
    sample(&mut script, 9_999, 150, 2, false);
    sample(&mut script, 9_998, 150, 2, false);
    sample(&mut script, 0, 160, 0, false);
    // A frame that no window defines.
    sample(&mut script, MAIN_THREAD, 170, 77, true);
    let functions = functions_of(&script);
    assert_eq!(lap(&functions, "other threads").waiting_ns, 20 * MS);
    // However many there are, what the program does stands above.
    let paths: Vec<&str> = functions.laps.iter().map(|lap| &*lap.path).collect();
    assert_eq!(paths, ["step", "other threads"]);
    assert_eq!(functions.sample_count, 3);
    assert!(
        (functions.unread_ratio - 0.4).abs() < 0.01,
        "{}",
        functions.unread_ratio
    );
}

#[test]
fn the_time_before_the_first_lap_is_startup_and_of_a_program_without_laps_its_own() {
    let mut script = script();
    sample(&mut script, MAIN_THREAD, 20, 2, true);
    assert_eq!(lap(&functions_of(&script), "program").sample_count, 1);
    script.span(&["step"], 100 * MS, 300 * MS);
    assert_eq!(lap(&functions_of(&script), "startup").sample_count, 1);
}

#[test]
fn work_after_the_last_lap_is_the_main_gap_and_no_exit() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    for at_ms in (110..390).step_by(10) {
        sample(&mut script, MAIN_THREAD, at_ms, 4, true);
    }
    for at_ms in [500, 600, 700] {
        sample(&mut script, MAIN_THREAD, at_ms, 2, true);
    }
    sample(&mut script, MAIN_THREAD, 950, 1, true);
    script.note("interpreter.exits", &script.ticks(900 * MS).to_string());
    let functions = functions_of(&script);
    assert_eq!(lap(&functions, "after").sample_count, 3);
    assert_eq!(lap(&functions, "exit").sample_count, 1);
    assert_eq!(functions.main_lap().unwrap().path, "step");
    // The lap was measured: 300 ms; what was sampled after it stands for 30 ms.
    assert_eq!(functions.main_gap().map(|gap| &*gap.path), None);
    for at_ms in 410..850 {
        sample(&mut script, MAIN_THREAD, at_ms, 2, true);
    }
    let functions = functions_of(&script);
    assert_eq!(functions.main_gap().map(|gap| &*gap.path), Some("after"));
}

/// The loop waits while the laps of tasks are open: that is no time outside of laps.
#[test]
fn the_loop_of_tasks_is_told_from_what_is_outside_of_laps() {
    let mut script = script();
    for (id, name, file) in [
        (
            30,
            "BaseEventLoop.run_forever",
            "/usr/lib/python3.11/asyncio/base_events.py",
        ),
        (
            31,
            "EpollSelector.select",
            "/usr/lib/python3.11/selectors.py",
        ),
    ] {
        script.observed(Record::Function { id, name, file });
        let (parent, function) = (if id == 30 { 0 } else { 30 }, id);
        let line = 1;
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
    script.span(&["first"], 100 * MS, 10 * MS);
    script.span(&["last"], 800 * MS, 10 * MS);
    for at_ms in [300, 310, 320] {
        sample_of(&mut script, Runner::Thread, MAIN_THREAD, at_ms, 31, false);
    }
    sample_of(&mut script, Runner::Thread, MAIN_THREAD, 500, 2, true);
    let functions = functions_of(&script);
    assert_eq!(lap(&functions, "event loop").sample_count, 3);
    assert_eq!(lap(&functions, "other").sample_count, 1);
    assert!(lap(&functions, "event loop").is_beside());
}

#[test]
fn a_lap_of_tasks_keeps_the_time_of_its_samples() {
    let mut script = script();
    script.observed(Record::TrackName {
        track: MAIN + 1,
        is_task: true,
        thread: MAIN_THREAD,
        name: "task",
    });
    // It waits most of its 200 ms, while the thread does other things.
    script.span_on(MAIN + 1, &["a"], 100 * MS, 200 * MS, SpanFlags::DETACHED);
    let of = Runner::Task {
        track: MAIN + 1,
        path: PathId::ROOT,
    };
    for index in 0..12 {
        sample_of(&mut script, of, MAIN_THREAD, 101 + index * 10, 2, true);
    }
    script.span(&["b"], 400 * MS, 300 * MS);
    sample(&mut script, MAIN_THREAD, 450, 2, true);
    let functions = functions_of(&script);
    assert_eq!(lap(&functions, "a").total_ns, 120 * MS);
    // Ten milliseconds of three hundred: not what was measured.
    assert_eq!(lap(&functions, "b").total_ns, 10 * MS);
}

#[test]
fn a_share_of_few_samples_is_less_certain() {
    let of = Functions::uncertainty;
    assert!((of(0.5, 100) - 0.096).abs() < 0.002, "{}", of(0.5, 100));
    assert!(of(0.5, 1_000) < of(0.5, 100) && of(0.0, 10) > 0.0);
}

/// Scripts the import system's function 5 and two packages' code: `main` imports torch, which imports numpy.
fn importing(script: &mut Script) {
    let modules = [
        (
            5,
            "_call_with_frames_removed",
            "<frozen importlib._bootstrap>",
        ),
        (
            6,
            "<module>",
            "/v/lib/python3.11/site-packages/torch/__init__.py",
        ),
        (
            7,
            "<module>",
            "/v/lib/python3.11/site-packages/numpy/__init__.py",
        ),
    ];
    for (id, name, file) in modules {
        script.observed(Record::Function { id, name, file });
    }
    let frames = [
        (11, 0, 1, 1),
        (12, 11, 5, 241),
        (13, 12, 6, 5),
        (14, 13, 5, 241),
        (15, 14, 7, 9),
        // A function that torch's code calls while it is imported, and the same one later.
        (16, 13, 2, 10),
        (17, 11, 2, 10),
    ];
    for (id, parent, function, line) in frames {
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
}

proptest! {
    #[test]
    fn imports_and_what_functions_do_beside_them_add_up_to_the_lap(
        frames in prop::collection::vec(11_u32..18, 1..60)
    ) {
        let mut script = script();
        importing(&mut script);
        script.span(&["load"], 0, 900 * MS);
        for (index, frame) in (0_u64..).zip(&frames) {
            sample(&mut script, MAIN_THREAD, 5 + index * 10, *frame, true);
        }
        let functions = functions_of(&script);
        let load = lap(&functions, "load");
        let imported: u64 = load.imports.iter().map(|one| one.total_ns).sum();
        let beside: u64 = load.functions.iter().map(FunctionTime::beside_imports_ns).sum();
        // What was sampled is brought to what was measured, in whole nanoseconds.
        let rounded = (load.imports.len() + load.functions.len()) as u64;
        prop_assert!(load.total_ns.abs_diff(imported + beside) <= 2 * rounded);
        let counted: u64 = load.imports.iter().map(|one| one.sample_count).sum();
        let others: u64 = load.functions.iter().map(FunctionTime::beside_imports_count).sum();
        prop_assert_eq!(counted + others, load.sample_count);
        prop_assert!(load.imports.iter().all(|one| one.name == "torch"));
    }
}

#[test]
fn a_process_beside_the_main_one_did_not_work_while_it_waited_for_a_processor() {
    let mut main = script();
    main.span(&["wait"], 0, 1_000 * MS);
    let mut worker = script();
    worker.header.pid = 8;
    worker.header.parent_pid = PID;
    for at_ms in (0..1_000).step_by(10) {
        sample(&mut main, MAIN_THREAD, at_ms, 1, false);
        sample(&mut worker, MAIN_THREAD, at_ms, 2, true);
        // It is ready to run all the time, and has a processor for a quarter of it.
        worker.delayed(MAIN, at_ms * MS, at_ms * MS * 3 / 4);
    }
    let summary = summarize(&[main, worker], Options::default());
    let functions = summary.functions.expect("stacks were sampled");
    let beside = lap(&functions, "other processes");
    assert_eq!(beside.total_ns, 1_000 * MS);
    let ratio = beside.running_ns() as f64 / (250 * MS) as f64;
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
}
