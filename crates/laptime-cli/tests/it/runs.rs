//! Where `laptime run` records unless told otherwise, and how such a run is found again by its name or without one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::place::{Left, Place};
use crate::recording;

/// The line of a message that begins so.
fn line<'a>(left: &'a Left, begin: &str) -> Option<&'a str> {
    left.err.lines().find_map(|line| line.strip_prefix(begin))
}

#[test]
fn a_run_lies_in_a_folder_that_git_ignores() {
    let place = Place::new();
    let left = place.laptime(&["run", "true"]);
    assert_eq!(line(&left, "recording: "), Some(".laptime/runs/true-1.lap"));
    let names: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let ignored = place.path().join(".laptime/.gitignore");
    assert_eq!(
        fs::read_to_string(&ignored).unwrap(),
        "/runs/\n/.gitignore\n"
    );
    // Whoever changes or removes it has decided.
    fs::write(&ignored, "").unwrap();
    place.laptime(&["run", "true"]);
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "");
    fs::remove_file(&ignored).unwrap();
    place.laptime(&["run", "true"]);
    assert!(!ignored.exists());
}

#[test]
fn a_run_hides_no_baseline_of_the_project_above() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 20);
    fs::create_dir_all(place.path().join(".git")).unwrap();
    let below = place.path().join("below");
    fs::create_dir(&below).unwrap();
    let laptime = |words: &[&str]| {
        let mut command = place.command();
        Left::from(command.current_dir(&below).args(words).output().unwrap())
    };
    assert_eq!(laptime(&["run", "true"]).code, 0);
    assert!(below.join(".laptime/runs/true-1.lap").is_dir());
    let left = laptime(&["compare", "--save-baseline", "main", "../a.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(place.path().join(".laptime/baselines/main").is_dir());
    assert!(!below.join(".laptime/baselines").exists());
    let left = laptime(&["compare", "--baseline", "main", "../a.lap"]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn a_number_is_above_those_of_both_places() {
    let place = Place::new();
    recording::folder(&place.path().join("true-7.lap"), 1);
    let left = place.laptime(&["run", "true"]);
    assert_eq!(line(&left, "recording: "), Some(".laptime/runs/true-8.lap"));
}

#[test]
fn runs_at_once_have_recordings_of_their_own() {
    let place = Place::new();
    let start = || {
        let mut command = place.command();
        command.args(["run", "sh", "-c", "echo $LAPTIME_RUN"]);
        command.stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let launchers: Vec<_> = (0..8).map(|_| start()).collect();
    let mut told = Vec::new();
    for launcher in launchers {
        let output = launcher.wait_with_output().unwrap();
        assert!(output.status.success());
        told.push(String::from_utf8(output.stdout).unwrap());
    }
    told.sort();
    told.dedup();
    assert_eq!(told.len(), 8, "{told:?}");
    assert_eq!(place.recordings().len(), 8);
}

#[test]
fn a_folder_that_is_something_else_costs_a_warning_and_not_the_recording() {
    for (what, why) in [
        ("file", ".laptime is not a folder"),
        ("link to nowhere", ".laptime is not a folder"),
        ("file below", ".laptime/runs is not a folder"),
        ("link to nowhere below", ".laptime/runs is not a folder"),
    ] {
        let place = Place::new();
        let at = place.path().join(".laptime");
        match what {
            "file" => fs::write(&at, "mine").unwrap(),
            "link to nowhere" => symlink("nowhere", &at).unwrap(),
            "file below" => {
                fs::create_dir(&at).unwrap();
                fs::write(at.join("runs"), "mine").unwrap();
            }
            _ => {
                fs::create_dir(&at).unwrap();
                symlink("nowhere", at.join("runs")).unwrap();
            }
        }
        let left = place.laptime(&["run", "sh", "-c", "echo out; exit 3"]);
        assert_eq!((left.code, left.out.as_str()), (3, "out\n"), "{what}");
        let warning = format!("cannot record in .laptime/runs: {why}; recording into sh-1.lap");
        assert_eq!(line(&left, "laptime: warning: "), Some(warning.as_str()));
        assert_eq!(line(&left, "recording: "), Some("sh-1.lap"));
        assert!(place.run_info("sh-1.lap").end.is_some());
        assert!(!place.path().join("nowhere").exists());
        if what == "file" {
            assert_eq!(fs::read_to_string(at).unwrap(), "mine");
        }
    }
}

#[test]
fn a_link_to_a_folder_of_ones_own_is_recorded_into() {
    let place = Place::new();
    let disk = tempfile::tempdir().unwrap();
    symlink(disk.path(), place.path().join(".laptime")).unwrap();
    let left = place.laptime(&["run", "true"]);
    assert_eq!(line(&left, "recording: "), Some(".laptime/runs/true-1.lap"));
    assert!(disk.path().join("runs/true-1.lap/run.json").is_file());
}

#[test]
fn a_folder_of_another_user_is_not_recorded_into() {
    let place = Place::new();
    fs::create_dir_all(place.path().join(".laptime/runs")).unwrap();
    for at in [".laptime", ".laptime/runs"] {
        // Only root can give things away.
        if std::os::unix::fs::chown(place.path().join(at), Some(4_711), None).is_err() {
            return;
        }
        let left = place.laptime(&["run", "true"]);
        let warning = line(&left, "laptime: warning: ").unwrap();
        assert!(warning.contains("is another user's"), "{warning}");
        let left = place.laptime(&["clean", "--keep", "0", "--yes"]);
        assert_eq!(left.code, 1, "{}", left.err);
        assert!(left.err.contains("is another user's"), "{}", left.err);
        std::os::unix::fs::chown(place.path().join(at), Some(0), None).unwrap();
    }
    assert_eq!(place.recordings().len(), 2);
}

#[test]
fn a_folder_that_takes_no_files_costs_a_warning_and_not_the_recording() {
    for at in [".laptime", ".laptime/runs"] {
        let place = Place::new();
        let at = place.path().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        // Not even root makes files there.
        symlink("/proc", &at).unwrap();
        let left = place.laptime(&["run", "sh", "-c", "exit 3"]);
        assert_eq!(left.code, 3);
        let warning = line(&left, "laptime: warning: ").unwrap();
        assert!(
            warning.starts_with("cannot record in .laptime/runs: No such file"),
            "{warning}"
        );
        assert!(warning.ends_with("; recording into sh-1.lap"), "{warning}");
        assert!(place.run_info("sh-1.lap").end.is_some());
    }
}

#[test]
fn a_working_folder_that_was_deleted_costs_the_recording_and_not_the_run() {
    let place = Place::new();
    let gone = place.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let laptime = env!("CARGO_BIN_EXE_laptime");
    let script =
        format!("rmdir ../gone; {laptime} run sh -c 'echo out; exit 5'; echo $?; {laptime} list");
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(&gone).args(["-c", &script]);
    let left = Left::from(shell.env_remove("LAPTIME_RUN").output().unwrap());
    assert!(left.out.starts_with("out\n5\n"), "{}", left.out);
    let warning = line(&left, "laptime: warning: ").unwrap();
    assert!(
        warning.starts_with("cannot record in .laptime/runs: No such file"),
        "{warning}"
    );
    assert!(warning.ends_with("running unrecorded"), "{warning}");
    assert_eq!(
        line(&left, "hint: "),
        Some("pass --output FILE to record somewhere else")
    );
}

#[test]
fn a_run_inside_a_run_leaves_its_reference_among_the_runs() {
    let place = Place::new();
    let inner = format!("{} run true", env!("CARGO_BIN_EXE_laptime"));
    let left = place.laptime(&["run", "sh", "-c", &inner]);
    assert!(
        left.err.contains("; .laptime/runs/true-1.lap refers to it"),
        "{}",
        left.err
    );
    // The reference is younger, and no run of its own.
    let left = place.laptime(&["report"]);
    let shown = ".laptime/runs/sh-1.lap, the last one here";
    assert_eq!(line(&left, "recording: "), Some(shown));
}

#[test]
fn a_report_without_a_file_is_of_the_last_run_in_either_place() {
    let place = Place::new();
    let left = place.laptime(&["report"]);
    assert_eq!((left.code, left.out.as_str()), (6, ""));
    insta::assert_snapshot!(left.err, @r"
    laptime: error: no recording is in this folder, nor in .laptime/runs
    hint: `laptime run SCRIPT` makes one; or name it: laptime report FILE
    ");
    place.laptime(&["run", "sh", "-c", "true"]);
    place.laptime(&["run", "-o", "own.lap", "true"]);
    // Written later, started long ago.
    recording::folder(&place.path().join("old.lap"), 4);
    let last = |words: &[&str]| {
        let left = place.laptime(&[&["report"], words].concat());
        assert_eq!(left.code, 0, "{}", left.err);
        let shown = line(&left, "recording: ").unwrap().to_owned();
        (shown, left.out)
    };
    let (shown, out) = last(&["--json"]);
    assert_eq!(shown, "own.lap, the last one here");
    assert!(out.starts_with('{') && out.contains("\"true\""), "{out}");
    place.laptime(&["run", "sh", "-c", "true"]);
    assert_eq!(
        last(&["--tree"]).0,
        ".laptime/runs/sh-2.lap, the last one here"
    );
    recording::folder(&place.path().join(".laptime/runs/sh-3.lap"), 20);
    let left = place.laptime(&["report", "sh-3"]);
    let next = line(&left, "next: ");
    assert_eq!(next, Some("laptime report sh-3.lap --open"));
}

#[test]
fn every_command_finds_a_run_by_its_name() {
    let place = Place::new();
    let runs = place.path().join(".laptime/runs");
    fs::create_dir_all(&runs).unwrap();
    for name in ["train-1.lap", "train-2.lap", "run-0.1.lap"] {
        recording::folder(&runs.join(name), 20);
    }
    for name in [
        "train-1",
        "train-1.lap",
        "run-0.1",
        ".laptime/runs/train-1.lap",
    ] {
        let left = place.laptime(&["report", name, "--json"]);
        assert_eq!(left.code, 0, "{name}: {}", left.err);
        let left = place.laptime(&["export", name, "-f", "chrome"]);
        assert_eq!(left.code, 0, "{name}: {}", left.err);
    }
    let left = place.laptime(&["compare", "train-1", "train-2"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let next = line(&left, "next: ").unwrap();
    assert!(next.starts_with("laptime report train-2.lap; "), "{next}");
    let left = place.laptime(&["compare", "train-1", "--new", "train-2", "--json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    // What is made of it to be sent doesn't lie where only runs do.
    let left = place.laptime(&["pack", "train-1"]);
    assert_eq!(left.out, "train-1.packed.lap\n", "{}", left.err);
    let left = place.laptime(&["train-1"]);
    assert!(
        left.err.ends_with("hint: laptime report train-1\n"),
        "{}",
        left.err
    );
    let left = place.laptime(&["report", "train-1"]);
    assert_eq!(
        line(&left, "next: "),
        Some("laptime report train-1.lap --open")
    );
    let left = place.laptime(&["report", "train-3"]);
    assert_eq!(left.code, 6);
    let hint = line(&left, "hint: ").unwrap();
    assert!(hint.contains("train-1.lap, train-2.lap"), "{hint}");
}

#[test]
fn what_has_the_very_name_comes_before_a_run() {
    let place = Place::new();
    let runs = place.path().join(".laptime/runs");
    fs::create_dir_all(&runs).unwrap();
    recording::folder(&runs.join("train-1.lap"), 20);
    let steps = |name: &str| {
        let left = place.laptime(&["report", name, "-f", "csv"]);
        left.out
            .lines()
            .find(|line| line.contains("step"))
            .map(str::to_owned)
    };
    let of_run = steps("train-1").unwrap();
    // A folder of another kind is none.
    fs::create_dir(place.path().join("train-1")).unwrap();
    assert_eq!(steps("train-1"), Some(of_run.clone()));
    recording::folder(&place.path().join("train-1.lap"), 5);
    let own = steps("train-1.lap").unwrap();
    assert_ne!(own, of_run);
    assert_eq!(steps("train-1"), Some(own));
    assert_eq!(steps(".laptime/runs/train-1.lap"), Some(of_run));
    // A file that is no recording is what was named.
    fs::write(place.path().join("train-1.json"), "{}").unwrap();
    assert_eq!(place.laptime(&["report", "train-1.json"]).code, 6);
}

#[test]
fn a_script_that_failed_at_once_is_offered_no_empty_page() {
    let place = Place::new();
    let left = place.laptime(&["run", "sh", "-c", "exit 3"]);
    assert_eq!(left.code, 3);
    assert!(line(&left, "recording: ").is_some());
    assert_eq!(line(&left, "next: "), None, "{}", left.err);
}

#[test]
fn many_runs_are_told_with_the_command_that_deletes_the_older_ones() {
    let place = Place::new();
    let runs = place.path().join(".laptime/runs");
    fs::create_dir_all(&runs).unwrap();
    let add = |numbers: std::ops::Range<u32>| {
        for n in numbers {
            recording::folder(&runs.join(format!("train-{n}.lap")), 1);
        }
    };
    let said = || {
        let left = place.laptime(&["run", "true"]);
        line(&left, ".laptime/runs has ").map(str::to_owned)
    };
    add(0..48);
    assert_eq!(said(), None);
    let told = said().unwrap();
    assert!(told.starts_with("50 recordings, "), "{told}");
    let command = "`laptime clean --keep 20` deletes all but the newest 20";
    assert!(told.ends_with(command), "{told}");
    // A run elsewhere says nothing of it.
    let left = place.laptime(&["run", "-o", "a.lap", "true"]);
    assert_eq!(line(&left, ".laptime/runs has "), None);
    assert_eq!(place.recordings().len(), 51, "nothing is deleted unasked");
    assert!(Path::new(&runs).is_dir());
}
