//! Sampled and counted functions: what a report shows unasked, and what the tables say of their shares.

use laptime_analysis::{Finding, Options, Summary};
use laptime_core::format::record::Record;
use laptime_core::{CallSums, CalledFunction, FunctionCalls, PathId, SampledStack, StackFrame};

use super::tests::scripted::{EPOCH_NS, MAIN, MS, Script};
use super::tests::{analyzed, plain, shown};
use super::*;

/// Number of the main thread; the script numbers threads 40 above their tracks.
const MAIN_THREAD: u64 = 40 + MAIN as u64;

/// Scripts `main` that calls `load`, which calls `parse`.
fn script() -> Script {
    let mut script = Script::new(7, 1_000 * MS);
    script.name_track(MAIN, false, "main");
    for (id, name) in [(1, "main"), (2, "load"), (3, "parse")] {
        let file = "/home/me/train.py";
        script.observed(Record::Function { id, name, file });
    }
    for (id, line) in [(1, 3), (2, 10), (3, 20)] {
        let (parent, function) = (id - 1, id);
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
    script
}

fn sample(script: &mut Script, thread: u64, at_ms: u64, frame: u32) {
    look(script, thread, at_ms, frame, true);
}

fn look(script: &mut Script, thread: u64, at_ms: u64, frame: u32, is_running: bool) {
    script.observed(Record::Stack(SampledStack {
        ticks: EPOCH_NS + at_ms * MS,
        thread,
        frame,
        is_running,
        has_interpreter: true,
        in_same_turn: false,
        others_ready: false,
        runner: laptime_core::Runner::Unknown,
        within_ns: 1_000,
        stands_for_ns: 10 * MS,
    }));
}

/// Takes samples of `load` and `parse` in turns, from one moment to another.
fn samples(script: &mut Script, from_ms: u64, to_ms: u64) {
    for at_ms in (from_ms..to_ms).step_by(10) {
        sample(
            script,
            MAIN_THREAD,
            at_ms,
            2 + (at_ms / 10 % 4).min(1) as u32,
        );
    }
}

fn summary(script: &Script) -> Summary {
    analyzed::summarize(std::slice::from_ref(script), Options::default())
}

fn by_function(filter: Option<&str>) -> View {
    View {
        by: By::Function,
        filter: filter.map(str::to_owned),
        ..plain(100)
    }
}

fn text(summary: &Summary, view: &View) -> String {
    shown(summary, Format::Text, view)
}

/// Returns the lines of a report from a heading on.
fn from<'t>(text: &'t str, heading: &str) -> &'t str {
    let at = text.find(&format!("\n{heading}\n"));
    &text[at.unwrap_or_else(|| panic!("{heading} in {text}")) + 1..]
}

#[test]
fn a_program_without_laps_is_told_by_its_calls_unasked() {
    let mut script = script();
    samples(&mut script, 100, 500);
    let told = text(&summary(&script), &plain(100));
    assert!(
        told.contains("1.00 s: 30 % parse (train.py:20), 10 % line train.py:10 of load."),
        "{told}"
    );
    insta::assert_snapshot!(from(&told, "calls"), @r"
    calls
    40 samples: shares are ± 15 points
    function                  total   share
    ────────────────────────────────────────────────────
    main train.py:3          400 ms  40.0 % ████▊
    └─ load train.py:10      400 ms  40.0 % ████▊
       ├─ parse train.py:20  300 ms  30.0 % ███▋
       └─ itself             100 ms  10.0 % █▎
    ");
}

#[test]
fn calls_of_the_lap_that_took_most_are_told_where_no_finding_is_and_those_of_each_in_the_tree() {
    let mut script = script();
    script.span(&["step", "data"], 100 * MS, 300 * MS);
    script.span(&["step"], 100 * MS, 400 * MS);
    samples(&mut script, 0, 600);
    let summary = summary(&script);
    let mut lone = summary.clone();
    lone.findings.clear();
    insta::assert_snapshot!(from(&text(&lone, &plain(100)), "calls of step"), @r"
    calls of step
    40 samples: shares are ± 15 points
    function               total   share
    ─────────────────────────────────────────────────
    step                  400 ms   100 % ████████████
    ├─ parse train.py:20  300 ms  75.0 % █████████
    └─ itself             100 ms  25.0 % ███
    ");
    lone.findings.push(Finding::HotSpot {
        path: "step/data".into(),
        class: String::new(),
        step_path: "step".into(),
        self_ns: 1,
        steps_ns: 1,
        function: None,
    });
    assert!(!text(&lone, &plain(100)).contains("calls of step"));
    let view = View {
        tree: true,
        ..plain(100)
    };
    insta::assert_snapshot!(from(&shown(&summary, Format::Tree, &view), "calls"), @r"
    calls
    step/data  300 ms  30.0 %
    ├─ parse train.py:20  230 ms  23.0 %
    └─ itself  70.0 ms  7.0 %
    step  100 ms  10.0 %
    ├─ parse train.py:20  70.0 ms  7.0 %
    └─ itself  30.0 ms  3.0 %
    exit  100 ms  10.0 %
    ├─ parse train.py:20  80.0 ms  8.0 %
    └─ itself  20.0 ms  2.0 %
    startup  100 ms  10.0 %
    ├─ parse train.py:20  70.0 ms  7.0 %
    └─ itself  30.0 ms  3.0 %
    ");
    // A page has all functions, and once.
    let page = Document::of_page(&summary, &plain(100));
    let headings = page
        .sections
        .iter()
        .filter_map(|section| section.heading.as_deref());
    let of_functions = headings.filter(|heading| heading.starts_with("functions"));
    assert_eq!(of_functions.collect::<Vec<_>>(), ["functions"]);
}

#[test]
fn time_between_laps_that_is_longer_than_any_has_its_calls_unasked() {
    let mut script = script();
    script.span(&["load"], 0, 50 * MS);
    script.span(&["save"], 900 * MS, 50 * MS);
    samples(&mut script, 50, 900);
    let told = text(&summary(&script), &plain(100));
    assert!(
        from(&told, "calls outside of laps").contains("load train.py:10"),
        "{told}"
    );
}

#[test]
fn what_was_not_sampled_of_the_exit_has_a_row_of_its_own() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    samples(&mut script, 0, 450);
    let summary = summary(&script);
    let exit = summary.rows.iter().find(|row| row.path == "exit").unwrap();
    assert_eq!(exit.total_ns, 600 * MS);
    let told = text(&summary, &by_function(Some("exit")));
    insta::assert_snapshot!(from(&told, "functions"), @"
    functions
    45 stacks sampled 100 times per second: a share seen in 100 samples is ± 10 points, in 1,000 ± 3
    lap, its functions               samples     self    total  of parent   share
    ──────────────────────────────────────────────────────────────────────────────────────────
    exit                                   5            600 ms             60.0 % ███████▎
    ├─ parse train.py:20                   3  30.0 ms  30.0 ms      5.0 %
    │  └─ called from load train.py
    ├─ load train.py:10                    2  20.0 ms  50.0 ms      3.3 %
    │  └─ called from main train.py
    └─ not sampled                                      550 ms     91.7 %
    self is time in the function itself and in what it calls that isn't Python, total also in the
    functions that it calls
    not sampled: the start and the end of the interpreter itself, and what could not be read
    of parent is the self time's share of the lap
    ");
}

#[test]
fn a_lap_that_is_called_as_what_is_left_over_is_told_from_it() {
    let mut script = script();
    script.span(&["startup"], 100 * MS, 300 * MS);
    samples(&mut script, 0, 400);
    let told = text(&summary(&script), &by_function(None));
    let named = |name: &str| told.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(named("startup (not the lap) "), 1, "{told}");
    assert_eq!(named("startup "), 2, "{told}");
}

#[test]
fn a_share_above_all_says_of_what() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    for thread in 100..103 {
        for at_ms in (0..1_000).step_by(10) {
            sample(&mut script, thread, at_ms, 1);
        }
    }
    let note = "share is of the run's 1.00 s; other threads";
    let told = text(&summary(&script), &by_function(None));
    assert!(told.contains("3.0 ×") && told.contains(note), "{told}");
    let mut alone = self::script();
    alone.span(&["step"], 100 * MS, 300 * MS);
    samples(&mut alone, 0, 400);
    assert!(!text(&summary(&alone), &by_function(None)).contains("share is of"));
}

/// Checks a program that waits for its workers, while others of its threads wait too.
#[test]
fn of_threads_beside_the_main_one_their_work_alone_is_told() {
    let mut script = script();
    for at_ms in (0..1_000).step_by(10) {
        look(&mut script, MAIN_THREAD, at_ms, 1, false);
        look(&mut script, 100, at_ms, 2, false);
        look(&mut script, 101, at_ms, 2, false);
        look(&mut script, 102, at_ms, 3, true);
    }
    let told = text(&summary(&script), &plain(120));
    assert!(
        told.contains("1.00 s: 100 % parse (train.py:20)."),
        "{told}"
    );
    insta::assert_snapshot!(from(&told, "calls"), @r"
    calls
    200 samples: shares are ± 7 points. Share is of the run's 1.00 s; other threads and processes ran beside it, so theirs
    can be several times that (×)
    function                       total  share
    ────────────────────────────────────────────────────────
    main train.py:3 (waiting)     1.00 s  100 % ████████████
    main train.py:3 (in threads)  1.00 s  100 % ████████████
    └─ load train.py:10           1.00 s  100 % ████████████
       └─ parse train.py:20       1.00 s  100 % ████████████
    ");
}

#[test]
fn a_filter_that_no_lap_passes_shows_no_table() {
    let mut script = script();
    script.span(&["step"], 100 * MS, 300 * MS);
    samples(&mut script, 0, 400);
    let summary = summary(&script);
    for (pattern, is_there) in [("step", true), ("stepp", false)] {
        let view = by_function(Some(pattern));
        assert_eq!(has_rows(&summary, &view), is_there);
        assert_eq!(near(&summary, &view).as_deref(), Some("step"));
        let told = text(&summary, &view);
        assert_eq!(told.contains("lap, its functions"), is_there, "{told}");
    }
}

#[test]
fn counted_calls_have_a_table_unasked_and_say_who_called() {
    let mut script = script();
    for (id, line, name) in [(1, 3, "main"), (2, 9, "load")] {
        let file = "/home/me/train.py";
        script.observed(Record::CalledFunction(CalledFunction {
            id,
            line,
            name,
            file,
        }));
    }
    for (caller, function, own) in [(0, 1, 1), (1, 2, 99)] {
        let (own, total) = (own * MS, 100 * MS);
        script.observed(Record::Calls(FunctionCalls {
            path: PathId::ROOT,
            thread: 1,
            caller,
            function,
            sums: CallSums {
                calls: 3,
                primitive: 3,
                own,
                total,
                primitive_from: 3,
                total_from: total,
            },
        }));
    }
    let told = text(&summary(&script), &plain(100));
    insta::assert_snapshot!(from(&told, "calls"), @"
    calls
    Times include the counting, which makes short functions look longer than they are
    lap, functions called in it        calls     self   total  per call  of parent  share
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    program                                6   100 ms                               100 % ████████████
    ├─ load train.py:9                     3  99.0 ms  100 ms   33.3 ms     99.0 %
    │  └─ called from main train.py:3
    └─ main train.py:3                     3  1.00 ms  100 ms   33.3 ms      1.0 %
    self is time in the function itself, total also in what it called; share is the lap's of all
    per call is the total of a primitive call
    of parent is the self time's share of the lap's
    ");
    let first = View {
        top: Some(1),
        ..by_function(None)
    };
    let told = text(&summary(&script), &first);
    let others = told.lines().find(|line| line.contains("1 other function"));
    assert!(
        others.is_some_and(|line| line.contains(" 3  1.00 ms")),
        "{told}"
    );
    script.span(&["step"], 100 * MS, 300 * MS);
    let told = text(&summary(&script), &by_function(None));
    assert!(told.contains("\nno lap open"), "{told}");
}

#[test]
fn a_functions_name_has_more_room_than_numbers_in_80_columns() {
    let mut script = script();
    samples(&mut script, 100, 500);
    let mut summary = summary(&script);
    let name = "make_line.<locals>.<listcomp>.parse";
    for lap in &mut summary.functions.as_mut().unwrap().laps {
        for function in &mut lap.functions {
            function.name = function.name.replace("parse", name);
        }
    }
    let told = text(
        &summary,
        &View {
            width: Some(80),
            ..by_function(None)
        },
    );
    assert!(told.contains(&format!("{name} train.py:20")), "{told}");
    assert!(!told.contains("of parent is"), "{told}");
}

#[test]
fn what_an_import_runs_is_in_its_row_alone() {
    let mut script = script();
    let modules = [
        (
            4,
            "_call_with_frames_removed",
            "<frozen importlib._bootstrap>",
        ),
        (
            5,
            "<module>",
            "/v/lib/python3.11/site-packages/pandas/__init__.py",
        ),
    ];
    for (id, name, file) in modules {
        script.observed(Record::Function { id, name, file });
    }
    for (id, parent, function) in [(4, 1, 4), (5, 4, 5)] {
        let line = 1;
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
    for at_ms in (0..900).step_by(10) {
        let frame = if at_ms < 700 { 5 } else { 2 };
        sample(&mut script, MAIN_THREAD, at_ms, frame);
    }
    script.span(&["step"], 900 * MS, 100 * MS);
    let told = text(&summary(&script), &by_function(Some("startup")));
    insta::assert_snapshot!(from(&told, "functions"), @"
    functions
    90 stacks sampled 100 times per second: a share seen in 100 samples is ± 10 points, in 1,000 ± 3
    lap, its functions               samples    self   total  of parent   share
    ────────────────────────────────────────────────────────────────────────────────────────
    startup                               90          900 ms             90.0 % ██████████▊
    ├─ import pandas                      70  700 ms  700 ms     77.8 %
    └─ load train.py:10                   20  200 ms  200 ms     22.2 %
       └─ called from main train.py
    self is time in the function itself and in what it calls that isn't Python, total also in the
    functions that it calls
    an import's time is all that it runs; self times of functions are beside it
    of parent is the self time's share of the lap
    ");
}

#[test]
fn a_share_of_rare_looks_says_how_sure_it_is() {
    let of = |period_ms: u64| {
        let mut script = script();
        samples(&mut script, 0, 500);
        let mut summary = summary(&script);
        if let Some(functions) = &mut summary.functions {
            functions.period_ns = period_ms * MS;
        }
        text(&summary, &by_function(None))
    };
    assert!(!of(200).contains("Looks were rare"));
    let rare = of(400).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        rare.contains("a share of all 50 samples is ± 13 points"),
        "{rare}"
    );
}
