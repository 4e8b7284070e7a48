use laptime_analysis::{Options, Summary};

use crate::tests::analyzed;
use crate::tests::scripted::{MS, Script, anchor};
use crate::{Format, View, render};

/// Scripts a rank of 14 steps, the first of them 5 times as long.
fn rank(pid: u32, number: &str, forward_ms: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.note("environment.rank", number);
    let mut now = 100 * MS;
    for step in 0..14 {
        let slow = if step == 0 { 5 } else { 1 };
        script.span(&["step", "forward"], now, forward_ms * slow * MS);
        script.span(&["step"], now, 50 * slow * MS);
        now += 50 * slow * MS;
    }
    script.header.closed = Some(anchor(now + 100 * MS));
    script
}

fn summary(scripts: &[Script]) -> Summary {
    let options = Options {
        by_process: true,
        ..Options::default()
    };
    analyzed::summarize(scripts, options)
}

/// Summarizes two ranks, and a helper that reads for them.
fn ranks() -> Summary {
    let mut helper = Script::new(9, 900 * MS);
    helper.header.program = "reader.py".into();
    helper.header.parent_pid = 7;
    helper.span(&["read"], 100 * MS, 50 * MS);
    summary(&[rank(7, "0", 10), rank(8, "1", 40), helper])
}

fn shown(summary: &Summary, format: Format) -> String {
    let view = View {
        width: Some(90),
        ..View::default()
    };
    render(summary, format, &view).into_string()
}

#[test]
fn each_rank_has_a_table_and_a_steady_state_and_each_helper_a_line() {
    insta::assert_snapshot!(shown(&ranks(), Format::Text), @"
    train.py  1.10 s (2 processes, 2.20 s together): 82 % step, 9 % startup, 9 % exit, 2 %
    read. After warm-up, a step takes 50.0 ms: forward 50 %, outside of these 50 %.
    57 spans · 3 processes · host time from the start of the process, accurate to 10 ms;
    CLOCK_MONOTONIC

    rank 0 (process 7), after warm-up: 13 of 14 steps, 650 ms
    span             count   total     mean  of parent   share
    ───────────────────────────────────────────────────────────────────────
    step                13  650 ms  50.0 ms              100 % ████████████
    └─ forward          13  130 ms  10.0 ms     20.0 %  20.0 % ██▍
    outside of laps           0 ns                       0.0 %
    the rest of the run: 1 step of warm-up 250 ms, startup 100 ms, exit 100 ms (`laptime
    report --whole` has all of it)

    rank 1 (process 8), after warm-up: 13 of 14 steps, 650 ms
    span             count   total     mean  of parent   share
    ───────────────────────────────────────────────────────────────────────
    step                13  650 ms  50.0 ms              100 % ████████████
    └─ forward          13  520 ms  40.0 ms     80.0 %  80.0 % █████████▋
    outside of laps           0 ns                       0.0 %
    the rest of the run: 1 step of warm-up 250 ms, startup 100 ms, exit 100 ms (`laptime
    report --whole` has all of it)

    other processes
    · reader.py (process 9): ran 900 ms, 1 span

    a step of each process
    · rank 0 (process 7): 13 steps of 50.0 ms: forward 10.0 ms, rest 40.0 ms
    · rank 1 (process 8): 13 steps of 50.0 ms: forward 40.0 ms, rest 10.0 ms
    ");
}

#[test]
fn the_same_is_drawn_as_trees() {
    insta::assert_snapshot!(shown(&ranks(), Format::Tree), @"
    train.py  1.10 s (2 processes, 2.20 s together): 82 % step, 9 % startup, 9 % exit, 2 %
    read. After warm-up, a step takes 50.0 ms: forward 50 %, outside of these 50 %.
    57 spans · 3 processes · host time from the start of the process, accurate to 10 ms;
    CLOCK_MONOTONIC

    rank 0 (process 7), after warm-up: 13 of 14 steps, 650 ms
    step  650 ms  100 %  ×13  mean 50.0 ms
    └─ forward  130 ms  20.0 %  ×13  mean 10.0 ms
    outside of laps  0 ns  0.0 %

    rank 1 (process 8), after warm-up: 13 of 14 steps, 650 ms
    step  650 ms  100 %  ×13  mean 50.0 ms
    └─ forward  520 ms  80.0 %  ×13  mean 40.0 ms
    outside of laps  0 ns  0.0 %
    ");
}

#[test]
fn markdown_has_the_same_tables() {
    let text = shown(&ranks(), Format::Markdown);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    insta::assert_snapshot!(headings.collect::<Vec<_>>().join("\n"), @"
    ## train.py
    ### Rank 0 (process 7), after warm-up: 13 of 14 steps, 650 ms
    ### Rank 1 (process 8), after warm-up: 13 of 14 steps, 650 ms
    ### Other processes
    ### A step of each process
    ");
}

#[test]
fn csv_says_before_each_row_whose_it_is() {
    let text = shown(&ranks(), Format::Csv);
    let start = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",");
    insta::assert_snapshot!(text.lines().map(start).collect::<Vec<_>>().join("\n"), @"
    process,rank,section,kind,path,count,total_ns
    7,0,run,span,step,14,900000000
    7,0,run,span,step/forward,14,180000000
    7,0,run,leftover,startup,,100000000
    7,0,run,leftover,other,,0
    7,0,run,leftover,exit,,100000000
    7,0,steady,span,step,13,650000000
    7,0,steady,span,step/forward,13,130000000
    7,0,steady,leftover,other,,0
    8,1,run,span,step,14,900000000
    8,1,run,span,step/forward,14,720000000
    8,1,run,leftover,startup,,100000000
    8,1,run,leftover,other,,0
    8,1,run,leftover,exit,,100000000
    8,1,steady,span,step,13,650000000
    8,1,steady,span,step/forward,13,520000000
    8,1,steady,leftover,other,,0
    ");
    let columns = |line: &str| line.matches(',').count();
    let widths: Vec<usize> = text.lines().map(columns).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
}

#[test]
fn json_has_the_rows_of_each_process_as_the_schema_says() {
    let text = shown(&ranks(), Format::Json);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(crate::schema_tests::check(&value), Vec::<String>::new());
    let told = value["by_process"].as_array().unwrap().iter();
    let told: Vec<_> = told
        .map(|one| {
            (
                one["pid"].as_u64(),
                one["rank"].as_str(),
                one["steady"]["from_step"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [(Some(7), Some("0"), Some(1)), (Some(8), Some("1"), Some(1))]
    );
}

#[test]
fn a_page_has_the_same_tables() {
    let page = shown(&ranks(), Format::Html);
    let headings: Vec<&str> = page
        .split("<h3>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</h3>"))
        .map(|(heading, _)| heading)
        .collect();
    assert_eq!(headings.len(), 4, "{headings:?}");
    assert_eq!(
        headings[0],
        "rank 0 (process 7), after warm-up: 13 of 14 steps, 650 ms"
    );
    assert_eq!(headings[2], "other processes");
}

#[test]
fn a_filter_narrows_the_rows_of_each_process_and_the_table_may_be_of_all_of_it() {
    let view = View {
        filter: Some("forward".into()),
        whole: true,
        ..View::default()
    };
    let value: serde_json::Value =
        serde_json::from_str(&render(&ranks(), Format::Json, &view)).unwrap();
    for one in value["by_process"].as_array().unwrap() {
        let rows = one["rows"].as_array().unwrap();
        assert_eq!(
            (rows.len(), rows[0]["path"].as_str()),
            (1, Some("step/forward"))
        );
        let steady = one["steady"]["rows"].as_array().unwrap();
        assert_eq!((steady.len(), &steady[0]["path"]), (1, &rows[0]["path"]));
    }
    let text = render(&ranks(), Format::Text, &view);
    assert_eq!(text.matches("whole run").count(), 2, "{text}");
    assert!(!text.contains("after warm-up"), "{text}");
}

#[test]
fn a_rank_that_tries_to_be_more_than_a_name_is_shown_as_text() {
    for hostile in crate::tests::HOSTILE {
        let summary = summary(&[rank(7, hostile, 10), rank(8, "1", 10)]);
        for format in [Format::Text, Format::Tree, Format::Markdown, Format::Csv] {
            let text = shown(&summary, format);
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{text}");
            assert!(!text.contains("two\nlines"), "{text}");
        }
        let markdown = shown(&summary, Format::Markdown);
        assert!(
            !markdown.contains("<script>") && !markdown.contains("[link]("),
            "{markdown}"
        );
        assert!(!shown(&summary, Format::Html).contains("<script>alert"));
    }
}

#[test]
fn a_run_without_spans_says_so_and_has_no_empty_tables() {
    let text = shown(&summary(&[Script::new(7, 100 * MS)]), Format::Text);
    assert!(text.contains("\nno laps ·"), "{text}");
}
