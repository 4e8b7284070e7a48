use super::*;
use crate::summary::doubt::{PathsDoubt, ProcessDoubt, RunDoubt};
use crate::summary::span_row::{RowKind, SpanRow};
use crate::testing::analyzed;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor, training};
use crate::{ProcessState, WallSource};
use laptime_core::{PathTable, ProgramEnd, RunInfo, Span, SpanFlags};

pub(super) fn of(script: &Script) -> Summary {
    summarize(std::slice::from_ref(script), Options::default())
}

pub(super) fn row<'a>(summary: &'a Summary, path: &str) -> &'a SpanRow {
    summary.row(path).unwrap_or_else(|| panic!("no row {path}"))
}

pub(super) fn codes(summary: &Summary) -> Vec<&str> {
    summary.warnings.iter().map(Doubt::code).collect()
}

pub fn launched(pid: u32, start_ns: u64, end_ns: u64) -> RunInfo {
    RunInfo {
        format: 1,
        laptime: "0.1.0".into(),
        program: "train.py".into(),
        started_monotonic_ns: EPOCH_NS + start_ns,
        started_realtime_ns: 0,
        boot_id: "boot".into(),
        pid: Some(pid),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: EPOCH_NS + end_ns,
            code: Some(0),
            signal: None,
        }),
        unrecorded: Vec::new(),
        processes: None,
    }
}

pub fn with_run(script: &Script, run: RunInfo) -> Summary {
    let options = Options {
        run: Some(run),
        ..Options::default()
    };
    summarize(std::slice::from_ref(script), options)
}

#[test]
fn self_time_is_the_total_less_the_children() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["step", "data"], 10 * MS, 3 * MS);
    script.span(&["step", "forward"], 13 * MS, 5 * MS);
    script.span(&["step"], 10 * MS, 10 * MS);
    let summary = of(&script);
    assert_eq!(row(&summary, "step").total_ns, 10 * MS);
    assert_eq!(row(&summary, "step").self_ns, 2 * MS);
    assert_eq!(row(&summary, "step/forward").self_ns, 5 * MS);
    assert_eq!(row(&summary, "step").share_ratio, Some(0.1));
    assert_eq!(codes(&summary), Vec::<&str>::new());
}

#[test]
fn rows_stand_in_tree_order_parents_first_and_leftovers_last() {
    let summary = of(&training(30, 1));
    let paths: Vec<&str> = summary.rows.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "step",
            "step/data",
            "step/forward",
            "step/backward",
            "step/optimizer",
            "evaluation",
            "evaluation/forward",
            "startup",
            "other",
            "exit",
        ]
    );
}

#[test]
fn self_times_of_the_main_track_and_leftovers_add_up_to_the_wall_time() {
    let summary = of(&training(100, 3));
    let sum: u64 = summary.rows.iter().map(|row| row.self_ns).sum();
    assert_eq!(sum, summary.wall_ns);
    let steady = summary.steady.as_ref().expect("a steady state");
    let sum: u64 = steady.rows.iter().map(|row| row.self_ns).sum();
    assert_eq!(sum, steady.wall_ns);
}

#[test]
fn percentiles_are_exact_to_the_histogram_and_never_beyond_what_was_seen() {
    let mut script = Script::new(7, 10_000 * MS);
    for number in 1..=1_000 {
        script.span(&["a"], number * 2 * MS, number * 1_000);
    }
    let summary = of(&script);
    let a = row(&summary, "a");
    for (estimate, exact) in [
        (a.p50_ns, 500_000.0),
        (a.p90_ns, 900_000.0),
        (a.p99_ns, 990_000.0),
    ] {
        let error = estimate.unwrap() as f64 / exact - 1.0;
        assert!(error.abs() <= 0.011, "{error}");
    }
    assert_eq!((a.min_ns, a.max_ns), (Some(1_000), Some(1_000_000)));
    assert_eq!(a.mean_ns, Some(500_500));
    assert_eq!(a.stddev_ns, Some(288_819));
    let mut single = Script::new(7, 100 * MS);
    single.span(&["a"], 0, 12_345);
    let summary = of(&single);
    assert_eq!(row(&summary, "a").p50_ns, Some(12_345));
    assert_eq!(row(&summary, "a").stddev_ns, None);
    assert_eq!(
        summary.why(row(&summary, "a"), "stddev_ns").unwrap().0,
        "a spread needs two spans"
    );
}

#[test]
fn a_launched_run_is_measured_by_the_launcher_and_has_a_startup() {
    let mut script = Script::new(7, 90 * MS);
    script.span(&["load"], 30 * MS, 20 * MS);
    let mut run = launched(7, 0, 100 * MS);
    run.started_monotonic_ns -= 5 * MS;
    let summary = with_run(&script, run);
    assert_eq!(summary.wall_source, WallSource::Launcher);
    assert_eq!(summary.wall_ns, 105 * MS);
    assert_eq!(row(&summary, "startup").total_ns, 35 * MS);
    assert_eq!(row(&summary, "other").total_ns, 0);
    assert_eq!(row(&summary, "exit").total_ns, 50 * MS);
    assert_eq!(row(&summary, "exit").kind, RowKind::Leftover);
}

#[test]
fn time_after_the_last_span_is_the_exit_and_time_between_spans_is_other() {
    let mut script = Script::new(7, 90 * MS);
    script.span(&["load"], 30 * MS, 20 * MS);
    script.span(&["train"], 57 * MS, 3 * MS);
    let summary = with_run(&script, launched(7, 0, 100 * MS));
    let leftovers = ["startup", "other", "exit"].map(|name| row(&summary, name).total_ns / MS);
    assert_eq!(leftovers, [30, 7, 40]);
    let sum: f64 = summary.rows.iter().filter_map(|row| row.share_ratio).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let is_leaf = |row: &SpanRow| row.kind == RowKind::Span || row.names.len() == 1;
    assert!(summary.rows.iter().all(is_leaf));
}

#[test]
fn a_span_that_is_called_like_a_leftover_stays_a_span() {
    let mut script = Script::new(7, 90 * MS);
    script.span(&["exit"], 30 * MS, 20 * MS);
    let summary = with_run(&script, launched(7, 0, 100 * MS));
    let kinds: Vec<_> = (summary.rows.iter().filter(|row| row.path == "exit"))
        .map(|row| (row.kind, row.total_ns / MS))
        .collect();
    assert_eq!(kinds, [(RowKind::Span, 20), (RowKind::Leftover, 50)]);
    assert_eq!(row(&summary, "exit").kind, RowKind::Span);
}

#[test]
fn a_recording_begun_by_the_program_itself_starts_with_the_recording() {
    let mut script = Script::new(7, 90 * MS);
    script.header.process_started_boottime_ns = Some(EPOCH_NS - 5_000 * MS);
    script.span(&["load"], 30 * MS, 20 * MS);
    let summary = with_run(&script, launched(7, 0, 100 * MS));
    assert_eq!(summary.wall_source, WallSource::Recording);
    assert_eq!(summary.wall_ns, 100 * MS);
    let left = ["startup", "other", "exit"].map(|name| row(&summary, name).total_ns / MS);
    assert_eq!(left, [30, 0, 50]);
}

#[test]
fn spans_of_all_tracks_cover_wall_time_once_and_segments_what_they_alone_take() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["main"], 10 * MS, 20 * MS);
    script.span_on(2, &["thread"], 5 * MS, 35 * MS, SpanFlags::NONE);
    script.span_on(2, &["main", "inner"], 12 * MS, 15 * MS, SpanFlags::DETACHED);
    script.span_on(MAIN, &["timer"], 10 * MS, 50 * MS, SpanFlags::ASIDE);
    let summary = of(&script);
    let left = ["startup", "other", "exit"].map(|name| row(&summary, name).total_ns / MS);
    assert_eq!(left, [5, 0, 40]);
    assert_eq!(summary.parallel_ns, (20 + 15) * MS);
    assert_eq!(row(&summary, "main").self_ns, 20 * MS);
    assert_eq!(row(&summary, "main/inner").total_ns, 15 * MS);
    assert_eq!(row(&summary, "thread").total_ns, 35 * MS);
}

#[test]
fn a_reopened_step_counts_once() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["step"], 10 * MS, 20 * MS);
    script.span_on(MAIN, &["step"], 40 * MS, 5 * MS, SpanFlags::CONTINUES);
    let summary = of(&script);
    let step = row(&summary, "step");
    assert_eq!(
        (step.count, step.total_ns, step.max_ns),
        (Some(1), 25 * MS, Some(25 * MS))
    );
    assert_eq!(summary.span_count, 1);
}

#[test]
fn a_process_that_became_another_program_ended_where_that_one_began() {
    let mut before = Script::new(7, 0);
    before.span(&["setup"], 100 * MS, 10 * MS);
    before.leave_open(MAIN, &["exec"], 200 * MS);
    before.killed();
    let mut after = Script::new(7, 0);
    after.header.anchor = anchor(1_000 * MS);
    after.span(&["work"], 1_100 * MS, 100 * MS);
    after.header.closed = Some(anchor(3_000 * MS));
    let mut run = launched(7, 0, 3_310 * MS);
    run.end = Some(ProgramEnd {
        monotonic_ns: EPOCH_NS + 3_310 * MS,
        code: Some(0),
        signal: None,
    });
    let options = Options {
        run: Some(run),
        ..Options::default()
    };
    let summary = summarize(&[before, after], options);
    assert!(codes(&summary).is_empty(), "{:?}", summary.warnings);
    let of = |state| {
        let mut each = summary.processes.iter();
        each.find(|process| process.state == state).unwrap()
    };
    assert_eq!(of(ProcessState::Replaced).open[0].age_ns, 800 * MS);
    assert!(of(ProcessState::Closed).open.is_empty());
}

#[test]
fn a_killed_run_says_where_it_was_and_counts_what_was_open() {
    let mut script = Script::new(7, 0);
    script.span(&["step", "data"], 100 * MS, 10 * MS);
    script.leave_open(MAIN, &["step"], 100 * MS);
    script.leave_open(MAIN, &["step", "forward"], 110 * MS);
    script.killed();
    let mut run = launched(7, 0, 3_310 * MS);
    run.end = Some(ProgramEnd {
        monotonic_ns: EPOCH_NS + 3_310 * MS,
        code: None,
        signal: Some(9),
    });
    let summary = with_run(&script, run);
    assert_eq!(summary.processes[0].state, ProcessState::Killed);
    assert_eq!(codes(&summary), ["not-closed", "signal"]);
    let Doubt::Process {
        process,
        doubt: ProcessDoubt::NotClosed(doubt),
    } = &summary.warnings[0]
    else {
        panic!("{:?}", summary.warnings);
    };
    assert_eq!((process.program.as_str(), process.pid), ("train.py", 7));
    let innermost = doubt.open.as_ref().unwrap();
    assert_eq!(innermost.path, "step/forward");
    assert_eq!(innermost.age_ns / (100 * MS), 32);
    assert_eq!((doubt.other_track_count, doubt.is_cut), (0, false));
    let open = &summary.processes[0].open;
    assert_eq!(
        (open[0].path.as_str(), open[0].is_innermost),
        ("step", false)
    );
    assert_eq!(
        (open[1].path.as_str(), open[1].age_ns),
        ("step/forward", 3_200 * MS)
    );
    let step = row(&summary, "step");
    assert_eq!(
        (step.count, step.total_ns, step.self_ns),
        (Some(0), 3_210 * MS, 0)
    );
    assert_eq!((step.partial_count, step.mean_ns), (1, None));
    let sum: u64 = summary.rows.iter().map(|row| row.self_ns).sum();
    assert_eq!(sum, summary.wall_ns);
}

#[test]
fn workers_that_end_without_closing_raise_no_warning() {
    let mut main = Script::new(7, 500 * MS);
    main.span(&["step"], 10 * MS, 400 * MS);
    let mut worker = Script::new(8, 0);
    worker.header.parent_pid = 7;
    worker.span(&["fetch"], 20 * MS, 30 * MS);
    worker.killed();
    let summary = summarize(&[worker, main], Options::default());
    assert_eq!(codes(&summary), Vec::<&str>::new());
    assert_eq!(summary.processes[0].pid, 7);
    assert!(summary.processes[0].is_main);
    assert_eq!(summary.processes[1].unsealed_windows, 1);
    assert_eq!(summary.processes[1].ended_monotonic_ns, EPOCH_NS + 50 * MS);
}

/// A script that calls `map_async` inside of `with Pool()` and waits for nothing.
#[test]
fn workers_that_were_ended_in_the_midst_of_a_lap_are_told_in_one_line() {
    let mut main = Script::new(7, 500 * MS);
    main.span(&["main"], 10 * MS, 400 * MS);
    let worker = |pid, since_ns| {
        let mut worker = Script::new(pid, 0);
        worker.header.parent_pid = 7;
        worker.span(&["main", "job"], 20 * MS, 30 * MS);
        worker.leave_open(MAIN, &["main", "job"], since_ns);
        worker.killed();
        worker
    };
    let workers = [worker(8, 40 * MS), worker(9, 45 * MS)];
    let summary = summarize(
        &[main, workers[0].clone(), workers[1].clone()],
        Options::default(),
    );
    assert_eq!(codes(&summary), ["workers-ended"]);
    assert!(
        matches!(
            &summary.warnings[0],
            Doubt::Run(RunDoubt::WorkersEnded { count: 2, path, .. }) if path == "main/job"
        ),
        "{:?}",
        summary.warnings
    );
    assert_eq!(row(&summary, "main/job").count, Some(2));
}

/// A pool inside a lap: four workers do more in it than it lasts.
#[test]
fn workers_that_run_beside_each_other_inside_a_lap_are_no_doubt() {
    let mut main = Script::new(7, 500 * MS);
    main.span(&["main"], 10 * MS, 100 * MS);
    let mut all = vec![main];
    for pid in 8..12 {
        let mut worker = Script::new(pid, 0);
        worker.header.parent_pid = 7;
        worker.span(&["main", "job"], 20 * MS, 80 * MS);
        worker.killed();
        all.push(worker);
    }
    let summary = summarize(&all, Options::default());
    assert_eq!(codes(&summary), Vec::<&str>::new());
    assert_eq!(row(&summary, "main/job").total_ns, 320 * MS);
    assert_eq!(row(&summary, "main").self_ns, 0);
}

#[test]
fn the_steady_state_leaves_warm_up_out_in_every_process() {
    let main = training(60, 4);
    let mut worker = Script::new(8, 3_000 * MS);
    worker.header.parent_pid = main.header.pid;
    worker.span(&["fetch"], 2_010 * MS, 5 * MS);
    worker.span(&["fetch"], 2_900 * MS, 7 * MS);
    let summary = summarize(&[main, worker], Options::default());
    let steady = summary.steady.as_ref().expect("a steady state");
    assert_eq!((steady.from_step, steady.step_path.as_str()), (4, "step"));
    let find = |path: &str| steady.rows.iter().find(|row| row.path == path).unwrap();
    assert_eq!(find("step").count, Some(56));
    assert_eq!(find("fetch").total_ns, 7 * MS);
    assert_eq!(summary.steady_why, None);
}

#[test]
fn a_span_begun_before_the_steady_state_counts_with_its_part_inside() {
    let mut script = Script::new(7, 3_000 * MS);
    for step in 0..40 {
        let ns = if step == 0 { 100 } else { 20 } * MS;
        let start = if step == 0 {
            0
        } else {
            100 * MS + (step - 1) * 20 * MS
        };
        script.span(&["train", "step"], start, ns);
    }
    script.span(&["train"], 0, 100 * MS + 39 * 20 * MS);
    let summary = of(&script);
    let steady = summary.steady.as_ref().expect("a steady state");
    let train = &steady.rows[0];
    assert_eq!(steady.from_step, 1);
    assert_eq!((train.count, train.partial_count), (Some(0), 1));
    assert_eq!((train.total_ns, train.self_ns), (780 * MS, 0));
    assert_eq!(steady.wall_ns, 780 * MS);
}

#[test]
fn without_steps_the_summary_says_why_there_is_no_steady_state() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["a"], 0, MS);
    assert!(
        of(&script)
            .steady_why
            .unwrap()
            .0
            .contains("no span named \"step\"")
    );
    let summary = of(&training(5, 1));
    assert!(summary.steady.is_none());
    assert!(
        summary
            .steady_why
            .unwrap()
            .0
            .starts_with("5 steps are too few")
    );
}

#[test]
fn lost_clamped_suspended_nominal_and_noted_doubts_are_told() {
    let mut script = Script::new(7, 1_000 * MS);
    script.header.lost = 12;
    script.header.loss_reason = Some(28);
    script.header.clamped = 1;
    let closed = script.header.closed.as_mut().unwrap();
    closed.boottime_ns += 5_000 * MS;
    script.span(&["a"], 0, MS);
    script.note("device-active", "torch used cuda:0");
    script.note("device.synchronized", "laps waited for their device");
    script.note("environment.python", "3.11.9");
    let mut summary = with_run(
        &script,
        RunInfo {
            unrecorded: vec!["/usr/bin/python3.8".into()],
            ..launched(7, 0, 1_000 * MS)
        },
    );
    summary.warnings.sort_by(|a, b| a.code().cmp(b.code()));
    assert_eq!(
        codes(&summary),
        [
            "clamped-durations",
            "device-active",
            "device.synchronized",
            "lost-spans",
            "suspended",
            "unrecorded"
        ]
    );
    let lost = ProcessDoubt::LostSpans {
        count: 12,
        errno: Some(28),
    };
    assert!(
        matches!(&summary.warnings[3], Doubt::Process { doubt, .. } if *doubt == lost),
        "{:?}",
        summary.warnings
    );
    assert_eq!(summary.environment["python"], "3.11.9");

    let mut short = Script::new(7, 50_000);
    short.header.clock = laptime_core::ClockKind::Tsc;
    short.span(&["a"], 0, 10_000);
    let summary = of(&short);
    assert_eq!(codes(&summary), ["nominal-clock"]);
    assert!(!summary.clock.is_measured);
}

#[test]
fn a_rate_that_changes_is_told() {
    let mut script = Script::new(7, 0);
    script.header.clock = laptime_core::ClockKind::Tsc;
    let mut closed = script.header.anchor;
    closed.ticks += 2_000 * MS;
    closed.monotonic_ns += 2_200 * MS;
    closed.boottime_ns += 2_200 * MS;
    script.header.closed = Some(closed);
    script.span(&["a"], 0, 10_000);
    let mut analyzer = Analyzer::new(Options::default());
    let mut middle = script.clone();
    middle.header.anchor = anchor(1_000 * MS);
    let (_, key) = analyzed::first_pass(&mut analyzer, &script);
    let mut reader = analyzed::reader(&script);
    analyzed::read(&middle, &mut reader, &mut analyzer.first_pass(key));
    analyzer.end(key, reader.facts());
    assert_eq!(codes(&analyzer.finish()), ["uneven-clock"]);
}

#[test]
fn spans_of_too_many_paths_are_told() {
    let mut script = Script::new(7, 100 * MS);
    let path = laptime_core::PathId::OVERFLOW;
    script.push(Span::plain(path, EPOCH_NS, MS, MAIN));
    let summary = of(&script);
    assert_eq!(codes(&summary), ["too-many-paths"]);
    assert_eq!(row(&summary, PathTable::OVERFLOW_NAME).count, Some(1));
}

#[test]
fn spans_without_a_path_that_ran_in_others_are_told_and_cover_no_time() {
    let mut script = Script::new(7, 100 * MS);
    let path = laptime_core::PathId::OVERFLOW;
    let inside = |start| Span {
        flags: SpanFlags::INSIDE,
        ..Span::plain(path, EPOCH_NS + start, MS, MAIN)
    };
    for start in 0..5 {
        script.push(inside(2 * start * MS));
        script.push(Span::plain(path, EPOCH_NS + 2 * start * MS, 2 * MS, MAIN));
    }
    script.push(inside(20 * MS));
    script.span(&["work"], 20 * MS, 10 * MS);
    let summary = of(&script);
    assert_eq!(codes(&summary), ["too-many-paths"]);
    let too_many = ProcessDoubt::Paths(PathsDoubt::TooMany {
        outermost_count: 5,
        inside_count: 6,
    });
    assert!(
        matches!(&summary.warnings[0], Doubt::Process { doubt, .. } if *doubt == too_many),
        "{:?}",
        summary.warnings
    );
    let overflow = row(&summary, PathTable::OVERFLOW_NAME);
    assert_eq!((overflow.count, overflow.total_ns), (Some(5), 10 * MS));
    assert_eq!(row(&summary, "work").self_ns, 10 * MS);
    assert_eq!(summary.span_count, 12);
    let sum: u64 = summary.rows.iter().map(|row| row.self_ns).sum();
    assert_eq!(sum, summary.wall_ns);
    assert!(summary.repeated().is_none());
}

#[test]
fn steps_inside_of_steps_are_no_further_steps_of_an_epoch() {
    let mut script = Script::new(7, 100 * MS);
    for epoch in 0..2 {
        script.mark(&["epoch"], epoch * 40 * MS);
        for step in 0..4 {
            let at = (epoch * 40 + step * 10) * MS;
            script.span(&["step", "step"], at + MS, 8 * MS);
            script.span(&["step"], at, 10 * MS);
        }
    }
    let epochs = of(&script).epochs;
    let counts = epochs.iter().map(|epoch| epoch.step_count);
    assert_eq!(counts.collect::<Vec<_>>(), [4, 4]);
}

#[test]
fn children_that_exceed_their_parent_are_told_and_never_negative() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["a", "b"], 0, 30 * MS);
    script.span(&["a"], 0, 10 * MS);
    let summary = of(&script);
    assert_eq!(row(&summary, "a").self_ns, 0);
    assert_eq!(codes(&summary), ["children-exceed"]);
}

#[test]
fn a_parent_nobody_saw_is_absent_and_its_children_still_cover_their_time() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["a", "b", "c"], 0, 30 * MS);
    script.span(&["a", "b", "d"], 30 * MS, 30 * MS);
    script.span_on(MAIN, &["x", "task"], 70 * MS, 20 * MS, SpanFlags::DETACHED);
    script.span(&["x", "task", "inner"], 70 * MS, 5 * MS);
    let summary = of(&script);
    let a = row(&summary, "a");
    assert_eq!((a.count, a.share_ratio), (Some(0), None));
    assert!(
        summary
            .why(a, "total_ns")
            .unwrap()
            .0
            .contains("only spans inside it")
    );
    assert_eq!(row(&summary, "other").total_ns, 10 * MS);
    assert_eq!(row(&summary, "exit").total_ns, 10 * MS);
    let sum: u64 = summary.rows.iter().map(|row| row.self_ns).sum();
    assert_eq!(sum, summary.wall_ns);
    assert_eq!(codes(&summary), Vec::<&str>::new());
}

#[test]
fn nothing_at_all_is_a_summary_too() {
    let summary = Analyzer::new(Options::default()).finish();
    assert_eq!((summary.wall_ns, summary.rows.len()), (0, 0));
    let summary = of(&Script::new(7, 100 * MS));
    assert_eq!(summary.span_count, 0);
    assert_eq!(row(&summary, "other").total_ns, 100 * MS);
}
