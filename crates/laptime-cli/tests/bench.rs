//! `laptime bench`: what it runs, what it says, and what it refuses.

mod place;

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::time::Duration;

use place::Place;
use serde_json::Value;

#[test]
fn a_command_that_takes_longer_is_slower_and_fails_only_when_asked() {
    let place = Place::new();
    let mut typed = vec!["bench", "-r", "8", "-n", "short", "-n", "long"];
    typed.extend(["sleep 0.002", "sleep 0.3"]);
    let left = place.laptime(&typed);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(left.out.starts_with("long takes "), "{}", left.out);
    assert!(left.out.contains("Noise floor: short against itself"));
    assert!(left.out.contains("CPU time of long: "), "{}", left.out);
    typed.insert(1, "--fail-if-slower");
    assert_eq!(place.laptime(&typed).code, 3);
}

#[test]
fn so_many_runs_as_asked_for_are_made() {
    let place = Place::new();
    let typed = ["bench", "-r", "8", "--json", "-n", "short", "-n", "long"];
    let commands = ["echo >> short; sleep 0.01", "echo >> long; sleep 0.3"];
    let left = place.laptime(&[&typed[..], &commands].concat());
    assert_eq!(left.code, 0, "{}", left.err);
    let found: Value = serde_json::from_str(&left.out).unwrap();
    assert_eq!(found["verdicts"][0]["verdict"], "slower");
    let runs = |name: &str| {
        let text = std::fs::read_to_string(place.path().join(name)).unwrap();
        text.lines().count()
    };
    // The base runs against itself, too.
    assert_eq!((runs("short"), runs("long")), (16, 8));
    let both = place.laptime(&["bench", "-r", "8", "--budget", "1", "true"]);
    assert_eq!(both.code, 2);
}

#[test]
fn what_cannot_be_told_fails_when_that_is_asked() {
    let place = Place::new();
    let typed = ["bench", "-r", "1", "--fail-if-slower", "true", "true"];
    let left = place.laptime(&typed);
    assert_eq!(left.code, 0, "{}", left.err);
    let left = place.laptime(&[&typed[..], &["--strict"]].concat());
    assert_eq!(left.code, 4, "{}", left.err);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_runs() {
    let place = Place::new();
    let left = place.laptime(&["bench", "-o", "no/such.json", "echo >> ran"]);
    assert_eq!(left.code, 1);
    assert!(left.err.contains("no/such.json"), "{}", left.err);
    assert!(!place.path().join("ran").exists());
}

#[test]
fn a_command_that_fails_is_an_error_unless_that_is_ignored() {
    let place = Place::new();
    let left = place.laptime(&["bench", "echo no such thing >&2; exit 7"]);
    assert_eq!((left.code, left.out.as_str()), (1, ""));
    insta::assert_snapshot!(left.err, @"
    laptime: error: echo no such thing >&2; exit 7 failed: exit status: 7 (no such thing)
    hint: --ignore-failure counts runs that fail too
    ");
    let left = place.laptime(&["bench", "--ignore-failure", "--budget", "0.2", "exit 7"]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn a_run_that_takes_too_long_is_killed_and_said() {
    let place = Place::new();
    let left = place.laptime(&[
        "bench",
        "--timeout",
        "0.3",
        "--ignore-failure",
        "sleep 60; true",
    ]);
    assert_eq!((left.code, left.out.as_str()), (1, ""));
    insta::assert_snapshot!(left.err, @"
    laptime: error: sleep 60; true took longer than 0.3 s, and was killed
    hint: --timeout 1.5 lets it take longer
    ");
    let left = place.laptime(&["bench", "-r", "2", "--timeout", "60", "true"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let left = place.laptime(&[
        "bench",
        "-r",
        "2",
        "--timeout",
        "1e300",
        "--ignore-failure",
        "exit 7",
    ]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn parameters_setup_and_preparations_are_run() {
    let place = Place::new();
    let mut typed = vec!["bench", "--json", "--budget", "0.3", "-L", "file", "a,b"];
    typed.extend([
        "--setup",
        "echo > setup",
        "--prepare",
        "echo >> prepared-{file}",
    ]);
    typed.extend([
        "-o",
        "found.json",
        "test -e setup && test -e prepared-{file}",
    ]);
    let left = place.laptime(&typed);
    assert_eq!(left.code, 0, "{}", left.err);
    let found: Value = serde_json::from_str(&left.out).unwrap();
    let kept = std::fs::read_to_string(place.path().join("found.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), found);
    let commands: Vec<&str> = found["benchmarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["command"].as_str().unwrap())
        .collect();
    assert_eq!(
        commands,
        [
            "test -e setup && test -e prepared-a",
            "test -e setup && test -e prepared-b"
        ]
    );
    assert!(found["benchmarks"][0]["median_ns"].as_f64().unwrap() > 0.0);
    assert_eq!(found["verdicts"].as_array().unwrap().len(), 1);
}

#[test]
fn warm_up_runs_come_on_top() {
    let place = Place::new();
    let left = place.laptime(&[
        "bench",
        "-w",
        "3",
        "--budget",
        "0.001",
        "--json",
        "echo >> runs",
    ]);
    assert_eq!(left.code, 0, "{}", left.err);
    let found: Value = serde_json::from_str(&left.out).unwrap();
    let one = &found["benchmarks"][0];
    let samples = one["samples_ns"].as_array().unwrap().len() as u64;
    let timed = samples * one["iterations"].as_u64().unwrap() + one["warmup"].as_u64().unwrap();
    let runs = std::fs::read_to_string(place.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count() as u64, 3 + timed);
}

#[test]
fn a_parameter_without_a_place_and_a_threshold_below_what_can_be_told_are_refused() {
    let place = Place::new();
    let left = place.laptime(&["bench", "-L", "m", "1,2", "echo {n}"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @"
    laptime: error: -L: {m} is in no command
    hint: write {m} where its values belong, such as './solve --threads {m}'
    ");
    assert_eq!(
        place
            .laptime(&["bench", "--threshold", "0.5%", "true"])
            .code,
        2
    );
}

#[test]
fn one_command_has_nothing_to_be_slower_than_and_one_that_is_not_there_is_told() {
    let place = Place::new();
    assert_eq!(
        place.laptime(&["bench", "--fail-if-slower", "true"]).code,
        2
    );
    let left = place.laptime(&["bench", "no-such-command-here"]);
    assert_eq!(left.code, 1);
    assert!(
        left.err.contains("hint: the shell finds no such command"),
        "{}",
        left.err
    );
}

#[test]
fn runs_that_failed_are_counted() {
    let left = Place::new().laptime(&["bench", "-r", "2", "--ignore-failure", "exit 7"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.out.contains("exit 7 failed in 2 of 2 runs."),
        "{}",
        left.out
    );
}

#[test]
fn an_interrupt_ends_it_where_failures_are_ignored_too() {
    let place = Place::new();
    let typed = [
        "bench",
        "-r",
        "3",
        "--ignore-failure",
        "echo >> ran; sleep 20",
    ];
    let mut command = place.command();
    let mut left = command.args(typed).process_group(0).spawn().unwrap();
    while !place.path().join("ran").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", left.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.unwrap().success());
    assert_eq!(left.wait().unwrap().signal(), Some(libc::SIGINT));
    let ran = std::fs::read_to_string(place.path().join("ran")).unwrap();
    assert_eq!(ran.lines().count(), 1);
}

#[test]
fn an_interrupt_reaches_a_command_that_has_a_timeout() {
    let place = Place::new();
    // One process: a shell that starts another has moments in which a signal reaches only itself.
    let command = "echo $$ >pid; exec sleep 300";
    let typed = ["bench", "--timeout", "300", command];
    let mut left = place
        .command()
        .args(typed)
        .process_group(0)
        .spawn()
        .unwrap();
    let file = place.path().join("pid");
    let pid: i32 = loop {
        match std::fs::read_to_string(&file) {
            Ok(written) if written.ends_with('\n') => break written.trim().parse().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let group = format!("-{}", left.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.unwrap().success());
    assert_eq!(left.wait().unwrap().signal(), Some(libc::SIGINT));
    // SAFETY: no signal is sent; it is only asked whether one could be.
    let is_there = || unsafe { libc::kill(-pid, 0) } == 0;
    let begun = std::time::Instant::now();
    while is_there() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!is_there());
}

#[test]
fn what_prepares_a_run_is_part_of_the_budget() {
    let place = Place::new();
    let typed = [
        "bench",
        "--budget",
        "0.5",
        "--prepare",
        "echo >> prepared; sleep 0.2",
        "true",
    ];
    let left = place.laptime(&typed);
    assert_eq!(left.code, 0, "{}", left.err);
    let prepared = std::fs::read_to_string(place.path().join("prepared")).unwrap();
    assert!(prepared.lines().count() <= 4, "{prepared:?}");
}

#[test]
fn more_names_than_commands_are_refused() {
    let left = Place::new().laptime(&["bench", "-n", "a", "-n", "b", "true"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @"
    laptime: error: 2 names for 1 command
    hint: -n stands once for each command, in their order
    ");
}
