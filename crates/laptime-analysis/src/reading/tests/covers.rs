use proptest::prelude::*;

use super::*;
use crate::analyzer::Options;
use crate::summary::span_row::{RowKind, SpanRow};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, training};
use laptime_core::{ProgramEnd, RunInfo, SpanFlags};

fn left_over_ns(script: &Script) -> u64 {
    let summary = summarize(std::slice::from_ref(script), Options::default());
    let left_over = |row: &&SpanRow| row.kind == RowKind::Leftover;
    let rows = summary.rows.iter().filter(left_over);
    rows.map(|row| row.total_ns).sum()
}

fn segment(script: &mut Script, name: &str, start_ns: u64, duration_ns: u64) {
    script.span_on(MAIN, &[name], start_ns, duration_ns, SpanFlags::ASIDE);
}

#[test]
fn what_segments_alone_cover_is_not_left_over() {
    let mut script = Script::new(7, 100 * MS);
    segment(&mut script, "a", 10 * MS, 10 * MS);
    segment(&mut script, "b", 15 * MS, 10 * MS);
    segment(&mut script, "a", 60 * MS, 20 * MS);
    assert_eq!(left_over_ns(&script), (100 - 15 - 20) * MS);
}

#[test]
fn a_segment_around_or_across_ordinary_spans_covers_what_is_between_them() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["lap"], 10 * MS, 10 * MS);
    script.span(&["lap"], 40 * MS, 20 * MS);
    segment(&mut script, "around", 5 * MS, 45 * MS);
    assert_eq!(left_over_ns(&script), (100 - 55) * MS);
}

#[test]
fn a_segment_inside_a_lap_takes_nothing_from_what_is_left_over() {
    let mut script = Script::new(7, 100 * MS);
    script.span_on(MAIN, &["lap", "inner"], 12 * MS, 5 * MS, SpanFlags::ASIDE);
    script.span(&["lap"], 10 * MS, 10 * MS);
    assert_eq!(left_over_ns(&script), 90 * MS);
}

#[test]
fn startup_and_exit_lie_outside_of_segments() {
    let mut script = Script::new(7, 100 * MS);
    segment(&mut script, "a", 30 * MS, 20 * MS);
    segment(&mut script, "a", 60 * MS, 20 * MS);
    let run = RunInfo {
        format: 1,
        laptime: "0.1.0".into(),
        program: "train.py".into(),
        started_monotonic_ns: EPOCH_NS,
        started_realtime_ns: 0,
        boot_id: "boot".into(),
        pid: Some(7),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: EPOCH_NS + 100 * MS,
            code: Some(0),
            signal: None,
        }),
        unrecorded: Vec::new(),
        processes: None,
    };
    let options = Options {
        run: Some(run),
        ..Options::default()
    };
    let summary = summarize(&[script], options);
    let left = |name: &str| summary.row(name).map(|row| row.total_ns);
    assert_eq!(left("startup"), Some(30 * MS));
    assert_eq!(left("other"), Some(10 * MS));
    assert_eq!(left("exit"), Some(20 * MS));
}

#[test]
fn the_steady_state_has_what_segments_cover_in_it() {
    let without = training(300, 25);
    let steady_other = |script: &Script| {
        let summary = summarize(std::slice::from_ref(script), Options::default());
        let steady = summary.steady.expect("a steady state");
        let other = steady.rows.iter().find(|row| row.path == "other");
        other.expect("what is left over").total_ns
    };
    let mut early = without.clone();
    segment(&mut early, "early", 1_000 * MS, 1_200 * MS);
    assert!(steady_other(&without) > 0);
    assert_eq!(steady_other(&early), steady_other(&without));
    let mut around = without.clone();
    segment(&mut around, "around", 1_000 * MS, 60_000 * MS);
    assert_eq!(steady_other(&around), 0);
}

#[test]
fn many_more_stretches_than_are_kept_lose_no_time() {
    let mut covers = Covers::default();
    for at in 0..100_000_u64 {
        covers.add_segment(at * 10, at * 10 + 2);
        covers.add(at * 10 + 1, at * 10 + 4, 3);
    }
    assert_eq!(covers.only_segments(0, u64::MAX), 100_000);
    let half = covers.only_segments(500_000, u64::MAX);
    assert!(half.abs_diff(50_000) < 100, "{half}");
    covers.add_segment(0, 1_000_000);
    assert_eq!(covers.only_segments(0, u64::MAX), 700_000);
    assert!(covers.ordinary.intervals.len() <= MOST_INTERVALS);
}

proptest! {
    #[test]
    fn a_cover_is_the_union_of_its_intervals_in_any_order(
        intervals in prop::collection::vec((0_u64..200, 0_u64..40), 0..60),
        from in 0_u64..120,
        length in 0_u64..120,
    ) {
        let mut cover = Cover::default();
        let mut moments = [false; 300];
        for (start, length) in intervals {
            cover.add(start, start + length, length);
            moments[start as usize..(start + length) as usize].fill(true);
        }
        let expected = moments[from as usize..(from + length) as usize].iter();
        prop_assert_eq!(cover.between(from, from + length), expected.filter(|one| **one).count() as u64);
    }
}
