use super::*;
use crate::Options;
use crate::summary::call_tree::{Beside, CallKind, CallNode, LinesByTime};
use crate::summary::code_line::LineTime;
use crate::summary::functions::{FunctionTime, OTHER_THREADS};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

const SELECT: (&str, &str) = ("Selector.select", "/usr/lib/python3.11/selectors.py");
const OWN: (&str, &str) = ("load", "/home/me/data.py");

/// A function of so many ms, and how many of these it waits.
fn of((name, file): (&str, &str), own_ms: u64, waiting_ms: u64) -> FunctionTime {
    FunctionTime {
        name: name.to_owned(),
        file: file.to_owned(),
        self_ns: own_ms * MS,
        total_ns: own_ms * MS,
        waiting_ns: waiting_ms * MS,
        self_count: own_ms,
        imported_ns: 0,
        imported_count: 0,
        lines: vec![LineTime {
            line: 9,
            self_ns: own_ms * MS,
            waiting_ns: 0,
        }],
    }
}

fn lap(path: &str, kind: RowKind, functions: Vec<FunctionTime>) -> LapFunctions {
    let all_ns = functions.iter().map(|one| one.self_ns).sum();
    LapFunctions {
        path: path.to_owned(),
        names: path.split('/').map(str::to_owned).collect(),
        kind,
        total_ns: all_ns,
        waiting_ns: functions.iter().map(|one| one.waiting_ns).sum(),
        sample_count: all_ns / MS,
        running_count: 0,
        shared_count: 0,
        imports: Vec::new(),
        collections: Vec::new(),
        functions,
        stacks: Vec::new(),
        calls: Vec::new(),
    }
}

fn sampled(laps: Vec<LapFunctions>) -> Functions {
    Functions {
        sample_count: 1_000,
        period_ns: MS,
        within_ns: 1_000,
        unread_ratio: 0.0,
        laps,
        exact: None,
    }
}

/// A call of a second: of a package, or of the program's own function.
fn node(name: Option<&str>, parent: Option<usize>, waiting_ms: u64) -> CallNode {
    CallNode {
        parent,
        call: match name {
            Some(package) => CallKind::Library {
                name: "result".to_owned(),
                package: package.to_owned(),
            },
            None => CallKind::Own {
                name: OWN.0.to_owned(),
                file: OWN.1.to_owned(),
            },
        },
        line: 9,
        lines_by_time: LinesByTime::default(),
        beside: Beside::No,
        frame_count: 1,
        total_ns: 1_000 * MS,
        self_ns: 0,
        waiting_ns: waiting_ms * MS,
        sample_count: 1_000,
        squared_ns2: 0.0,
        lines: Vec::new(),
    }
}

/// Returns the functions that a wait and the workers beside it are named by, where there is another process or none.
fn named(
    wait: FunctionTime,
    beside: Vec<FunctionTime>,
    has_worker: bool,
) -> (Option<String>, Option<(String, u32)>) {
    let mut scripts = vec![Script::new(7, 100 * MS)];
    scripts[0].span(&["step"], 0, 50 * MS);
    if has_worker {
        let mut worker = Script::new(8, 100 * MS);
        worker.header.parent_pid = 7;
        scripts.push(worker);
    }
    let mut summary = summarize(&scripts, Options::default());
    summary.functions = Some(sampled(vec![
        lap("step/data", RowKind::Span, vec![wait]),
        lap(OTHER_PROCESSES, RowKind::Leftover, beside),
    ]));
    let (function, worker) = of_wait(&summary, "step/data");
    let worker = worker.map(|one| (one.name, (100.0 * one.ratio).round() as u32));
    (function.map(|one| one.name), worker)
}

#[test]
fn of_a_wait_for_workers_their_function_is_named_by_the_time_in_which_they_run() {
    let beside = || {
        vec![
            of(("augment", "/home/me/train.py"), 92, 0),
            of(SELECT, 508, 500),
        ]
    };
    let found = named(of(SELECT, 100, 99), beside(), true);
    assert_eq!(found, (None, Some(("augment".to_owned(), 92))));
    let found = named(of(SELECT, 100, 99), Vec::new(), true);
    assert_eq!(found, (None, None), "nothing was sampled of them");
    let found = named(of(OWN, 100, 99), beside(), true);
    assert_eq!(found, (Some("load".to_owned()), None), "it waits by itself");
    let found = named(of(SELECT, 100, 20), beside(), true);
    assert_eq!(found, (Some(SELECT.0.to_owned()), None), "it runs");
    let found = named(of(SELECT, 100, 99), Vec::new(), false);
    assert_eq!(
        found,
        (Some(SELECT.0.to_owned()), None),
        "nobody else brings data"
    );
}

#[test]
fn of_a_wait_the_function_is_named_that_calls_many_short_ones_of_packages() {
    let mut summary = summarize(&[Script::new(7, 100 * MS)], Options::default());
    let package = |name| of((name, "/usr/lib/python3.11/json/decoder.py"), 400, 0);
    let mut wait = lap(
        "step/data",
        RowKind::Span,
        vec![package("scan"), package("decode"), of(OWN, 200, 0)],
    );
    wait.calls = vec![node(None, None, 0)];
    summary.functions = Some(sampled(vec![wait]));
    let (function, _) = of_wait(&summary, "step/data");
    assert_eq!(function.map(|one| one.name).as_deref(), Some("load"));
}

#[test]
fn outside_of_laps_a_function_is_named_that_has_more_than_half_of_the_time_told() {
    let other = vec![of(OWN, 60, 0), of(SELECT, 40, 0)];
    let functions = sampled(vec![lap("other", RowKind::Leftover, other)]);
    let named = |told_ms: u64| of_leftover(Some(&functions), "other", told_ms * MS);
    assert_eq!(named(100).map(|one| one.line), Some(9));
    assert!((named(110).unwrap().ratio - 60.0 / 110.0).abs() < 1e-9);
    assert_eq!(named(130), None);
}

#[test]
fn a_comprehension_counts_for_the_function_that_it_is_written_in() {
    let part = |name| of((name, OWN.1), 25, 0);
    let parts = [
        "prepare.<locals>.<listcomp>.<genexpr>",
        "prepare.<locals>.<lambda>",
        "prepare",
        "other",
    ];
    let laps = vec![lap("step", RowKind::Span, parts.map(part).to_vec())];
    let found = of_lap(Some(&sampled(laps)), "step").unwrap();
    assert_eq!((&*found.name, found.ratio), ("prepare", 0.75));
}

#[test]
fn a_wait_for_threads_of_the_program_names_what_these_run() {
    let awaited = |package: &str, waiting_ms: u64| {
        let wait = ("result", "/usr/lib/python3.11/threading.py");
        let mut around = lap(
            "outside",
            RowKind::Leftover,
            vec![of(wait, 1_000, waiting_ms)],
        );
        around.calls = vec![
            node(None, None, waiting_ms),
            node(Some(package), Some(0), waiting_ms),
        ];
        let threads = lap(
            OTHER_THREADS,
            RowKind::Leftover,
            vec![of(("encode", "/home/me/text.py"), 1_500, 0)],
        );
        let functions = sampled(vec![around, threads]);
        let found = of_leftover(Some(&functions), "outside", 0).expect("it is mostly there");
        assert_eq!(found.name, OWN.0);
        found.awaited
    };
    let encode = awaited("concurrent", 700).expect("it waits for a thread");
    assert_eq!(
        (&*encode.name, encode.line, encode.is_of_processes),
        ("encode", 9, false)
    );
    assert_eq!(awaited("urllib", 700), None);
    assert_eq!(awaited("concurrent", 100), None);
}
