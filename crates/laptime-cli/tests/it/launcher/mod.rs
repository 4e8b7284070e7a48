//! `laptime run` between a program and whoever started it: neither notices.

mod at_once;
mod every_signal;
mod inherited;
mod killed;
mod pipes;
mod signals;
mod stopped;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::Place;

/// A program under `laptime run` that has said something.
pub struct Launched {
    pub launcher: Child,
    pub out: BufReader<ChildStdout>,
}

impl Launched {
    /// Starts `laptime run` with these words, and waits for the program's first line, `ready`.
    pub fn ready(place: &Place, words: &[&str]) -> Self {
        Self::of(place.command().arg("run").args(words))
    }

    /// Starts a command and waits for its first line, `ready`.
    pub fn of(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut launcher = command.spawn().unwrap();
        let out = BufReader::new(launcher.stdout.take().unwrap());
        let mut started = Self { launcher, out };
        assert_eq!(started.line(), "ready");
        started
    }

    pub fn pid(&self) -> i32 {
        self.launcher.id().cast_signed()
    }

    /// The program's next line.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

/// Sends a signal to a process, or to a group if it is negative.
pub fn kill(pid: i32, signal: i32) {
    // SAFETY: `kill` touches no memory; what the tests send it to was not waited for.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// The letter of a process's state, `X` when it is gone.
pub fn state(pid: i32) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.unwrap_or('X')
}

/// Waits until a process is in one of these states.
pub fn until_is(pid: i32, states: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !states.contains(state(pid)) {
        assert!(Instant::now() < deadline, "{pid} is {}", state(pid));
        std::thread::sleep(Duration::from_millis(1));
    }
}
