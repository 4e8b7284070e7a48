//! `laptime report --until`: when a metric reached a threshold.

use std::fs;

use laptime_core::PathId;
use laptime_core::format::record::{Record, encode};
use laptime_core::format::window::{WINDOW_LEN, WindowHeader, seal};

use crate::place::{Left, Place};
use crate::recording::{self, BEGAN, PID, STEP_NS, TRACK, anchor};

/// 250 steps of 1 ms, and a loss of 1 / n after every 50 of them.
fn asked(arguments: &[&str]) -> Left {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    recording::folder(&folder, 250);
    let file = folder.join(format!("{PID}-ab.proc"));
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend(metrics());
    fs::write(&file, bytes).unwrap();
    place.laptime(&[&["report", "a.lap"], arguments].concat())
}

fn metrics() -> Vec<u8> {
    let header = WindowHeader {
        pid: PID,
        stream: 2,
        sequence: 3,
        boot: u64::from_le_bytes([7; 8]),
        anchor: anchor(BEGAN),
        lost: 0,
        track: TRACK,
    };
    let (mut records, mut cursor) = (Vec::new(), header.cursor());
    let path = PathId(9);
    let define = Record::Path {
        id: path,
        parent: PathId::ROOT,
        name: "loss",
    };
    encode(&mut records, &mut cursor, &define);
    for epoch in 1..=5_u64 {
        let metric = Record::Metric {
            path,
            ticks: BEGAN + epoch * 50 * STEP_NS,
            value: 1.0 / epoch as f64,
            track: TRACK,
        };
        encode(&mut records, &mut cursor, &metric);
    }
    let mut bytes = header.to_bytes().to_vec();
    bytes[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&records);
    bytes.resize(WINDOW_LEN, 0);
    seal(&mut bytes, records.len());
    bytes
}

#[test]
fn the_text_says_after_how_much_time_and_how_many_steps() {
    let left = asked(&["--until", "loss <= 0.25", "--until", "loss < 0.1"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let section = left.out.split("learning speed\n").nth(1).unwrap();
    let lines: Vec<&str> = section.lines().take(2).collect();
    assert!(lines[0].starts_with("loss <= 0.25"), "{}", lines[0]);
    assert!(
        lines[0].ends_with("after 200 ms, 200 steps: 0.25"),
        "{}",
        lines[0]
    );
    let missed = "not reached: best of 5 values is 0.2 after 250 ms";
    assert!(lines[1].ends_with(missed), "{}", lines[1]);
}

#[test]
fn json_has_the_answer_with_the_reasons_for_what_is_absent() {
    let left = asked(&["--until", "loss <= 0.5", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&left.out).unwrap();
    let answer = &summary["until"][0];
    assert_eq!(answer["at_ns"], 100 * STEP_NS);
    assert_eq!(
        (&answer["steps"], &answer["value"]),
        (&100.into(), &0.5.into())
    );
    assert!(answer["epochs"].is_null());
    assert!(answer["why"]["epochs"].as_str().unwrap().contains("epoch"));
}

#[test]
fn an_unknown_metric_and_a_question_that_is_none_are_refused() {
    let left = asked(&["--until", "accuracy >= 0.95"]);
    assert_eq!((left.code, left.out.as_str()), (2, ""));
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: the recording has no metric "accuracy"
    hint: metrics here: loss
    "#);
    let left = asked(&["--until", "loss"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.contains("no question like 'test_acc >= 0.95'"),
        "{}",
        left.err
    );
}
