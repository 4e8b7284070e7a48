use super::*;
use crate::scripted::{MAIN, MS, Script, anchor, training};
use crate::summary::ProcessState;
use laptime_core::anchor::Rate;
use laptime_core::format::process::OpenSpan;
use laptime_core::{PathTable, Span, Tallies};

/// What the recorder would hand out of a scripted process.
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
        anchors: vec![script.header.anchor, script.header.closed.unwrap()],
        header: script.header.clone(),
        paths: table,
        head: script.windows(),
        tail: Tallies::new(),
        open: Vec::new(),
        notes: vec![("device-active".into(), "torch used cuda:0".into())],
    }
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
    let from_file = crate::scripted::summarize(&[script.clone()], Options::default());
    // `step/data` is written first, so `step` is interned before it and `epoch` before both.
    let live = live(&mut script, &PHASES);
    let from_live = summarize_live(&live, None);
    assert_eq!(from_live.rows, from_file.rows);
    assert_eq!(from_live.steady, from_file.steady);
    assert_eq!(from_live.processes[0].state, ProcessState::Running);
    let codes: Vec<_> = from_live
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert_eq!(codes, ["device-active"]);
}

#[test]
fn later_spans_of_a_snapshot_count_through_their_tallies() {
    let mut script = training(60, 4);
    let mut live = live(&mut script, &PHASES);
    let before = summarize_live(&live, None);
    let path = script.path(&["step", "data"]);
    live.tail
        .fold(&Span::plain(path, 0, 3 * MS, MAIN), Rate::new(1.0));
    let after = summarize_live(&live, None);
    assert_eq!(after.span_count, before.span_count + 1);
    assert_eq!(
        after.row("step/data").unwrap().total_ns,
        before.row("step/data").unwrap().total_ns + 3 * MS
    );
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
    let summary = summarize_live(&live, None);
    let train = summary.row("train").unwrap();
    assert_eq!((train.count, train.partial_count), (Some(0), 1));
    assert_eq!((train.total_ns, train.self_ns), (90 * MS, 60 * MS));
    assert_eq!(summary.row("other").unwrap().total_ns, 10 * MS);
}
