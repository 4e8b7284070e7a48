//! The live line stands on terminals only, and is gone when the summary comes.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::place::Place;
use crate::terminal::terminal;

#[test]
fn a_terminal_shows_the_line_while_the_program_runs_and_gets_its_row_back() {
    let place = Place::new();
    let (mut ours, theirs) = terminal();
    let end = || Stdio::from(theirs.try_clone().unwrap());
    let mut launcher = place
        .command()
        .args(["run", "sh", "-c", "read line; echo the program ends"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    drop(theirs);
    let mut seen = String::new();
    let mut bytes = [0; 4_096];
    let mut typed = false;
    // Ends with an error once the other end is closed.
    while let Ok(count @ 1..) = ours.read(&mut bytes) {
        seen += &String::from_utf8_lossy(&bytes[..count]);
        if !typed && seen.contains("\x1b[24;1H\x1b[2Klaptime  0:00:0") {
            typed = true;
            ours.write_all(b"\n").unwrap();
        }
    }
    assert!(launcher.wait().unwrap().success());
    assert!(typed, "{seen:?}");
    let (before, after) = seen.split_once("the program ends").unwrap();
    // A row is made without a newline, which would take the program's half-written line along.
    assert!(before.contains("\x1bD\x1b7\x1b[1;23r"), "{before:?}");
    let (given_back, summary) = after.split_once("\x1b[r\x1b[24;1H\x1b[2K\x1b8").unwrap();
    assert!(!given_back.contains("recording: "));
    assert!(summary.contains("recording: sh-1.lap"), "{summary:?}");
    assert!(
        !summary.contains("\x1b["),
        "colour or cursor after all: {summary:?}"
    );
}

#[test]
fn without_a_terminal_or_under_ci_there_is_no_line() {
    let place = Place::new();
    // Longer than it takes to show one.
    let program = ["run", "sh", "-c", "sleep 0.7"];
    let piped = place.laptime(&program).err;
    assert!(
        piped.contains("recording: sh-1.lap") && !piped.contains('\x1b'),
        "{piped:?}"
    );

    let (mut ours, theirs) = terminal();
    let mut launcher = place
        .command()
        .args(program)
        .env("CI", "true")
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let mut seen = Vec::new();
    // Ends with an error once the other end is closed.
    let _ = ours.read_to_end(&mut seen);
    assert!(launcher.wait().unwrap().success());
    let seen = String::from_utf8(seen).unwrap();
    assert!(
        seen.contains("recording: sh-2.lap") && !seen.contains('\x1b'),
        "{seen:?}"
    );
}
