use laptime_analysis::Options;
use laptime_core::format::record::Record;
use laptime_core::{ProcessMemory, Span, SpanFlags, SpanMemory};

use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use crate::{Document, Format, View, render};

#[test]
fn what_there_is_to_doubt_follows_in_sentences_with_what_to_do() {
    let mut script = Script::new(7, 0);
    script.name_track(MAIN, false, "main");
    for step in 0..40 {
        script.span(&["step"], step * 20 * MS, 20 * MS);
        script.delayed(MAIN, (step + 1) * 20 * MS, (step + 1) * 12 * MS);
    }
    script.header.closed = Some(anchor(800 * MS));
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let told = text.split_once("findings").unwrap().1;
    let told = told.split_once("\nspan ").unwrap().0;
    insta::assert_snapshot!(told, @"
    · The machine was busy: the thread that takes the steps waited for a CPU for 60 % of the time, so
      the numbers are unreliable. Leave a CPU free and run again: fewer workers and threads
      (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU.

    from the first step on: 40 steps, 800 ms (no warm-up found)
    ");
}

#[test]
fn memory_of_what_is_between_steady_steps_is_no_gap_to_explain() {
    let mut script = Script::new(7, 0);
    let step = script.path(&["step"]);
    for index in 0..40 {
        let memory = SpanMemory {
            net_bytes: 0,
            peak_bytes: 2_048,
        };
        let start = EPOCH_NS + index * 20 * MS;
        script.push(Span::plain(step, start, 19 * MS, MAIN).with_memory(Some(memory)));
    }
    script.observed(Record::Memory {
        ticks: EPOCH_NS,
        memory: ProcessMemory {
            bytes: 4_096,
            peak_bytes: 8_192,
        },
    });
    script.header.closed = Some(anchor(800 * MS));
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    assert!(
        text.contains("outside of laps") && !text.contains('\u{2013}'),
        "{text}"
    );
    let view = View {
        whole: true,
        ..View::default()
    };
    let text = render(&summary, Format::Text, &view);
    let mut lines = text.lines();
    let other = lines.find(|line| line.starts_with("outside of laps"));
    assert!(
        other.is_some_and(|line| line.contains("4.00 KiB")),
        "{text}"
    );
}

/// Twenty slow steps, three hundred usual ones and what comes before and after, of a training of 10 s.
fn warmed_up() -> Script {
    let mut script = Script::new(7, 10_000 * MS);
    script.span(&["load"], 1_000 * MS, 500 * MS);
    let mut at = 1_500 * MS;
    for step in 0..320 {
        let ms = if step < 20 { 100 } else { 10 };
        script.span(&["step"], at, ms * MS);
        at += ms * MS;
    }
    script.span(&["save"], at, 200 * MS);
    script
}

#[test]
fn the_rest_of_the_run_is_told_below_the_table_of_its_steady_state() {
    let summary = analyzed::summarize(&[warmed_up()], Options::default());
    let shown = |whole| {
        let view = View {
            whole,
            ..View::default()
        };
        render(&summary, Format::Text, &view).into_string()
    };
    let steady = shown(false);
    let table = steady.split_once("\nafter ").unwrap().1;
    insta::assert_snapshot!(table, @"
    warm-up: 300 of 320 steps, 3.20 s
    span             count    total     mean   share
    ─────────────────────────────────────────────────────────────
    step               300  3.00 s   10.0 ms  93.8 % ███████████▎
    save                 1   200 ms   200 ms   6.2 % ▊
    outside of laps            0 ns            0.0 %
    the rest of the run: exit 3.30 s, 20 steps of warm-up 2.00 s, startup 1.00 s, load 500 ms (`laptime
    report --whole` has all of it)
    ");
    let whole = shown(true);
    assert!(whole.contains("\nwhole run: 10.0 s\n"), "{whole}");
    assert!(!whole.contains("the rest of the run"), "{whole}");
}

#[test]
fn a_report_of_the_steady_state_alone_says_so() {
    let mut summary = analyzed::summarize(&[warmed_up()], Options::default());
    let steady = summary.steady.take().unwrap();
    summary.rows = steady.rows;
    (summary.wall_ns, summary.measured_ns) = (steady.wall_ns, steady.wall_ns);
    let text = render(&summary, Format::Text, &View::default()).into_string();
    assert!(text.contains("\nsteady state: 3.20 s\n"), "{text}");
}

#[test]
fn a_page_has_the_table_of_the_whole_run_too() {
    let summary = analyzed::summarize(&[warmed_up()], Options::default());
    let page = Document::of_page(&summary, &View::default());
    let headings = page.sections.iter().filter_map(|one| one.heading.clone());
    let headings: Vec<String> = headings
        .filter(|one| !one.starts_with("findings"))
        .collect();
    assert_eq!(
        headings,
        [
            "after warm-up: 300 of 320 steps, 3.20 s",
            "whole run: 10.0 s"
        ]
    );
}

#[test]
fn rows_that_ran_side_by_side_are_multiples_of_the_time() {
    let mut script = Script::new(7, 1_000 * MS);
    for track in 0..4 {
        for request in 0..20 {
            let at = request * 50 * MS;
            script.span_on(MAIN + track, &["request"], at, 45 * MS, SpanFlags::NONE);
        }
    }
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let row = text.lines().find(|line| line.starts_with("request"));
    assert!(row.is_some_and(|row| row.ends_with(" 3.6 ×")), "{text}");
    assert!(
        text.contains("3.6 × the wall time: several ran at once"),
        "{text}"
    );
    let page = render(&summary, Format::Html, &View::default());
    assert!(page.contains(">3.6 ×<"), "{page}");
}
