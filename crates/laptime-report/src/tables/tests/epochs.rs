use laptime_analysis::Options;

use super::shortened;
use crate::tests::HOSTILE;
use crate::tests::analyzed;
use crate::tests::scripted::{MS, Script};
use crate::{Format, View, render};

fn trained(epochs: u64) -> String {
    let mut script = Script::new(7, 100_000 * MS);
    let mut now = 500 * MS;
    for epoch in 0..epochs {
        script.mark(&["epoch"], now);
        for _ in 0..8 + 2 * epoch {
            script.span(&["step"], now, 10 * MS);
            now += 10 * MS;
        }
        script.span(&["evaluation"], now, 30 * MS);
        now += 30 * MS;
        script.metric(&["accuracy"], now, 0.5 + epoch as f64 / 100.0);
    }
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let (_, after) = text.split_once("\nepochs\n").expect("the section");
    let (section, rest) = after.split_once("\n\n").expect("what follows");
    assert!(
        !rest.contains("marked"),
        "the marks are told by the rows: {rest}"
    );
    section.to_owned()
}

#[test]
fn an_epoch_is_a_line_with_its_time_steps_evaluation_and_metrics() {
    insta::assert_snapshot!(trained(3), @"
    3 epochs in 390 ms, 30 steps
    · epoch 1 | 110 ms | 8 steps  | evaluation 30.0 ms | accuracy 0.5
    · epoch 2 | 130 ms | 10 steps | evaluation 30.0 ms | accuracy 0.51
    · epoch 3 | 150 ms | 12 steps | evaluation 30.0 ms | accuracy 0.52
    ");
}

#[test]
fn of_many_epochs_the_first_and_the_last_are_shown() {
    let shown = trained(30);
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains('·')).collect();
    assert_eq!(lines.len(), 9);
    assert!(lines[4].contains("… 22 more"), "{shown}");
    assert!(lines[8].contains("epoch 30"), "{shown}");
    assert!(
        shown.contains("median 410 ms, longest 690 ms (epoch 30)"),
        "{shown}"
    );
}

#[test]
fn the_longest_of_many_epochs_is_shown_wherever_it_stands() {
    let lines: Vec<String> = (1..=15).map(|number| format!("epoch {number}")).collect();
    let shown = |longest| shortened(&lines, longest).join("; ");
    insta::assert_snapshot!(shown(7), @"epoch 1; epoch 2; epoch 3; epoch 4; … 3 more, all in JSON; epoch 8; … 3 more, all in JSON; epoch 12; epoch 13; epoch 14; epoch 15");
    insta::assert_snapshot!(shown(4), @"epoch 1; epoch 2; epoch 3; epoch 4; epoch 5; … 6 more, all in JSON; epoch 12; epoch 13; epoch 14; epoch 15");
    insta::assert_snapshot!(shown(14), @"epoch 1; epoch 2; epoch 3; epoch 4; … 7 more, all in JSON; epoch 12; epoch 13; epoch 14; epoch 15");
}

#[test]
fn names_of_metrics_and_of_parts_are_shown_as_text_and_leave_room_for_others() {
    let long = "x".repeat(10_000);
    for name in HOSTILE.iter().chain([&long.as_str()]) {
        let of = |pid| {
            let mut script = Script::new(pid, 1_000 * MS);
            script.mark(&["epoch"], 100 * MS);
            script.span(&["step", name], 100 * MS, 10 * MS);
            script.span(&["step"], 100 * MS, 20 * MS);
            script.metric(&[name], 125 * MS, 0.5);
            script.metric(&["z"], 125 * MS, 0.25);
            script
        };
        let summary = analyzed::summarize(&[of(7), of(8)], Options::default());
        let text = render(&summary, Format::Text, &View::default());
        assert!(
            !text.contains(|one: char| one.is_control() && one != '\n'),
            "{text:?}"
        );
        assert!(
            text.contains("z 0.25") && text.contains("rest 10"),
            "{text}"
        );
        let markdown = render(&summary, Format::Markdown, &View::default());
        assert!(!markdown.contains("<script>"), "{markdown}");
    }
}

/// Scripts a process that trained one epoch of 10 ms steps.
fn rank(pid: u32, steps: u64) -> Script {
    let mut script = Script::new(pid, 1_000 * MS);
    script.note("environment.rank", &(pid - 7).to_string());
    script.mark(&["epoch"], 100 * MS);
    for step in 0..steps {
        script.span(&["step"], (100 + 10 * step) * MS, 10 * MS);
    }
    script
}

fn remark_of(ranks: &[Script]) -> String {
    let summary = analyzed::summarize(ranks, Options::default());
    let section = super::section(&summary).expect("epochs");
    section.remark.expect("what they come to")
}

#[test]
fn of_several_processes_it_is_said_whose_epochs_these_are() {
    assert_eq!(remark_of(&[rank(7, 30)]), "1 epoch in 300 ms, 30 steps");
    assert_eq!(
        remark_of(&[rank(7, 30), rank(8, 20)]),
        "1 epoch in 300 ms, 30 steps, of rank 0 (process 7). The epochs of 1 other process took 200 ms"
    );
    assert_eq!(
        remark_of(&[rank(7, 30), rank(8, 20), rank(9, 40)]),
        "1 epoch in 300 ms, 30 steps, of rank 0 (process 7). The epochs of 2 other processes took from \
         200 ms to 400 ms"
    );
}
