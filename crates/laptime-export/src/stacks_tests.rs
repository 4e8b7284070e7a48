use laptime_core::{PathId, SamplePlace, SampledCall, SampledFunction};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::Format;
use crate::scripted::{MAIN, Script, exported};

/// `main` calls `load`, which calls `parse`, and `train`.
fn sampled() -> Sampled {
    let functions = ["main", "load", "parse", "train"].map(|name| SampledFunction {
        name: name.to_owned(),
        file: "/home/me/train.py".to_owned(),
    });
    let calls = [(None, 0), (Some(0), 1), (Some(1), 2), (Some(0), 3)];
    let calls = calls.map(|(from, function)| SampledCall { from, function });
    Sampled {
        functions: functions.to_vec(),
        calls: calls.to_vec(),
        samples: Vec::new(),
    }
}

fn sample(ticks: u64, call: u32, place: SamplePlace) -> Sample {
    Sample {
        ticks,
        thread: 20,
        call,
        place,
        is_running: call != 1,
        stands_for_ns: 10,
    }
}

/// A step of 100 ns with data in its first half, sampled before, in and after it.
fn script() -> Script {
    let mut script = Script::new(20);
    script.span(&["step", "data"], 100, 150);
    script.span(&["step"], 100, 200);
    let (step, data) = (script.path(&["step"]), script.path(&["step", "data"]));
    script.sampled = sampled();
    script.sampled.samples = vec![
        sample(90, 0, SamplePlace::Outside(Some("startup"))),
        sample(110, 1, SamplePlace::Lap(data)),
        sample(120, 2, SamplePlace::Lap(data)),
        sample(130, 2, SamplePlace::Lap(data)),
        sample(160, 3, SamplePlace::Lap(step)),
    ];
    script
}

fn json(format: Format, scripts: &[Script]) -> Value {
    serde_json::from_slice(&exported(format, scripts, 1_000)).unwrap()
}

#[test]
fn collapsed_functions_stand_below_their_laps_and_take_their_time() {
    let text = String::from_utf8(exported(Format::Collapsed, &[script()], 1_000)).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    // Of the 50 ns of each lap 30 and 10 were sampled.
    let expected = [
        "startup;main (train.py) 10",
        "step 40",
        "step;data 20",
        "step;data;main (train.py);load (train.py) 10",
        "step;data;main (train.py);load (train.py);parse (train.py) 20",
        "step;main (train.py);train (train.py) 10",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn speedscope_opens_with_the_samples_of_a_thread_below_their_laps() {
    let whole = json(Format::Speedscope, &[script()]);
    let index = whole["activeProfileIndex"].as_u64().unwrap() as usize;
    let profile = &whole["profiles"][index];
    assert_eq!(profile["type"], "sampled");
    let name = profile["name"].as_str().unwrap();
    assert!(name.ends_with("main thread · sampled functions"), "{name}");
    let frames = &whole["shared"]["frames"];
    let stack = |at: usize| {
        let stack = profile["samples"][at].as_array().unwrap().iter();
        let frames = stack.map(|frame| frames[frame.as_u64().unwrap() as usize]["name"].as_str());
        frames.map(Option::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(stack(0), ["startup", "main"]);
    assert_eq!(stack(2), ["step", "data", "main", "load", "parse"]);
    assert_eq!(profile["weights"], serde_json::json!([10, 10, 10, 10, 10]));
    assert_eq!(profile["endValue"], 50);
    // Laps are as exact beside it as without.
    assert_eq!(whole["profiles"].as_array().unwrap().len(), 2);
    assert!(
        json(Format::Speedscope, &[])
            .get("activeProfileIndex")
            .is_none()
    );
}

#[test]
fn chrome_has_a_lane_of_functions_for_each_thread() {
    let mut script = script();
    let other = Sample {
        thread: 77,
        ..sample(120, 3, SamplePlace::Outside(Some("other threads")))
    };
    script.sampled.samples.push(other);
    let events = json(Format::Chrome, &[script])["traceEvents"].clone();
    let events = events.as_array().unwrap();
    let lanes = events.iter().filter(|event| event["name"] == "thread_name");
    let lanes: Vec<(&str, u64)> = lanes
        .map(|lane| {
            (
                lane["args"]["name"].as_str().unwrap(),
                lane["tid"].as_u64().unwrap(),
            )
        })
        .collect();
    let lane = |name: &str| lanes.iter().find(|(lane, _)| *lane == name).unwrap().1;
    let main = lane("main thread · sampled functions");
    assert_ne!(main, u64::from(MAIN));
    lane("thread id 77 · sampled functions");
    let of_main = events
        .iter()
        .filter(|event| event["cat"] == "function" && event["tid"] == main);
    let bars: Vec<(&str, f64, f64, u64)> = of_main
        .map(|event| {
            let number = |key: &str| event[key].as_f64().unwrap() * 1_000.0;
            let samples = event["args"]["samples"].as_u64().unwrap();
            let name = event["name"].as_str().unwrap();
            (name, number("ts").round(), number("dur").round(), samples)
        })
        .collect();
    // A bar is told when it ends; `load` waited in one of its samples.
    let expected = [
        ("parse", 110.0, 20.0, 2),
        ("load", 90.0, 40.0, 3),
        ("train", 130.0, 30.0, 1),
        ("main", 80.0, 80.0, 5),
    ];
    assert_eq!(bars, expected);
    let load = events.iter().find(|event| event["name"] == "load").unwrap();
    assert_eq!(load["args"]["waiting_ns"], 20);
}

#[test]
fn bars_end_where_nothing_was_read() {
    let mut script = script();
    let far = 5 * GAP_NS;
    let path = script.path(&["step"]);
    script
        .sampled
        .samples
        .push(sample(far, 3, SamplePlace::Lap(path)));
    let events = json(Format::Chrome, &[script])["traceEvents"].clone();
    let trains = events.as_array().unwrap().iter();
    let trains: Vec<f64> = trains
        .filter(|event| event["name"] == "train")
        .map(|event| event["dur"].as_f64().unwrap() * 1_000.0)
        .map(f64::round)
        .collect();
    assert_eq!(trains, [30.0, 10.0]);
}

#[test]
fn formats_without_stacks_are_as_before() {
    let with = script();
    let without = Script {
        sampled: Sampled::default(),
        ..script()
    };
    for (name, format) in Format::NAMES {
        if format == Format::Pstats {
            continue;
        }
        let same = exported(format, std::slice::from_ref(&with), 1_000)
            == exported(format, std::slice::from_ref(&without), 1_000);
        assert_eq!(same, !format.has_stacks(), "{name}");
    }
}

proptest! {
    #[test]
    fn bars_nest_and_cover_what_was_sampled(
        given in proptest::collection::vec((0_u64..50, 0_u32..4, 1_u64..60), 1..40)
    ) {
        let mut script = Script::new(20);
        script.sampled = sampled();
        let mut at = 1_000;
        for (step, call, stands_for_ns) in given {
            at += step;
            let one = sample(at, call, SamplePlace::Lap(PathId::ROOT));
            script.sampled.samples.push(Sample { stands_for_ns, ..one });
        }
        let events = json(Format::Chrome, &[script.clone()])["traceEvents"].clone();
        let bars = events.as_array().unwrap().iter().filter(|event| event["cat"] == "function");
        let bars: Vec<(u64, u64, u64)> = bars
            .map(|event| {
                let ns = |key: &str| (event[key].as_f64().unwrap() * 1_000.0).round() as u64;
                let samples = event["args"]["samples"].as_u64().unwrap();
                (ns("ts"), ns("ts") + ns("dur"), samples)
            })
            .collect();
        for (start, end, _) in &bars {
            for (from, to, _) in &bars {
                let is_apart = to <= start || from >= end;
                let nests = (start <= from && to <= end) || (from <= start && end <= to);
                prop_assert!(is_apart || nests);
            }
        }
        let calls = script.sampled.samples.iter();
        let calls: u64 = calls.map(|one| script.sampled.way(one.call).len() as u64).sum();
        prop_assert_eq!(bars.iter().map(|(.., samples)| samples).sum::<u64>(), calls);
    }
}
