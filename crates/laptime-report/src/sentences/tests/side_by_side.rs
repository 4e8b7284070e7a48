use laptime_analysis::{Options, Summary};

use crate::tests::analyzed;
use crate::tests::scripted::{MAIN, MS, Script};
use crate::{Format, View, render};

fn shown(summary: &Summary) -> String {
    render(summary, Format::Text, &View::default()).into_string()
}

fn rank(pid: u32, number: &str, forward_ms: u64) -> Script {
    let mut script = Script::new(pid, 400 * MS);
    script.note("environment.rank", number);
    for step in 0..3 {
        let start = 100 * (step + 1) * MS;
        script.span(&["step", "forward"], start, forward_ms * MS);
        script.span(
            &["step", "backward"],
            start + forward_ms * MS,
            (60 - forward_ms) * MS,
        );
        script.span(&["step"], start, 70 * MS);
    }
    script
}

#[test]
fn a_step_of_each_process_and_what_sums_are_of_stand_below_the_table() {
    let scripts = [rank(7, "0", 10), rank(8, "1", 40)];
    let text = shown(&analyzed::summarize(&scripts, Options::default()));
    let below = text.split_once("2 processes took").unwrap().1.trim_start();
    insta::assert_snapshot!(below, @"
    steps: counts and totals are their sums, shares are of 800 ms, the sum of their
    times

    a step of each process
    · rank 0 (process 7): 3 steps of 70.0 ms: forward 10.0 ms, backward 50.0 ms, rest 10.0 ms
    · rank 1 (process 8): 3 steps of 70.0 ms: forward 40.0 ms, backward 20.0 ms, rest 10.0 ms
    ");
}

#[test]
fn threads_in_laps_at_the_same_time_are_said_to_add_up_to_more() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["work"], 10 * MS, 50 * MS);
    script.span_on(
        MAIN + 1,
        &["work"],
        20 * MS,
        30 * MS,
        laptime_core::SpanFlags::NONE,
    );
    let text = shown(&analyzed::summarize(&[script], Options::default()));
    let note = text
        .lines()
        .find(|line| line.contains("same time"))
        .unwrap();
    insta::assert_snapshot!(note, @"threads or tasks were in laps at the same time, so the rows add up to 30.0 ms more than the wall");
}
