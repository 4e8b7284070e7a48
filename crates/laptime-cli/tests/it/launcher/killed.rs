//! Whoever kills the launcher kills the program, and no more than the program.

use super::{Launched, kill, until_is};
use crate::place::Place;

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
fn a_program_that_is_killed_ends_its_launcher_with_that_code() {
    let place = Place::new();
    let mut launched = Launched::ready(&place, &["sh", "-c", "echo ready; kill -KILL $$"]);
    assert_eq!(
        launched.launcher.wait().unwrap().code(),
        Some(128 + libc::SIGKILL)
    );
}
