//! Device times of laps, in tables and in trees.

use laptime_analysis::{Options, Summary};
use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, DeviceTimes};

use crate::document::column::Column;
use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Format, View, render};

/// Summarizes twenty epochs whose forward the device had begun when all of it was launched, and whose backward it had
/// not.
fn launched() -> Summary {
    let mut script = Script::new(7, 400 * MS);
    for epoch in 0..20 {
        let at = epoch * 10 * MS;
        span(&mut script, &["epoch", "forward"], at, 3 * MS, true);
        span(&mut script, &["epoch", "backward"], at + MS, 5 * MS, false);
        span(&mut script, &["epoch"], at, 9 * MS, false);
    }
    analyzed::summarize(&[script], Options::default())
}

fn span(script: &mut Script, names: &[&str], at: u64, device_ns: u64, launch_bound: bool) {
    script.span(names, at, MS);
    let path = script.path(names);
    script.observed(Record::DeviceSpan(DeviceSpan {
        path,
        start: EPOCH_NS + at,
        duration: MS,
        track: MAIN,
        device: 0,
        stream: 7,
        continues: false,
        times: Ok(DeviceTimes {
            duration_ns: device_ns,
            launch_bound,
            place: None,
        }),
    }));
}

/// Returns the lines of the rows, with single spaces.
fn rows(summary: &Summary, format: Format, columns: &[Column]) -> Vec<String> {
    let view = View {
        columns: columns.to_vec(),
        ..View::default()
    };
    let text = render(summary, format, &view);
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    let is_row = |line: &String| line.starts_with(['├', '└']) || line.starts_with("epoch ");
    lines.filter(is_row).take(3).collect()
}

#[test]
fn a_column_that_is_asked_for_counts_the_laps_that_were_limited_by_launching() {
    let asked = [Column::COUNT, Column::LAUNCH_BOUND];
    let lines = rows(&launched(), Format::Text, &asked);
    assert_eq!(
        lines,
        ["epoch 20 0", "├─ backward 20 0", "└─ forward 20 20"]
    );
    assert!(Column::NAMES.contains(&("launch-bound", Column::LAUNCH_BOUND)));
    let usual = render(&launched(), Format::Text, &View::default());
    assert!(!usual.contains("launch-bound"));
}

#[test]
fn a_tree_has_the_devices_time_after_that_of_the_host() {
    let lines = rows(&launched(), Format::Tree, &[]);
    assert_eq!(
        lines,
        [
            "epoch 20.0 ms device 180 ms 5.0 % ×20 mean 1.00 ms",
            "├─ backward 20.0 ms device 100 ms 5.0 % ×20 mean 1.00 ms",
            "└─ forward 20.0 ms device 60.0 ms 5.0 % ×20 mean 1.00 ms",
        ]
    );
}
