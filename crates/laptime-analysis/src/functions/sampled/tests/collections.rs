use laptime_core::format::record::Record;
use laptime_core::{COLLECTION, Runner, SampledStack, StackFrame};

use crate::Options;
use crate::summary::call_tree::CallKind;
use crate::summary::functions::{LapFunctions, collected_in};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

/// A program of 1 s that is looked at each 10 ms, at these frames in turn: `main` (1) in line 3 calls `make` (2) in line 8
/// and `json.loads` (3), and imports `numpy` (5); a collection began in each of them (10 + n).
fn program(frames: &[u32]) -> LapFunctions {
    let mut script = Script::new(7, 1_000 * MS);
    script.name_track(MAIN, false, "main");
    let functions = [
        (1, "main", "/home/me/train.py"),
        (2, "make", "/home/me/train.py"),
        (3, "loads", "/usr/lib/python3.11/json/__init__.py"),
        (4, "_find_and_load", "<frozen importlib._bootstrap>"),
        (
            5,
            "<module>",
            "/venv/lib/python3.11/site-packages/numpy/__init__.py",
        ),
        (6, COLLECTION.0, COLLECTION.1),
    ];
    for (id, name, file) in functions {
        script.observed(Record::Function { id, name, file });
    }
    let calls = [
        (1, 0, 1, 3),
        (2, 1, 2, 8),
        (3, 1, 3, 50),
        (4, 1, 4, 60),
        (5, 4, 5, 2),
    ];
    let collections = calls.map(|(id, ..)| (id + 10, id, 6, 0));
    for (id, parent, function, line) in calls.into_iter().chain(collections) {
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
    for (look, frame) in (1..100).zip(frames.iter().cycle()) {
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + look * 10 * MS,
            thread: 40 + u64::from(MAIN),
            frame: *frame,
            is_running: true,
            has_interpreter: true,
            in_same_turn: false,
            others_ready: false,
            runner: Runner::Thread,
            within_ns: 1_000,
            stands_for_ns: 10 * MS,
        }));
    }
    let summary = summarize(std::slice::from_ref(&script), Options::default());
    summary.functions.unwrap().laps.remove(0)
}

/// Functions with their self and total times in ms, the longest first.
fn times(lap: &LapFunctions) -> Vec<(&str, u64, u64)> {
    let each = lap.functions.iter();
    each.map(|one| (&*one.name, one.self_ns / MS, one.total_ns / MS))
        .collect()
}

#[test]
fn a_collection_is_no_time_of_the_function_that_it_began_in() {
    let lap = program(&[2, 12, 3, 13, 1]);
    assert_eq!(
        times(&lap),
        [
            ("garbage collection", 400, 400),
            ("make", 200, 200),
            ("loads", 200, 200),
            ("main", 190, 590),
        ]
    );
    let outermost = lap.calls.iter().filter(|node| node.parent.is_none());
    let outermost: Vec<_> = outermost
        .map(|node| (&node.call, node.total_ns / MS))
        .collect();
    let [
        (CallKind::Own { name, .. }, 590),
        (CallKind::Collection, 400),
    ] = &outermost[..]
    else {
        panic!("{outermost:?}");
    };
    assert_eq!(name, "main");
}

#[test]
fn short_collections_are_time_of_the_functions_that_they_began_in() {
    let mut looks = [2; 25];
    (looks[3], looks[7]) = (12, 13);
    let lap = program(&looks);
    assert_eq!(
        times(&lap)[..],
        [
            ("make", 910, 950),
            ("garbage collection", 80, 80),
            ("main", 0, 990),
            ("loads", 0, 40),
        ]
    );
    let outermost: Vec<_> = (lap.calls.iter())
        .filter(|node| node.parent.is_none())
        .map(|node| (node.call.own().map(|own| own.0), node.total_ns / MS))
        .collect();
    assert_eq!(outermost, [(Some("main"), 990)]);
}

#[test]
fn the_line_that_nearly_all_collections_began_in_is_known() {
    let lines = |lap: &LapFunctions| {
        let each = lap.collections.iter();
        let each = each.map(|one| (one.place.as_ref().map(|at| at.line), one.total_ns / MS));
        each.collect::<Vec<_>>()
    };
    let one_line = program(&[12, 1, 12]);
    assert_eq!(lines(&one_line), [(Some(8), 660)]);
    assert_eq!(collected_in([&one_line]).map(|at| at.line), Some(8));
    // What a package does is told by the program's line.
    let two = program(&[12, 13]);
    assert_eq!(lines(&two), [(Some(8), 500), (Some(3), 490)]);
    assert_eq!(collected_in([&two]), None);
    assert_eq!(collected_in([&program(&[1])]), None);
}

#[test]
fn what_is_collected_while_a_package_is_imported_is_part_of_the_import() {
    let lap = program(&[5, 15]);
    assert_eq!(lap.collections, []);
    let imports: Vec<_> = lap
        .imports
        .iter()
        .map(|one| (&*one.name, one.total_ns / MS))
        .collect();
    assert_eq!(imports, [("numpy", 990)]);
}
