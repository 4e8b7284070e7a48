//! What a view asks for: widths, colours, filters, orders, and what stands where little is to be shown.

use std::fmt::Write as _;

use laptime_analysis::Options;
use laptime_core::Warning;

use super::tests::scripted::{MS, Script};
use super::tests::{fed, hostile, killed, plain, shown, training};
use super::*;

#[test]
fn no_line_is_wider_than_the_terminal() {
    for summary in [training(), hostile(), killed()] {
        for width in 50..140 {
            let mut view = plain(width);
            for utf8 in [true, false] {
                view.utf8 = utf8;
                let text = shown(&summary, Format::Text, &view);
                for line in text.lines() {
                    assert!(name::columns(line) <= width, "{width}: {line:?}");
                }
                assert!(utf8 || text.is_ascii());
            }
        }
    }
}

#[test]
fn without_colour_there_is_no_escape_and_with_it_the_same_text() {
    let mut view = plain(100);
    let bare = shown(&training(), Format::Text, &view);
    assert!(!bare.contains('\u{1b}'));
    view.color = true;
    let mut coloured = shown(&training(), Format::Text, &view);
    assert!(coloured.contains("\u{1b}[1m"));
    for code in ["1", "2", "3", "36", "1;33", "0"] {
        coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(coloured, bare);
}

#[test]
fn a_filter_keeps_matches_with_their_ancestors() {
    let view = View {
        filter: Some("**/forward".into()),
        steady: false,
        ..plain(100)
    };
    let text = shown(&training(), Format::Tree, &view);
    let names: Vec<&str> = text
        .lines()
        .skip(4)
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(names, ["step", "└─ forward", "evaluation", "└─ forward"]);
    let csv = shown(&training(), Format::Csv, &view);
    assert_eq!(csv.lines().count(), 3);
}

#[test]
fn siblings_stand_in_the_order_asked_for() {
    let order = |sort: Sort| {
        let view = View {
            sort,
            steady: false,
            filter: Some("step/*".into()),
            ..plain(100)
        };
        let tree = shown(&training(), Format::Tree, &view);
        tree.lines()
            .filter_map(|line| line.strip_prefix("├─ ").or(line.strip_prefix("└─ ")))
            .filter_map(|line| line.split("  ").next())
            .take(4)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        order(Sort::Total),
        ["backward", "forward", "optimizer", "data"]
    );
    assert_eq!(
        order(Sort::Name),
        ["backward", "data", "forward", "optimizer"]
    );
    assert_eq!(
        order(Sort::Appearance),
        ["data", "forward", "backward", "optimizer"]
    );
}

#[test]
fn a_long_table_leaves_small_rows_out_and_says_so() {
    let mut script = Script::new(7, 1_000 * MS);
    for index in 0..100_u64 {
        let ns = if index < 5 { 100 * MS } else { 1_000 };
        script.span(&[&format!("part {index}")], index * 100, ns);
    }
    let summary = fed::summarize(&[script], Options::default());
    let text = shown(&summary, Format::Text, &plain(100));
    assert!(
        text.contains("95 paths below 0.1 % of the wall time are not shown"),
        "{text}"
    );
    let view = View {
        filter: Some("**".into()),
        ..plain(100)
    };
    let all = shown(&summary, Format::Text, &view);
    assert_eq!(
        all.lines().filter(|line| line.starts_with("part ")).count(),
        100
    );
}

#[test]
fn a_run_without_spans_says_so() {
    let summary = fed::summarize(&[Script::new(7, 100 * MS)], Options::default());
    let text = shown(&summary, Format::Text, &plain(100));
    assert!(text.contains("no span was recorded"), "{text}");
    assert!(!text.contains("other"));
}

#[test]
fn every_warning_is_shown_with_its_hint() {
    let mut summary = training();
    let mut expected = String::new();
    for index in 0..3 {
        let message = format!("doubt {index}");
        let _ = writeln!(expected, "\nwarning: {message}\n   hint: do {index}");
        summary
            .warnings
            .push(Warning::new("x", message).with_hint(format!("do {index}")));
    }
    assert!(shown(&summary, Format::Text, &plain(100)).ends_with(&expected));
}
