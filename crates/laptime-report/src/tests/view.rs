//! Checks of a view's choices: widths, colours, filters, orders, and the text where little is to be shown.

use std::fmt::Write as _;

use laptime_analysis::Options;
use laptime_core::Warning;

use super::tests::scripted::{MS, Script};
use super::tests::{analyzed, counted, hostile, killed, plain, shown, training};
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
                    assert!(
                        crate::document::names::columns(line) <= width,
                        "{width}: {line:?}"
                    );
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
        whole: true,
        ..plain(100)
    };
    let text = shown(&training(), Format::Tree, &view);
    let names: Vec<&str> = text
        .lines()
        .skip(5)
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(names, ["step", "└─ forward", "evaluation", "└─ forward"]);
    let csv = shown(&training(), Format::Csv, &view);
    // The whole run and the steady state.
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn siblings_stand_in_the_order_asked_for() {
    let order = |sort: Sort| {
        let view = View {
            sort,
            whole: true,
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
fn columns_stand_as_they_were_asked_for_whatever_the_width() {
    let view = View {
        columns: vec![
            Column::P95,
            Column::MAX,
            Column::SHARE,
            Column::COUNT,
            Column::CPU,
        ],
        whole: true,
        ..plain(50)
    };
    let text = shown(&training(), Format::Text, &view);
    let heading = text.lines().find(|line| line.starts_with("span")).unwrap();
    let columns: Vec<&str> = heading.split_whitespace().collect();
    assert_eq!(columns, ["span", "p95", "max", "share", "count", "CPU"]);
    assert!(!text.contains("left out"), "{text}");
    let csv = Format::Markdown;
    assert!(shown(&training(), csv, &view).contains("| span | p95 | max | share | count | CPU |"));
}

#[test]
fn every_column_that_can_be_asked_for_is_one_of_the_table_of_fields() {
    for (name, column) in Column::NAMES {
        let field = column
            .field
            .and_then(laptime_analysis::summary::fields::find);
        assert!(field.is_some(), "{name}");
    }
}

#[test]
fn what_has_no_room_is_named_once_and_a_name_is_whole() {
    let mut script = Script::new(7, 100 * MS);
    let name = "a_name_of_forty_columns_that_says_it_all";
    script.span(&["step", name], 1, 10 * MS);
    script.span(&["step"], 0, 20 * MS);
    let summary = analyzed::summarize(&[script], Options::default());
    let text = shown(&summary, Format::Text, &plain(90));
    assert!(text.contains(name), "{text}");
    let left_out: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("left out"))
        .collect();
    assert_eq!(left_out, ["left out to fit the width: of parent"]);
}

#[test]
fn the_first_rows_of_an_order_keep_what_is_around_them() {
    let view = View {
        top: Some(2),
        sort: Sort::SelfTime,
        whole: true,
        ..plain(100)
    };
    let text = shown(&training(), Format::Text, &view);
    let names: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("───"))
        .skip(1)
        .map_while(|line| line.split("  ").next().filter(|name| *name != "startup"))
        .collect();
    assert_eq!(names, ["step", "├─ backward", "└─ forward"]);
    assert!(text.contains("4 paths come after these"), "{text}");
}

#[test]
fn reasons_are_numbered_where_there_are_several_and_only_those_that_cells_point_at_stand_below() {
    let summary = killed();
    let one = shown(&summary, Format::Text, &plain(100));
    assert!(
        one.contains("\n– no span of this path began and ended here\n"),
        "{one}"
    );
    let view = View {
        columns: vec![Column::MEDIAN, Column::CPU],
        ..plain(100)
    };
    let both = shown(&summary, Format::Text, &view);
    assert!(
        both.contains("\n–¹ no span of this path began and ended here\n"),
        "{both}"
    );
    assert!(both.contains("\n–² no span measured it"), "{both}");
    let view = View {
        columns: vec![Column::TOTAL],
        ..plain(100)
    };
    let none = shown(&summary, Format::Text, &view);
    assert!(!none.lines().any(|line| line.starts_with('–')), "{none}");
}

#[test]
fn modules_are_named_with_their_class_and_summed_over_phases() {
    let mut script = Script::new(7, 100 * MS);
    let layer = ["forward", "Net", "0"];
    script.span(&layer, 1, 30 * MS);
    script.span(&["forward", "Net"], 1, 40 * MS);
    script.span(&["forward"], 1, 40 * MS);
    script.span(&["backward", "Net", "0"], 50 * MS, 20 * MS);
    script.span(&["backward", "Net"], 50 * MS, 20 * MS);
    script.span(&["backward"], 50 * MS, 20 * MS);
    script.module(&["forward", "Net"], 0, "Net");
    script.module(&layer, 1, "Conv2d");
    let summary = analyzed::summarize(&[script], Options::default());
    assert!(shown(&summary, Format::Text, &plain(100)).contains("└─ 0 (Conv2d)"));
    // On a page they stand before the tables.
    let page = Document::of_page(&summary, &plain(100));
    let headings: Vec<_> = page
        .sections
        .iter()
        .map(|one| one.heading.as_deref())
        .collect();
    assert_eq!(headings[..2], [Some("modules"), Some("whole run: 100 ms")]);
    let view = View {
        by: By::Module,
        ..plain(100)
    };
    let text = shown(&summary, Format::Text, &view);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("Net"))
        .map(|line| line.split_whitespace().take(8).collect())
        .collect();
    assert_eq!(
        rows[0][..8],
        ["Net/0", "(Conv2d)", "1", "50.0", "ms", "30.0", "ms", "20.0"]
    );
    assert_eq!(rows[1][..4], ["Net", "1", "10.0", "ms"]);
    let view = View {
        by: By::Class,
        ..plain(100)
    };
    assert!(shown(&summary, Format::Text, &view).contains("\nConv2d "));
    let view = View {
        filter: Some("Conv3d".into()),
        ..view
    };
    let unmatched = shown(&summary, Format::Text, &view);
    assert!(
        unmatched.contains("None of 2 rows matches the filter"),
        "{unmatched}"
    );
    let none = shown(&training(), Format::Text, &view);
    assert!(none.contains("laptime run --modules"), "{none}");
}

#[test]
fn a_long_table_leaves_small_rows_out_and_says_so() {
    let mut script = Script::new(7, 1_000 * MS);
    for index in 0..100_u64 {
        let ns = if index < 5 { 100 * MS } else { 1_000 };
        script.span(&[&format!("part {index}")], index * 100, ns);
    }
    let summary = analyzed::summarize(&[script], Options::default());
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
    let summary = analyzed::summarize(&[Script::new(7, 100 * MS)], Options::default());
    let text = shown(&summary, Format::Text, &plain(100));
    assert!(text.contains("\nno laps ·"), "{text}");
    assert!(!text.contains("other"));
}

#[test]
fn every_warning_is_shown_with_its_hint() {
    let mut summary = training();
    let mut expected = String::new();
    for index in 0..3 {
        let message = format!("doubt {index}");
        let _ = writeln!(expected, "\nwarning: {message}\n   hint: do {index}");
        summary.warnings.push(
            Warning::new("x", message)
                .with_hint(format!("do {index}"))
                .into(),
        );
    }
    assert!(shown(&summary, Format::Text, &plain(100)).ends_with(&expected));
}

#[test]
fn numbers_of_reasons_begin_at_one_whatever_columns_are_shown() {
    let reasons = |width| {
        let view = plain(width);
        let text = shown(&counted(), Format::Text, &view);
        let marks = text.lines().filter(|line| line.starts_with('–'));
        let marks = marks.filter_map(|line| line.split(' ').next());
        marks.map(str::to_owned).collect::<Vec<_>>()
    };
    for width in [60, 80, 100, 140] {
        let found = reasons(width);
        let first = found.first().map(String::as_str);
        assert!(
            matches!(first, None | Some("–" | "–¹")),
            "{width}: {found:?}"
        );
    }
    let asked = View {
        columns: vec![Column::COUNT, Column::CPU, Column::DELAYED],
        ..plain(100)
    };
    let text = shown(&training(), Format::Text, &asked);
    assert!(text.contains("\n–¹ no span measured it"), "{text}");
}

#[test]
fn the_answer_and_findings_are_in_full_ink_and_notes_are_not() {
    let view = View {
        color: true,
        ..plain(100)
    };
    let text = shown(&training(), Format::Text, &view);
    let line = |of: &str| text.lines().find(|line| line.contains(of)).unwrap();
    assert!(line("After warm-up, a step takes").starts_with("\u{1b}[1mtrain.py"));
    assert!(line("backward 45 %").starts_with("\u{1b}[1m"));
    assert!(line("pass before the first lap").starts_with('·'));
    assert!(line("the rest of the run").starts_with("\u{1b}[2m"));
}
