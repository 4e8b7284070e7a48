//! `laptime clean` deletes old recordings of `.laptime/runs`, after a yes, and nothing else.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde_json::Value;

use crate::place::{Left, Place};
use crate::recording;
use crate::terminal::terminal;

/// A folder with so many runs, of which the one with the highest number is the newest.
fn with_runs(count: u64) -> Place {
    let place = Place::new();
    let runs = place.path().join(".laptime/runs");
    fs::create_dir_all(&runs).unwrap();
    for n in 1..=count {
        let path = runs.join(format!("train-{n}.lap"));
        recording::folder(&path, 1);
        let mut run = place.run_info(path.to_str().unwrap());
        run.started_realtime_ns += n * 1_000_000_000;
        fs::write(path.join("run.json"), run.to_json()).unwrap();
    }
    place
}

fn names(place: &Place) -> Vec<String> {
    let shown = place.recordings().into_iter();
    shown.map(|path| path.display().to_string()).collect()
}

fn run(n: u64) -> String {
    format!(".laptime/runs/train-{n}.lap")
}

#[test]
fn the_oldest_of_sixty_go_and_the_newest_stay() {
    let place = with_runs(60);
    let left = place.laptime(&["clean", "--keep", "20"]);
    assert_eq!(left.code, 2);
    let last = left.out.lines().last().unwrap();
    assert!(last.starts_with("to delete: 40 recordings, "), "{last}");
    assert!(
        last.ends_with("; 20 recordings of .laptime/runs stay"),
        "{last}"
    );
    assert!(
        left.out.starts_with(".laptime/runs/train-40.lap  "),
        "{}",
        left.out
    );
    insta::assert_snapshot!(left.err, @r"
    laptime: error: nothing is deleted: no terminal is there to ask
    hint: laptime clean --keep 20 --yes
    ");
    assert_eq!(names(&place).len(), 60);
    let left = place.laptime(&["clean", "--keep", "20", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.err.starts_with("deleted: 40 recordings, "),
        "{}",
        left.err
    );
    let mut wanted: Vec<String> = (41..=60).map(run).collect();
    wanted.sort();
    assert_eq!(names(&place), wanted);
    let left = place.laptime(&["clean", "--keep", "20"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(
        left.out,
        "nothing to delete: 20 recordings of .laptime/runs stay\n"
    );
}

#[test]
fn json_tells_what_went_and_what_would() {
    let place = with_runs(3);
    let json = |words: &[&str]| {
        let left = place.laptime(&[&["clean", "--keep", "1", "--json"], words].concat());
        let told: Value = serde_json::from_str(&left.out).unwrap();
        (left.code, told)
    };
    let (code, told) = json(&[]);
    assert_eq!(
        (code, &told["deleted"], &told["kept"]),
        (2, &false.into(), &1.into())
    );
    assert_eq!(names(&place).len(), 3);
    let (code, told) = json(&["-y"]);
    assert_eq!((code, &told["deleted"]), (0, &true.into()));
    let paths: Vec<&str> = (told["recordings"].as_array().unwrap().iter())
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, [run(2), run(1)]);
    assert_eq!(names(&place), [run(3)]);
}

#[test]
fn a_number_must_be_given() {
    let place = with_runs(1);
    for words in [
        &["clean"][..],
        &["clean", "--keep"],
        &["clean", "--keep", "all"],
    ] {
        assert_eq!(place.laptime(words).code, 2, "{words:?}");
    }
    let left = place.laptime(&["clean", "--keep", "0", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(names(&place).is_empty());
    // Nothing is there, and no folder either.
    assert_eq!(Place::new().laptime(&["clean", "--keep", "1"]).code, 0);
}

#[test]
fn whatever_is_no_recording_of_this_folder_stays() {
    let place = with_runs(2);
    let runs = place.path().join(".laptime/runs");
    recording::folder(&place.path().join("own.lap"), 1);
    fs::write(runs.join("notes.lap"), "mine, and no recording at all").unwrap();
    fs::create_dir_all(runs.join("thesis.lap/chapters")).unwrap();
    recording::folder(&runs.join("mixed.lap"), 1);
    fs::write(runs.join("mixed.lap/notes.txt"), "mine").unwrap();
    recording::folder(&runs.join("nameless"), 1);
    fs::create_dir(runs.join("just-begun.lap")).unwrap();
    symlink("../../own.lap", runs.join("link.lap")).unwrap();
    fs::write(runs.join("train-1.html"), "<!doctype html>mine").unwrap();
    fs::create_dir_all(place.path().join(".laptime/baselines/main")).unwrap();
    let left = place.laptime(&["clean", "--keep", "0", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.err.starts_with("deleted: 2 recordings, "),
        "{}",
        left.err
    );
    let mut stay: Vec<String> = fs::read_dir(&runs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    stay.sort();
    assert_eq!(
        stay,
        [
            "just-begun.lap",
            "link.lap",
            "mixed.lap",
            "nameless",
            "notes.lap",
            "thesis.lap",
            "train-1.html"
        ]
    );
    assert!(place.path().join("own.lap/run.json").is_file());
    assert!(place.path().join(".laptime/baselines/main").is_dir());
}

#[test]
fn the_page_of_a_recording_goes_with_it() {
    let place = with_runs(2);
    for n in [1, 2] {
        let mut command = place.command();
        command.env("BROWSER", "true");
        let left = command
            .args(["report", &run(n), "--open"])
            .output()
            .unwrap();
        assert!(left.status.success());
    }
    let page = |n: u64| place.path().join(format!(".laptime/runs/train-{n}.html"));
    assert!(page(1).is_file() && page(2).is_file());
    place.laptime(&["clean", "--keep", "1", "--yes"]);
    assert!(!page(1).exists() && page(2).is_file());
}

#[test]
fn a_link_in_the_place_of_the_folder_is_not_followed() {
    for (link, why) in [
        (".laptime", ".laptime is a link"),
        (".laptime/runs", ".laptime/runs is a link"),
    ] {
        let place = with_runs(2);
        let (at, aside) = (place.path().join(link), place.path().join("aside"));
        fs::rename(&at, &aside).unwrap();
        symlink(&aside, &at).unwrap();
        let left = place.laptime(&["clean", "--keep", "0", "--yes"]);
        assert_eq!((left.code, left.out.as_str()), (1, ""));
        assert_eq!(
            left.err,
            format!("laptime: error: nothing is deleted: {why}\n")
        );
        assert_eq!(names(&place).len(), 2);
    }
    let place = Place::new();
    place.file(".laptime", "mine");
    let left = place.laptime(&["clean", "--keep", "0", "--yes"]);
    assert_eq!(left.code, 1, "{}", left.err);
}

#[test]
fn a_run_that_goes_on_stays_however_old_it_is() {
    let place = Place::new();
    let mut command = place.command();
    command.args(["run", "sh", "-c", "echo ready; read line"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut launcher = command.spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(launcher.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    for _ in 0..2 {
        place.laptime(&["run", "true"]);
    }
    let left = place.laptime(&["clean", "--keep", "1", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.out.ends_with("stay, and 1 recording still running\n"),
        "{}",
        left.out
    );
    let stay = [".laptime/runs/sh-1.lap", ".laptime/runs/true-2.lap"];
    assert_eq!(names(&place), stay);
    launcher.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(launcher.wait().unwrap().success());
    let left = place.laptime(&["clean", "--keep", "1", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(names(&place), [".laptime/runs/true-2.lap"]);
}

#[test]
fn references_count_for_no_recording() {
    let place = Place::new();
    let laptime = env!("CARGO_BIN_EXE_laptime");
    let inner = format!("{laptime} run true; {laptime} run true");
    place.laptime(&["run", "sh", "-c", &inner]);
    assert_eq!(names(&place).len(), 3);
    place.laptime(&["clean", "--keep", "1", "--yes"]);
    assert!(names(&place).contains(&".laptime/runs/sh-1.lap".to_owned()));
}

/// What somebody at a terminal sees who answers so.
fn answered(place: &Place, answer: &str) -> (Option<i32>, String) {
    let (mut ours, theirs) = terminal();
    let mut command = place.command();
    command.args(["clean", "--keep", "1"]);
    command
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs);
    let mut cleaner = command.spawn().unwrap();
    drop(command);
    let (mut seen, mut bytes, mut is_typed) = (String::new(), [0; 1_024], false);
    while let Ok(count @ 1..) = ours.read(&mut bytes) {
        seen += &String::from_utf8_lossy(&bytes[..count]);
        if !is_typed && seen.contains("[y/N] ") {
            ours.write_all(answer.as_bytes()).unwrap();
            is_typed = true;
        }
    }
    (cleaner.wait().unwrap().code(), seen)
}

#[test]
fn at_a_terminal_it_asks_and_only_a_yes_deletes() {
    let place = with_runs(3);
    for no in ["n\n", "\n", "\u{4}", "yess\n"] {
        let (code, seen) = answered(&place, no);
        assert_eq!(code, Some(1), "{seen}");
        assert!(seen.contains("delete 2 recordings? [y/N] "), "{seen}");
        assert!(seen.contains("nothing is deleted"), "{seen}");
        assert_eq!(names(&place).len(), 3);
    }
    let (code, seen) = answered(&place, "y\n");
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(names(&place), [run(3)]);
    let left: Left = place.laptime(&["clean", "--keep", "1"]);
    assert_eq!(left.code, 0, "nothing to ask about");
}
