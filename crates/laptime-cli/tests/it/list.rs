//! `laptime list` tells of each recording what its `run.json` has.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::place::Place;
use crate::recording;

fn listed(place: &Place) -> Vec<Value> {
    let left = place.laptime(&["list", "--json"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    serde_json::from_str(&left.out).unwrap()
}

fn of<'a>(listed: &'a [Value], path: &str) -> &'a Value {
    let found = listed.iter().find(|one| one["path"] == path);
    found.unwrap_or_else(|| panic!("{path} is not in {listed:?}"))
}

#[test]
fn a_folder_without_recordings_says_so() {
    let place = Place::new();
    let left = place.laptime(&["list"]);
    assert_eq!(left.code, 0);
    assert_eq!(
        left.out,
        "no recordings are here; `laptime run SCRIPT` makes one\n"
    );
    assert_eq!(listed(&place), Vec::<Value>::new());
}

#[test]
fn every_recording_of_both_places_is_listed_the_newest_first() {
    let place = Place::new();
    recording::folder(&place.path().join("old.lap"), 4);
    place.laptime(&["pack", "old.lap", "-o", "packed.lap"]);
    place.laptime(&["run", "sh", "-c", "exit 3"]);
    place.laptime(&["run", "-o", "own.lap", "sh", "-c", "kill -KILL $$"]);
    let inner = format!("{} run true", env!("CARGO_BIN_EXE_laptime"));
    place.laptime(&["run", "sh", "-c", &inner]);
    let found = listed(&place);
    let own: Vec<&str> = found
        .iter()
        .filter(|one| one["outcome"] != "reference")
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        own,
        [
            ".laptime/runs/sh-2.lap",
            "own.lap",
            ".laptime/runs/sh-1.lap",
            "old.lap",
            "packed.lap"
        ]
    );
    let failed = of(&found, ".laptime/runs/sh-1.lap");
    assert_eq!(failed["exit_code"], 3);
    assert_eq!(failed["program"], "sh");
    assert!(failed["duration_ns"].as_u64().unwrap() > 0);
    assert!(failed["size_bytes"].as_u64().unwrap() > 0);
    let killed = of(&found, "own.lap");
    assert_eq!(
        (&killed["outcome"], &killed["signal"]),
        (&"signal".into(), &9.into())
    );
    assert_eq!(killed["exit_code"], Value::Null);
    let part = of(&found, ".laptime/runs/true-1.lap");
    assert_eq!(part["outcome"], "reference");
    assert_eq!(part["duration_ns"], Value::Null);
    let (old, packed) = (of(&found, "old.lap"), of(&found, "packed.lap"));
    for same in ["program", "started_realtime_ns", "duration_ns", "outcome"] {
        assert_eq!(old[same], packed[same], "{same}");
    }
    let left = place.laptime(&["list"]);
    let lines: Vec<&str> = left.out.lines().collect();
    assert!(lines[0].starts_with("recording "), "{}", left.out);
    assert_eq!(lines.len(), 1 + found.len());
    assert!(left.out.contains("exit code 3") && left.out.contains("signal 9"));
    assert!(left.out.contains("part of another run"), "{}", left.out);
}

#[test]
fn what_is_no_recording_is_not_listed_and_what_cannot_be_read_is_said() {
    let place = Place::new();
    place.file("notes.lap", "mine, and no recording at all");
    fs::create_dir_all(place.path().join("thesis.lap/chapters")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path().join("gone.lap")).unwrap();
    let cut = place.path().join("cut.lap");
    recording::folder(&cut, 4);
    fs::write(cut.join("run.json"), "").unwrap();
    let found = listed(&place);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["path"], "cut.lap");
    assert_eq!(found[0]["outcome"], "undescribed");
    assert_eq!(found[0]["program"], Value::Null);
    // It isn't what a report without a name is of.
    assert_eq!(place.laptime(&["report"]).code, 6);
}

#[test]
fn a_run_that_goes_on_and_one_whose_launcher_was_killed_are_told_apart() {
    let place = Place::new();
    let mut command = place.command();
    command.args(["run", "sh", "-c", "echo ready; read line"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut launcher = command.spawn().unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(launcher.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    let running = of(&listed(&place), ".laptime/runs/sh-1.lap").clone();
    assert_eq!(running["outcome"], "running");
    assert_eq!(running["duration_ns"], Value::Null);
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    let killed = of(&listed(&place), ".laptime/runs/sh-1.lap").clone();
    assert_eq!(killed["outcome"], "end-unseen");
    assert_eq!(killed["duration_ns"], Value::Null);
}
