use super::*;
use crate::ProcessState;
use crate::reading::second_pass::SecondPass;
use crate::summary::span_row::RowKind;
use crate::testing::scripted::{MAIN, MS, Script, anchor, training};
use laptime_core::anchor::Rate;
use laptime_core::format::process::OpenSpan;
use laptime_core::{PathTable, Span, Tallies};

/// Returns the snapshot that the recorder would hand out of a scripted process.
fn live(script: &mut Script, paths: &[&[&str]]) -> Live {
    let mut table = PathTable::new();
    for names in paths {
        let id = script.path(names);
        let at = names.iter().fold(laptime_core::PathId::ROOT, |at, name| {
            table.intern(at, name)
        });
        assert_eq!(id, at, "paths are listed in the order of their first use");
    }
    Live {
        ran: std::collections::BTreeMap::new(),
        on_devices: std::collections::BTreeMap::new(),
        device_memory: std::collections::BTreeMap::new(),
        memory: None,
        anchors: vec![script.header.anchor, script.header.closed.unwrap()],
        header: script.header.clone(),
        paths: table,
        head: script.windows(),
        tail: Tallies::new(),
        overflowed_spans: 0,
        tail_since: u64::MAX,
        open: Vec::new(),
        notes: vec![("device-active".into(), "torch used cuda:0".into())],
    }
}

/// Returns the summary of a snapshot, as the doors make it.
fn summarize_live(live: &Live) -> Summary {
    let mut analyzer = Analyzer::new(Options::default());
    let mut reader = laptime_reader::ProcessReader::of_live(live);
    let key = analyzer.process(reader.facts());
    reader
        .live_windows(live, &mut analyzer.first_pass(key))
        .expect("whole windows");
    analyzer.live(key, &reader.folded(live));
    analyzer.end(key, reader.facts());
    analyzer.begin_steady();
    if let Some(mut pass) = SecondPass::begin(analyzer.process_mut(key)) {
        reader.live_windows(live, &mut pass).expect("whole windows");
    }
    analyzer.finish()
}

const PHASES: [&[&str]; 8] = [
    &["epoch"],
    &["step"],
    &["step", "data"],
    &["step", "forward"],
    &["step", "backward"],
    &["step", "optimizer"],
    &["evaluation"],
    &["evaluation", "forward"],
];

#[test]
fn a_snapshot_and_a_file_of_the_same_spans_lead_to_the_same_rows() {
    let mut script = training(60, 4);
    let from_file = crate::testing::analyzed::summarize(&[script.clone()], Options::default());
    // `step/data` is written first, so `step` is interned before it and `epoch` before both.
    let live = live(&mut script, &PHASES);
    let from_live = summarize_live(&live);
    let spans = |summary: &Summary| {
        let mut rows = summary.rows.clone();
        rows.retain(|row| row.kind == RowKind::Span);
        rows
    };
    assert_eq!(spans(&from_live), spans(&from_file));
    // What runs has no exit yet.
    let left = |summary: &Summary, name: &str| summary.row(name).map(|row| row.total_ns);
    assert_eq!(left(&from_live, "startup"), left(&from_file, "startup"));
    assert_eq!(left(&from_live, "exit"), None);
    let after_startup = left(&from_file, "other").unwrap() + left(&from_file, "exit").unwrap();
    assert_eq!(left(&from_live, "other"), Some(after_startup));
    assert_eq!(from_live.steady, from_file.steady);
    assert_eq!(from_live.processes[0].state, ProcessState::Running);
    let codes: Vec<_> = from_live.warnings.iter().map(Doubt::code).collect();
    assert_eq!(codes, ["device-active"]);
}

#[test]
fn later_spans_of_a_snapshot_count_through_their_tallies() {
    let mut script = training(60, 4);
    let mut live = live(&mut script, &PHASES);
    let before = summarize_live(&live);
    let path = script.path(&["step", "data"]);
    live.tail
        .fold(&Span::plain(path, 0, 3 * MS, MAIN), Rate::new(1.0));
    let after = summarize_live(&live);
    assert_eq!(after.span_count, before.span_count + 1);
    assert_eq!(
        after.row("step/data").unwrap().total_ns,
        before.row("step/data").unwrap().total_ns + 3 * MS
    );
}

/// Returns a snapshot that holds the first 60 steps, and one span in its tail.
fn with_tail(began: u64, ns: u64) -> Summary {
    let mut script = training(60, 4);
    let mut live = live(&mut script, &PHASES);
    let path = script.path(&["evaluation"]);
    let span = Span::plain(path, anchor(began).ticks, ns, MAIN);
    live.tail.fold(&span, Rate::new(1.0));
    live.tail_since = span.start;
    summarize_live(&live)
}

#[test]
fn the_steady_state_of_a_running_program_counts_later_spans_that_began_in_it() {
    let before = with_tail(4_000 * MS, 0).steady.expect("a steady state");
    let after = with_tail(4_000 * MS, 7 * MS)
        .steady
        .expect("a steady state");
    let total = |steady: &crate::Steady| {
        let row = steady.rows.iter().find(|row| row.path == "evaluation");
        row.unwrap().total_ns
    };
    assert_eq!(total(&after), total(&before) + 7 * MS);
    assert_eq!(after.from_step, 4);
}

#[test]
fn a_running_program_has_no_steady_state_while_a_later_span_may_belong_to_warm_up() {
    let summary = with_tail(2_010 * MS, 3_000 * MS);
    assert!(summary.steady.is_none());
    let why = summary.steady_why.unwrap().0;
    assert!(
        why.starts_with("a span begun during warm-up ended later"),
        "{why}"
    );
}

#[test]
fn too_few_steps_at_the_start_of_a_long_running_program_are_said_to_be_its_first() {
    let mut script = training(5, 1);
    let mut live = live(&mut script, &PHASES);
    let path = script.path(&["step"]);
    let span = Span::plain(path, anchor(4_000 * MS).ticks, MS, MAIN);
    live.tail.fold(&span, Rate::new(1.0));
    live.tail_since = span.start;
    let why = summarize_live(&live).steady_why.unwrap().0;
    assert!(why.contains("which held 5 steps"), "{why}");
}

#[test]
fn a_report_from_within_a_lap_counts_the_lap_so_far() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["train", "step"], 10 * MS, 30 * MS);
    let path = script.path(&["train"]);
    let mut live = live(&mut script, &[&["train"], &["train", "step"]]);
    live.open = vec![OpenSpan {
        path,
        track: MAIN,
        start: anchor(10 * MS).ticks,
    }];
    let summary = summarize_live(&live);
    let train = summary.row("train").unwrap();
    assert_eq!((train.count, train.partial_count), (Some(0), 1));
    assert_eq!((train.total_ns, train.self_ns), (90 * MS, 60 * MS));
    assert_eq!(summary.row("startup").unwrap().total_ns, 10 * MS);
    assert_eq!(summary.row("other").unwrap().total_ns, 0);
}

#[test]
fn a_running_programs_own_report_says_that_its_recording_tells_the_energy() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["train"], 10 * MS, 30 * MS);
    let summary = summarize_live(&live(&mut script, &[&["train"]]));
    let train = summary.row("train").unwrap();
    let why = &summary.why(train, "device_energy_j").unwrap().0;
    assert!(why.ends_with("open the recording"), "{why}");
}
