//! Pipes end where the program ends them: the launcher holds no end of them.

use std::io::{Error, Read, Write, pipe};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Launched, kill};
use crate::place::Place;

#[test]
fn who_reads_its_output_sees_the_end_when_the_program_closes_it() {
    let place = Place::new();
    let mut command = place.command();
    let script = "echo ready; exec 1>&-; read line; exit 7";
    let mut launched = Launched::of(
        command
            .args(["run", "sh", "-c", script])
            .stdin(Stdio::piped()),
    );
    assert_eq!(
        launched.line(),
        "",
        "the end, while the program waits for a line"
    );
    launched
        .launcher
        .stdin
        .take()
        .unwrap()
        .write_all(b"\n")
        .unwrap();
    assert_eq!(launched.launcher.wait().unwrap().code(), Some(7));
}

#[test]
fn who_writes_its_input_is_told_when_the_program_closes_it() {
    let place = Place::new();
    let mut command = place.command();
    let script = "exec 0<&-; echo ready; exec sleep 1000";
    let mut launched = Launched::of(
        command
            .args(["run", "sh", "-c", script])
            .stdin(Stdio::piped()),
    );
    let mut input = launched.launcher.stdin.take().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    // The program may be quicker than the launcher.
    while input.write_all(b"line\n").is_ok() {
        assert!(Instant::now() < deadline, "somebody still reads");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(launched.pid(), libc::SIGTERM);
    launched.launcher.wait().unwrap();
}

#[test]
fn other_files_that_it_inherits_are_closed_with_the_program_too() {
    let place = Place::new();
    let (mut ours, its) = pipe().unwrap();
    let mut command = place.command();
    let script = "echo ready; echo told >&7; exec 7>&-; read line";
    command
        .args(["run", "sh", "-c", script])
        .stdin(Stdio::piped());
    let number = its.as_raw_fd();
    // SAFETY: allowed between fork and exec.
    unsafe {
        command.pre_exec(move || match libc::dup2(number, 7) {
            7 => Ok(()),
            _ => Err(Error::last_os_error()),
        });
    }
    let mut launched = Launched::of(&mut command);
    drop(its);
    let mut told = String::new();
    ours.read_to_string(&mut told).unwrap();
    assert_eq!(told, "told\n");
    drop(launched.launcher.stdin.take());
    launched.launcher.wait().unwrap();
}
