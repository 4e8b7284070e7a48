use laptime_core::SpanFlags;
use proptest::prelude::*;

use crate::analyzer::Options;
use crate::analyzer::tests::{launched, with_run};
use crate::summary::Summary;
use crate::summary::doubt::{Doubt, SpansDoubt};
use crate::summary::finding::Finding;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script, anchor};

fn summary_of(script: Script) -> Summary {
    summarize(&[script], Options::default())
}

fn total(summary: &Summary, path: &str) -> Option<u64> {
    let row = summary.rows.iter().find(|row| row.is_leftover(path));
    row.map(|row| row.total_ns)
}

/// Summarizes a program with a lap from 100 to 200 ms that closes its recording at 1 s.
fn exits_at(at_ns: u64) -> Summary {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["work"], 100 * MS, 100 * MS);
    script.note("interpreter.exits", &script.ticks(at_ns).to_string());
    summary_of(script)
}

#[test]
fn work_after_the_last_lap_is_told_apart_from_the_exit_of_the_interpreter() {
    let summary = exits_at(900 * MS);
    assert_eq!(total(&summary, "after"), Some(700 * MS));
    assert_eq!(total(&summary, "exit"), Some(100 * MS));
    assert_eq!(total(&summary, "other"), Some(0));
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
}

#[test]
fn what_little_comes_between_the_last_lap_and_the_exit_is_part_of_it() {
    for at_ms in [150, 200, 201] {
        let summary = exits_at(at_ms * MS);
        assert_eq!(total(&summary, "after"), None, "{at_ms} ms");
        assert_eq!(total(&summary, "exit"), Some(800 * MS), "{at_ms} ms");
    }
}

#[test]
fn a_lap_written_around_another_of_its_thread_shortens_neither_exit_nor_other() {
    let mut script = Script::new(7, 15_000 * MS);
    script.span(&["compile"], 4_000 * MS, 3_000 * MS);
    script.span(&["step"], 3_000 * MS, 6_000 * MS);
    script.span(&["step"], 10_000 * MS, 1_000 * MS);
    let summary = summary_of(script);
    assert_eq!(total(&summary, "startup"), Some(3_000 * MS));
    assert_eq!(total(&summary, "other"), Some(1_000 * MS));
    assert_eq!(total(&summary, "exit"), Some(4_000 * MS));
    let doubled_ns = 3_000 * MS;
    let doubt = Doubt::Spans(SpansDoubt::Doubled { doubled_ns });
    assert_eq!(summary.warnings, [doubt]);
}

/// Returns the shares of the outermost rows, in percent.
fn shares(summary: &Summary) -> Vec<(String, f64)> {
    let outermost = summary.rows.iter().filter(|row| row.depth() == 0);
    let each = outermost.filter_map(|row| {
        let ratio = row.share_ratio?;
        Some((row.path.clone(), (100.0 * ratio).round()))
    });
    each.collect()
}

/// Summarizes two processes, the second started by the first, which has no lap of its own.
fn below(parent: Script, ms: u64) -> Summary {
    let mut child = Script::new(8, 900 * MS);
    child.header.parent_pid = parent.header.pid;
    child.span(&["child"], 100 * MS, ms * MS);
    summarize(&[parent, child], Options::default())
}

#[test]
fn a_parent_without_laps_was_all_outside_of_laps_beside_those_of_its_children() {
    let summary = below(Script::new(7, 1_000 * MS), 580);
    let shares = shares(&summary);
    let sum: f64 = shares.iter().map(|(_, percent)| percent).sum();
    assert!((99.0..=101.0).contains(&sum), "{shares:?}");
    assert_eq!(summary.row("child").unwrap().total_ns, 580 * MS);
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    assert_eq!(measured.map(|one| one.pid).collect::<Vec<_>>(), [8]);
}

#[test]
fn a_parent_with_laps_is_told_by_its_own() {
    let mut parent = Script::new(7, 1_000 * MS);
    parent.span(&["wait"], 50 * MS, 900 * MS);
    let summary = below(parent, 580);
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    assert_eq!(measured.map(|one| one.pid).collect::<Vec<_>>(), [7]);
    assert_eq!(total(&summary, "other"), Some(0));
}

#[test]
fn what_ran_when_nothing_more_was_recorded_is_no_exit() {
    let mut script = Script::new(7, 10_000 * MS);
    script.span(&["work"], 100 * MS, 200 * MS);
    script.note("interpreter.exits", &script.ticks(9_900 * MS).to_string());
    script.header.lost = 12;
    script.header.loss_reason = Some(28);
    let summary = summary_of(script);
    let leftovers = ["startup", "other", "after", "exit", "lost"];
    let times = leftovers.map(|name| total(&summary, name).map(|ns| ns / MS));
    assert_eq!(times, [Some(100), Some(0), None, None, Some(9_700)]);
    let mut found = summary.findings.iter();
    assert!(!found.any(|one| matches!(one, Finding::Exit { .. })));
    let codes: Vec<&str> = summary.warnings.iter().map(Doubt::code).collect();
    assert_eq!(codes, ["lost-spans"]);
}

#[test]
fn a_lap_that_another_thread_began_behind_the_end_is_none() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["work"], 100 * MS, 200 * MS);
    script.span_on(3, &["work"], 200 * MS, 400 * MS, SpanFlags::NONE);
    script.leave_open(3, &["work"], 1_001 * MS);
    let summary = summary_of(script);
    assert_eq!(summary.row("work").unwrap().partial_count, 0);
    assert_eq!(total(&summary, "other"), Some(0));
    assert!(summary.processes[0].open.is_empty());
    assert_eq!(summary.parallel_ns, 100 * MS);
}

#[test]
fn what_is_inside_of_a_lost_lap_is_not_outside_of_laps() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["lost", "child"], 100 * MS, 580 * MS);
    assert_eq!(total(&summary_of(script), "other"), Some(0));
    // Beside laps of another thread what it covers isn't known.
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["lost", "child"], 100 * MS, 580 * MS);
    script.span_on(3, &["beside"], 200 * MS, 100 * MS, SpanFlags::NONE);
    let summary = summary_of(script);
    assert_eq!(total(&summary, "other"), None);
    assert_eq!(total(&summary, "startup"), Some(100 * MS));
}

proptest! {
    #[test]
    fn leftovers_are_the_gaps_however_laps_of_one_thread_overlap(
        laps in proptest::collection::vec((0_u64..400, 1_u64..300), 1..40),
        exits_ms in 1_u64..200,
    ) {
        let last = laps.iter().map(|(start, ms)| start + ms).max().unwrap();
        let first = laps.iter().map(|(start, _)| *start).min().unwrap();
        let mut script = Script::new(7, (last + exits_ms) * MS);
        for (start, ms) in &laps {
            script.span(&["work"], start * MS, ms * MS);
        }
        let summary = summary_of(script);
        let is_free = |ms: &u64| !laps.iter().any(|(start, length)| (*start..start + length).contains(ms));
        let free = (first..last).filter(is_free).count() as u64;
        prop_assert_eq!(total(&summary, "startup"), Some(first * MS));
        prop_assert_eq!(total(&summary, "exit"), Some(exits_ms * MS));
        prop_assert_eq!(total(&summary, "other"), Some(free * MS));
    }
}

/// Summarizes a program of 500 ms and the program that it became, which ran to 1 s: each in laps but for 50 ms
/// before them. It records from 40 ms after its start on.
fn replaced(name: &str, laps: u64) -> Summary {
    let of = |from_ms: u64| {
        let mut script = Script::new(7, 1_000 * MS);
        script.header.anchor = anchor((from_ms + 40) * MS);
        let ms = 450 / laps;
        for number in 0..laps {
            let at_ms = from_ms + 50 + ms * number;
            script.span(&[name], at_ms * MS, ms * MS);
        }
        script
    };
    let (mut before, after) = (of(0), of(500));
    before.killed();
    summarize(&[before, after], Options::default())
}

#[test]
fn a_program_begins_where_the_one_before_it_in_its_process_ended() {
    for (name, laps) in [("step", 30), ("work", 1)] {
        let summary = replaced(name, laps);
        assert_eq!(total(&summary, "startup"), Some(60 * MS), "{name}");
        assert_eq!(total(&summary, "exit"), Some(40 * MS), "{name}");
        assert_eq!(summary.row(name).unwrap().total_ns, 900 * MS, "{name}");
        assert_eq!(summary.measured_ns, 1_000 * MS, "{name}");
        let parts = summary
            .rows
            .iter()
            .map(|row| row.share_ratio.unwrap_or(0.0));
        assert!((parts.sum::<f64>() - 1.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn a_lap_that_another_thread_never_closes_ends_with_the_recording() {
    let mut script = Script::new(7, 160 * MS);
    for number in 0..20 {
        script.span(&["step"], (50 + 5 * number) * MS, 5 * MS);
    }
    script.leave_open(3, &["background"], 45 * MS);
    let summary = with_run(&script, launched(7, 0, 175 * MS));
    assert_eq!(summary.row("background").unwrap().total_ns, 115 * MS);
    assert_eq!(total(&summary, "exit"), Some(15 * MS));
    let codes: Vec<&str> = summary.warnings.iter().map(Doubt::code).collect();
    assert!(!codes.contains(&"overlap"), "{codes:?}");
}
