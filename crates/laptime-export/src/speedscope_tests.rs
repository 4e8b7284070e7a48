use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::scripted::{MAIN, Script, Shared, exported, tell};
use crate::{Export, Format};

/// The rules of the format that the page enforces, and the own time by stack of all profiles.
fn checked(file: &[u8]) -> BTreeMap<Vec<String>, u64> {
    let whole: Value = serde_json::from_slice(file).unwrap();
    assert_eq!(
        whole["$schema"],
        "https://www.speedscope.app/file-format-schema.json"
    );
    let frames = whole["shared"]["frames"].as_array().unwrap();
    let name = |frame: &Value| {
        let frame = &frames[frame.as_u64().unwrap() as usize];
        frame["name"].as_str().unwrap().to_owned()
    };
    let mut own = BTreeMap::new();
    for profile in whole["profiles"].as_array().unwrap() {
        assert_eq!(profile["unit"], "nanoseconds");
        let end = profile["endValue"].as_u64().unwrap();
        if profile["type"] == "sampled" {
            let samples = profile["samples"].as_array().unwrap();
            let weights = profile["weights"].as_array().unwrap();
            assert_eq!(samples.len(), weights.len());
            for (stack, weight) in samples.iter().zip(weights) {
                let stack = stack.as_array().unwrap().iter().map(name).collect();
                *own.entry(stack).or_default() += weight.as_u64().unwrap();
            }
            continue;
        }
        let mut stack: Vec<String> = Vec::new();
        let mut at = 0;
        for event in profile["events"].as_array().unwrap() {
            let now = event["at"].as_u64().unwrap();
            assert!((at..=end).contains(&now), "{event}");
            if now > at && !stack.is_empty() {
                *own.entry(stack.clone()).or_default() += now - at;
            }
            at = now;
            if event["type"] == "O" {
                stack.push(name(&event["frame"]));
            } else {
                assert_eq!(stack.pop(), Some(name(&event["frame"])));
            }
        }
        assert!(stack.is_empty(), "{stack:?} were not closed");
    }
    own
}

fn with_room(scripts: &[Script], most: u64) -> Vec<u8> {
    let out = Shared::default();
    let about = About::default();
    let sink = Speedscope::with_room(Box::new(out.clone()), &about, most);
    let mut export = Export::with_sink(Box::new(sink), about);
    for script in scripts {
        tell(&mut export, script, 1_000_000);
    }
    export.finish().unwrap();
    out.0.lock().unwrap().clone()
}

fn tracks(count: u32, steps: u64) -> Script {
    let mut script = Script::new(20);
    for step in 0..steps {
        for track in (MAIN..).take(count as usize) {
            let (start, end) = (step * 100, step * 100 + 90);
            let flags = SpanFlags::NONE;
            script.span_on(track, &["step", "forward"], start, start + 30, flags);
            script.span_on(track, &["step", "backward"], start + 30, end, flags);
            script.span_on(track, &["step"], start, end + 5, flags);
        }
    }
    script
}

#[test]
fn spans_nest_in_order_of_time_though_they_are_told_at_their_ends() {
    let own = checked(&exported(Format::Speedscope, &[tracks(2, 50)], 0));
    let of = |names: &[&str]| own[&names.iter().map(ToString::to_string).collect::<Vec<_>>()];
    assert_eq!(of(&["step", "forward"]), 2 * 50 * 30);
    assert_eq!(of(&["step", "backward"]), 2 * 50 * 60);
    assert_eq!(of(&["step"]), 2 * 50 * 5);
}

#[test]
fn tracks_that_do_not_fit_together_are_read_one_after_the_other() {
    let script = [tracks(3, 20)];
    let whole = checked(&with_room(&script, 1_000));
    for most in [60, 100, 120] {
        assert_eq!(checked(&with_room(&script, most)), whole);
    }
}

#[test]
fn a_track_that_does_not_fit_alone_becomes_sums() {
    let script = [tracks(3, 20)];
    let file = with_room(&script, 59);
    assert_eq!(checked(&file), checked(&with_room(&script, 1_000)));
    let whole: Value = serde_json::from_slice(&file).unwrap();
    for profile in whole["profiles"].as_array().unwrap() {
        assert_eq!(profile["type"], "sampled");
        let name = profile["name"].as_str().unwrap();
        assert!(name.ends_with("sums: too many spans for a line of time"));
    }
}

proptest! {
    /// Whatever a recording holds, damaged ones included.
    #[test]
    fn the_page_takes_any_spans(
        spans in proptest::collection::vec((0_u64..100, 0_u64..50, 0_usize..4, 0_u64..16), 0..60),
    ) {
        let names = ["a", "b", "c", "d"];
        let mut script = Script::new(20);
        for (start, length, depth, flags) in spans {
            script.span_on(MAIN, &names[..=depth], start, start + length, SpanFlags(flags));
        }
        checked(&exported(Format::Speedscope, &[script], 0));
    }
}
