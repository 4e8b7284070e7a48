//! Whoever kills the launcher kills the program, and no more than the program.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;

use super::{Launched, kill, until_is};
use crate::place::{Place, as_in_foreground};

#[test]
fn a_program_is_killed_with_its_launcher() {
    for signal in [
        libc::SIGKILL,
        libc::SIGABRT,
        libc::SIGXCPU,
        libc::SIGALRM,
        libc::SIGRTMIN(),
    ] {
        let place = Place::new();
        let script = "echo ready; echo $$; exec sleep 1000";
        let mut launched = Launched::ready(&place, &["sh", "-c", script]);
        let program: i32 = launched.line().parse().unwrap();
        kill(launched.pid(), signal);
        until_is(program, "XZ");
        launched.launcher.wait().unwrap();
    }
}

#[test]
fn what_the_program_started_lives_on_as_it_does_alone() {
    let place = Place::new();
    let script = "sleep 1000 >/dev/null & echo ready; echo $!; wait";
    let mut launched = Launched::ready(&place, &["sh", "-c", script]);
    let sleeper: i32 = launched.line().parse().unwrap();
    kill(launched.pid(), libc::SIGKILL);
    launched.launcher.wait().unwrap();
    // The program holds the other end until it is gone.
    assert_eq!(launched.line(), "");
    until_is(sleeper, "S");
    kill(sleeper, libc::SIGKILL);
}

#[test]
fn a_program_that_a_signal_ends_ends_its_launcher_by_it() {
    for signal in [
        libc::SIGKILL,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGSEGV,
        libc::SIGABRT,
        libc::SIGPIPE,
        libc::SIGRTMIN(),
    ] {
        let place = Place::new();
        let script = format!("echo ready; kill -{signal} $$");
        let mut launched = Launched::ready(&place, &["sh", "-c", &script]);
        let status = launched.launcher.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (None, Some(signal)));
        assert!(!status.core_dumped());
    }
}

#[test]
fn a_shells_loop_ends_with_a_program_that_an_interrupt_ends() {
    let place = Place::new();
    let script = "for _ in 1 2; do $0 run sh -c 'echo round; kill -INT 0; sleep 1000'; done";
    let mut loops = Command::new("bash");
    as_in_foreground(loops.args(["-c", script, env!("CARGO_BIN_EXE_laptime")]));
    let done = loops.current_dir(place.path()).process_group(0).output();
    assert_eq!(done.unwrap().stdout, b"round\n");
}
