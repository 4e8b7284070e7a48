//! Each signal, by each sender.

use std::os::unix::process::CommandExt;

use super::{Launched, kill};
use crate::place::Place;

/// Tells each signal that it takes, how it was sent, and its value.
const TAKES: &str = "
import ctypes, os, signal
every = set(range(1, 65)) - {signal.SIGKILL, signal.SIGSTOP, 32, 33}
signal.pthread_sigmask(signal.SIG_BLOCK, every)
libc = ctypes.CDLL(None)
all = (ctypes.c_ulong * 16)(*[0xffffffffffffffff] * 16)
information = (ctypes.c_int * 32)()
os.write(1, b'ready\\n')
taken = 0
while taken != signal.SIGTERM:
    taken = libc.sigwaitinfo(all, information)
    os.write(1, f'{taken} {information[2]} {information[6]}\\n'.encode())
";

/// Every signal that can be passed on but TERM, which ends the program.
fn others() -> impl Iterator<Item = i32> {
    (1..=64)
        .filter(|signal| ![libc::SIGKILL, libc::SIGSTOP, 32, 33, libc::SIGTERM].contains(signal))
}

fn launched(place: &Place) -> Launched {
    place.file("takes.py", TAKES);
    Launched::of(
        place
            .command()
            .args(["run", "python3", "takes.py"])
            .process_group(0),
    )
}

fn ends(mut launched: Launched) {
    kill(launched.pid(), libc::SIGTERM);
    assert!(launched.line().starts_with("15 0 "));
    assert_eq!(launched.launcher.wait().unwrap().code(), Some(0));
}

#[test]
fn each_that_is_sent_to_the_launcher_reaches_the_program_once() {
    let place = Place::new();
    let mut launched = launched(&place);
    for signal in others() {
        kill(launched.pid(), signal);
        let line = launched.line();
        assert!(
            line.starts_with(&format!("{signal} 0 ")),
            "{signal}: {line}"
        );
    }
    ends(launched);
}

#[test]
fn each_that_is_sent_to_the_launchers_first_thread_reaches_the_program_once() {
    let place = Place::new();
    let mut launched = launched(&place);
    for signal in others() {
        // SAFETY: the call touches no memory, and the launcher was not waited for.
        let sent =
            unsafe { libc::syscall(libc::SYS_tgkill, launched.pid(), launched.pid(), signal) };
        assert_eq!(sent, 0);
        let line = launched.line();
        assert!(
            line.starts_with(&format!("{signal} 0 ")),
            "{signal}: {line}"
        );
    }
    ends(launched);
}

#[test]
fn each_that_is_queued_reaches_the_program_with_its_value_real_time_ones_in_order_and_each() {
    let place = Place::new();
    let mut launched = launched(&place);
    let pid = launched.pid();
    let queue = |signal: i32, value: usize| {
        let value = libc::sigval {
            sival_ptr: std::ptr::without_provenance_mut(value),
        };
        // SAFETY: the launcher was not waited for.
        assert_eq!(unsafe { libc::sigqueue(pid, signal, value) }, 0);
    };
    for signal in others() {
        queue(signal, 1_000 + signal as usize);
        let line = launched.line();
        assert_eq!(line, format!("{signal} -1 {}", 1_000 + signal));
    }
    for value in 1..=20 {
        queue(40, value);
    }
    for value in 1..=20 {
        assert_eq!(launched.line(), format!("40 -1 {value}"));
    }
    ends(launched);
}

#[test]
fn each_that_is_sent_to_the_group_reaches_the_program_once() {
    let place = Place::new();
    let mut launched = launched(&place);
    for signal in others() {
        kill(-launched.pid(), signal);
        let line = launched.line();
        assert!(
            line.starts_with(&format!("{signal} 0 ")),
            "{signal}: {line}"
        );
    }
    ends(launched);
}
