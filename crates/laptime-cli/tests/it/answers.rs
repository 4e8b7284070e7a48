//! The JSON of a report for whoever reads it first: its sentences are the terminal's, and there is JSON on the standard
//! output or nothing.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::place::{Left, Place};
use crate::recording;

/// Recordings that stand beside the tests.
const RECORDINGS: [&str; 10] = [
    "training",
    "operations",
    "ranks",
    "device",
    "version-1-stacks",
    "memory",
    "killed",
    "tasks",
    "notebook",
    "plain",
];

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name).display().to_string()
}

fn json(left: &Left) -> Value {
    assert_eq!(left.code, 0, "{}", left.err);
    serde_json::from_str(&left.out).unwrap()
}

/// The findings in a terminal: each is a list item.
fn told(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != "findings").skip(1);
    let mut told: Vec<String> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        match (line.strip_prefix("· "), told.last_mut()) {
            (Some(first), _) => told.push(first.to_owned()),
            (None, Some(last)) => last.extend([" ", line.trim_start()]),
            (None, None) => {}
        }
    }
    told
}

#[test]
fn the_sentences_of_a_report_are_the_same_in_json() {
    let place = Place::new();
    let mut count = 0;
    for name in RECORDINGS {
        let path = fixture(&format!("{name}.lap"));
        let text = place.laptime(&["report", &path]);
        let json = json(&place.laptime(&["report", &path, "-f", "json"]));
        let findings = json["findings"].as_array().unwrap().iter();
        let findings: Vec<&str> = findings.map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!(findings, told(&text.out), "{name}");
        count += findings.len();
        let said = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let headline = json["headline"]["text"].as_str().unwrap();
        let program = json["program"].as_str().unwrap();
        assert!(said.starts_with(&format!("{program} {headline}")), "{name}");
        // Of some runs there is no more to show.
        let next = json["next"]["text"].as_str();
        let begins = next.map_or_else(String::new, |next| format!("next: {next}"));
        assert!(text.err.starts_with(&begins), "{}", text.err);
        assert_eq!(next.is_none(), text.err.is_empty(), "{}", text.err);
    }
    assert!(count > RECORDINGS.len());
}

#[test]
fn what_is_next_can_be_done() {
    let place = Place::new();
    let mut count = 0;
    for name in RECORDINGS {
        let copy = place.path().join("it's here.lap");
        fs::copy(fixture(&format!("{name}.lap")), copy).unwrap();
        let json = json(&place.laptime(&["report", "it's here.lap", "-f", "json"]));
        let findings = json["findings"].as_array().unwrap().iter();
        let each = findings.map(|one| &one["next"]).chain([&json["next"]]);
        for next in each.filter(|next| !next.is_null()) {
            let words = next["argv"].as_array().unwrap().iter();
            let words: Vec<&str> = words.map(|word| word.as_str().unwrap()).collect();
            assert_eq!(words[0], "laptime");
            // A browser isn't for a test.
            if words[1] == "report" && !words.contains(&"--open") {
                let left = place.laptime(&words[1..]);
                assert_eq!(left.code, 0, "{words:?}: {}", left.err);
                count += 1;
            }
        }
    }
    assert!(count > 0);
}

#[test]
fn what_cannot_be_read_leaves_no_half_json() {
    let place = Place::new();
    fs::create_dir(place.path().join("empty.lap")).unwrap();
    fs::write(place.path().join("nothing.lap"), "").unwrap();
    fs::write(place.path().join("other.lap"), "some other file\n").unwrap();
    for name in ["empty.lap", "nothing.lap", "other.lap", "none.lap"] {
        let left = place.laptime(&["report", name, "-f", "json"]);
        assert_eq!((left.code, &*left.out), (6, ""), "{name}: {}", left.err);
        assert!(left.err.starts_with("laptime: "), "{}", left.err);
    }
    assert_eq!(place.laptime(&["report", "-f", "json"]).code, 6);
    assert_eq!(place.laptime(&["report", "-f", "jsn"]).code, 2);
}

#[test]
fn a_recording_that_was_cut_off_is_json_with_its_doubts() {
    let place = Place::new();
    let folder = place.path().join("cut.lap");
    recording::folder(&folder, 50);
    let mut files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let file = files
        .find(|path| path.extension().is_some_and(|is| is == "proc"))
        .unwrap();
    let whole = fs::read(&file).unwrap();
    for part in [1, 2, 4, 16, 64, 256] {
        fs::write(&file, &whole[..whole.len() / part]).unwrap();
        let left = place.laptime(&["report", "cut.lap", "-f", "json"]);
        if left.code == 0 {
            let json = json(&left);
            assert!(json["headline"]["text"].is_string());
            assert!(json["findings"].is_array() && json["warnings"].is_array());
        } else {
            assert_eq!((left.code, &*left.out), (6, ""), "{}", left.err);
            assert!(!left.err.is_empty());
        }
    }
}
