//! `laptime bench`: what it runs, what it says, and what it refuses.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;

use crate::launcher::kill;
use crate::place::Place;

#[test]
fn a_command_that_takes_longer_is_slower_and_fails_only_when_asked() {
    let place = Place::new();
    let mut typed = vec!["bench", "-r", "8", "-n", "short", "-n", "long"];
    // Far longer, each, than a busy machine adds.
    typed.extend(["sleep 0.1", "sleep 0.6"]);
    let left = place.laptime(&typed);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(left.out.starts_with("long takes "), "{}", left.out);
    assert!(left.out.contains("Noise floor: short against itself"));
    assert!(left.out.contains("CPU time"), "{}", left.out);
    typed.insert(1, "--fail-if-slower");
    assert_eq!(place.laptime(&typed).code, 3);
}

#[test]
fn so_many_runs_as_asked_for_are_made() {
    let place = Place::new();
    let typed = ["bench", "-r", "8", "--json", "-n", "short", "-n", "long"];
    let commands = ["echo >> short; sleep 0.1", "echo >> long; sleep 0.6"];
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
    let warmup = one["warmup"].as_u64().unwrap();
    assert!(warmup >= 3, "{warmup}");
    let all = samples * one["iterations"].as_u64().unwrap() + warmup;
    let runs = std::fs::read_to_string(place.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count() as u64, all);
}

#[test]
fn warm_up_that_was_asked_for_is_told_and_no_doubt() {
    let place = Place::new();
    let left = place.laptime(&["bench", "-w", "2", "-r", "3", "true"]);
    assert!(
        left.out.contains("3 runs after 2 of warm-up)"),
        "{}",
        left.out
    );
    assert!(!left.out.contains("Warm-up may be part"), "{}", left.out);
    let left = place.laptime(&["bench", "-r", "3", "true"]);
    let doubt = "Warm-up may be part of it: 3 runs are too few to tell warm-up";
    assert!(left.out.contains("3 runs without warm-up)"), "{}", left.out);
    assert!(left.out.contains(doubt), "{}", left.out);
    let left = place.laptime(&["bench", "-w", "2", "-r", "3", "true", "sleep 0.01"]);
    assert!(left.out.contains(" 3 after 2\n"), "{}", left.out);
}

#[test]
fn a_shell_is_part_of_short_times_unless_none_is_asked_for() {
    let place = Place::new();
    let said = "Times include the start of a shell; -N runs commands without one.";
    let left = place.laptime(&["bench", "-r", "3", "-o", "found.json", "true"]);
    let found = std::fs::read(place.path().join("found.json")).unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    // Longer than that only where the machine is busy with something else.
    let is_short = found["benchmarks"][0]["median_ns"].as_f64().unwrap() < 20e6;
    assert_eq!(left.out.contains(said), is_short, "{}", left.out);
    for typed in [
        &["bench", "-r", "3", "sleep 0.05"][..],
        &["bench", "-r", "3", "-N", "true"],
    ] {
        let left = place.laptime(typed);
        assert_eq!(left.code, 0, "{}", left.err);
        assert!(!left.out.contains("shell"), "{}", left.out);
    }
    // Words are split as a shell would, and nothing more: no variable, no pipe.
    let left = place.laptime(&["bench", "-r", "1", "-N", "touch 'a b' $HOME | c\\ d"]);
    assert_eq!(left.code, 0, "{}", left.err);
    for name in ["a b", "$HOME", "|", "c d"] {
        assert!(place.path().join(name).exists(), "{name}");
    }
    let left = place.laptime(&["bench", "-r", "1", "-N", "--json", "true"]);
    let found: Value = serde_json::from_str(&left.out).unwrap();
    assert_eq!(found["benchmarks"][0]["shell"], false);
}

#[test]
fn what_is_no_command_is_refused_before_anything_runs() {
    let place = Place::new();
    let refused = |typed: &[&str]| {
        let left = place.laptime(&[&["bench", "-r", "1"], typed].concat());
        (left.code, left.err)
    };
    let (code, said) = refused(&[""]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(said, @"
    laptime: error: a command is empty: there is nothing to measure
    hint: write each command as one argument, such as laptime bench './old 5' './new 5'
    ");
    assert_eq!(refused(&["true", " "]), (2, said.clone()));
    assert_eq!(refused(&["-N", ""]), (2, said));
    let (code, said) = refused(&["-N", "echo 'a"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(said, @"
    laptime: error: cannot split echo 'a into words: a quote has no end, or nothing follows a backslash
    hint: end the quote, or leave out -N: then a shell reads the command
    ");
    let (code, said) = refused(&["-N", "cd /"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(said, @"
    laptime: error: cannot run cd /: No such file or directory (os error 2)
    hint: -N finds programs only: what a shell knows itself, such as cd or a | b, needs one, so leave out -N
    ");
    assert_eq!(refused(&["cd /"]).0, 0);
}

#[test]
fn values_of_parameters_and_the_machine_are_kept() {
    let place = Place::new();
    let typed = [
        "bench", "-r", "1", "--json", "-L", "n", "1,2", "-L", "m", "3",
    ];
    let left = place.laptime(&[&typed[..], &["echo {n} {m}"]].concat());
    assert_eq!(left.code, 0, "{}", left.err);
    let found: Value = serde_json::from_str(&left.out).unwrap();
    let second = &found["benchmarks"][1];
    assert_eq!(
        second["parameters"],
        serde_json::json!({"n": "2", "m": "3"})
    );
    let machine = second["machine"].as_object().unwrap();
    let facts: Vec<&String> = machine.keys().collect();
    assert_eq!(facts, ["cores", "processor", "system"]);
}

#[test]
fn the_spread_of_runs_is_told_of_each_command() {
    let place = Place::new();
    let left = place.laptime(&[
        "bench",
        "-r",
        "3",
        "-n",
        "a",
        "-n",
        "b",
        "true",
        "sleep 0.01",
    ]);
    let spreads = left.out.split("mean ± σ").nth(1).unwrap();
    for name in ["a ", "b "] {
        let line = spreads.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{}", left.out));
        assert!(line.contains(" ± ") && line.contains(" to "), "{line}");
    }
    let left = place.laptime(&["bench", "-r", "3", "true"]);
    assert!(left.out.contains("\nSpread: mean "), "{}", left.out);
    assert!(left.out.contains("\nCPU time: "), "{}", left.out);
}

#[test]
fn output_is_shown_on_standard_error_where_that_is_asked_for() {
    let place = Place::new();
    let command = "echo printed; echo complained >&2";
    let left = place.laptime(&["bench", "-r", "1", "--json", "--show-output", command]);
    assert_eq!(left.err, "printed\ncomplained\n");
    assert!(
        serde_json::from_str::<Value>(&left.out).is_ok(),
        "{}",
        left.out
    );
    let left = place.laptime(&["bench", "-r", "1", command]);
    assert_eq!(left.err, "");
}

#[test]
fn cleaning_up_comes_after_all_runs_once_for_each_value_and_after_a_failure() {
    let place = Place::new();
    let typed = [
        "bench",
        "-r",
        "2",
        "-L",
        "n",
        "1,2",
        "--cleanup",
        "echo {n} >> cleaned",
    ];
    let left = place.laptime(&[&typed[..], &["echo {n} >> cleaned"]].concat());
    assert_eq!(left.code, 0, "{}", left.err);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert!(read("cleaned").ends_with("1\n2\n"), "{}", read("cleaned"));
    let typed = [
        "bench",
        "-r",
        "1",
        "--cleanup",
        "echo >> once",
        "true",
        "exit 7",
    ];
    assert_eq!(place.laptime(&typed).code, 1);
    assert_eq!(read("once"), "\n");
}

#[test]
fn markdown_is_a_table() {
    let place = Place::new();
    let left = place.laptime(&["bench", "-r", "2", "-f", "markdown", "true", "echo a|cat"]);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.out
            .contains("|  | median | 95 % | mean ± σ | min to max | CPU time | runs |")
    );
    assert!(left.out.contains(r"| echo a\|cat |"), "{}", left.out);
    let all = [
        &["bench", "-r", "2", "-f", "markdown", "--ignore-failure"][..],
        &["false"],
    ]
    .concat();
    for commands in [&all[..], &[&all[..], &["true"]].concat()] {
        let left = place.laptime(commands);
        assert!(left.out.contains("\nfalse failed in "), "{}", left.out);
    }
}

#[test]
fn lines_keep_to_the_width_of_the_terminal() {
    let place = Place::new();
    let long = format!("echo {}", "some-argument ".repeat(9));
    let typed = ["bench", "-r", "2", "true", long.trim_end()];
    let mut command = place.command();
    let left = command.args(typed).env("COLUMNS", "80").output().unwrap();
    let out = String::from_utf8(left.stdout).unwrap();
    // The table of verdicts may be wider: its columns are numbers.
    let sentences = out
        .lines()
        .filter(|line| !line.contains("  ") && !line.contains('─'));
    for line in sentences {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let typed = [
        "bench",
        "-r",
        "1",
        "-L",
        "n",
        "1,2",
        "-L",
        "m",
        "3,4",
        "echo {n} {m}",
    ];
    let left = place.laptime(&typed);
    assert_eq!(left.out.matches("can't be told").count(), 2, "{}", left.out);
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
fn what_ends_it_ends_the_command_that_it_runs() {
    for (signal, to_group, timeout) in [
        (libc::SIGINT, true, true),
        (libc::SIGINT, false, false),
        (libc::SIGQUIT, false, false),
        (libc::SIGTERM, false, true),
        (libc::SIGTERM, false, false),
        (libc::SIGHUP, false, false),
    ] {
        let place = Place::new();
        // One process: a shell that starts another has moments in which a signal reaches only itself.
        let words: &[&str] = if timeout { &["--timeout", "300"] } else { &[] };
        let mut left = place
            .command()
            .arg("bench")
            .args(words)
            .arg("echo $$ >pid; exec sleep 300")
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
        let own = left.id().cast_signed();
        kill(if to_group { -own } else { own }, signal);
        assert_eq!(left.wait().unwrap().signal(), Some(signal));
        let is_there = || test_kill_process(Pid::from_raw(pid).unwrap()).is_ok();
        let begun = std::time::Instant::now();
        while is_there() {
            assert!(begun.elapsed() < Duration::from_mins(1), "{signal}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
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

#[test]
fn a_file_that_is_no_json_by_its_name_is_refused_before_anything_runs() {
    let place = Place::new();
    for name in ["page.html", "page.md", "rows.csv"] {
        let left = place.laptime(&["bench", "-o", name, "echo >> ran"]);
        assert_eq!(left.code, 2, "{}", left.err);
        let said = format!("--output writes JSON, and {name} is none by its name");
        assert!(left.err.contains(&said), "{}", left.err);
        let (stem, _) = name.split_once('.').unwrap();
        assert!(
            left.err.contains(&format!("-o {stem}.json")),
            "{}",
            left.err
        );
    }
    assert!(!place.path().join("ran").exists());
}
