//! What whoever starts `laptime run` leaves it is the program's.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::place::{Place, as_in_foreground};

/// Runs `program` alone and under `laptime run`, each started by something that did `before`.
fn both(program: &str, before: fn()) -> [String; 2] {
    let place = Place::new();
    place.file("program.py", program);
    let said = |command: &mut Command| {
        // SAFETY: what the tests do there is allowed between fork and exec.
        unsafe {
            command.pre_exec(move || {
                before();
                Ok(())
            });
        }
        let output = command.output().unwrap();
        format!(
            "{:?} {}",
            output.status.code(),
            String::from_utf8_lossy(&output.stdout)
        )
    };
    let mut alone = Command::new("python3");
    as_in_foreground(&mut alone);
    let alone = said(alone.current_dir(place.path()).arg("program.py"));
    let launched = said(place.command().args(["run", "python3", "program.py"]));
    [alone, launched]
}

#[test]
fn timers_that_were_set_before_run_on_in_the_program() {
    let program = "
import signal
for which in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
    left, interval = signal.getitimer(which)
    print(1_000 < left <= 2_000, interval)
";
    let [alone, launched] = both(program, || {
        let seconds = |tv_sec| libc::timeval { tv_sec, tv_usec: 0 };
        let timer = libc::itimerval {
            it_interval: seconds(7),
            it_value: seconds(2_000),
        };
        for which in [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF] {
            // SAFETY: a plain structure that outlives the call.
            unsafe { libc::setitimer(which, &raw const timer, std::ptr::null_mut()) };
        }
    });
    assert_eq!(alone, "Some(0) True 7.0\nTrue 7.0\nTrue 7.0\n");
    assert_eq!(launched, alone);
}

#[test]
fn signals_that_were_blocked_or_ignored_before_are_so_in_the_program() {
    let program = "
for line in open('/proc/self/status'):
    if line.startswith(('SigBlk', 'SigIgn')):
        print(line, end='')
";
    let [alone, launched] = both(program, || {
        // SAFETY: these are allowed between fork and exec; the set is a local one.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in [libc::SIGUSR1, libc::SIGTTOU, libc::SIGTSTP, 50] {
                libc::sigaddset(&raw mut set, signal);
            }
            libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
            for signal in [libc::SIGUSR2, libc::SIGCHLD, libc::SIGWINCH, 51] {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
    });
    assert_eq!(launched, alone);
}

#[test]
fn a_program_is_called_what_was_typed() {
    let place = Place::new();
    for (words, called) in [
        (&["sh", "-c", "echo $0"][..], "sh"),
        (&["/bin/sh", "-c", "echo $0"], "/bin/sh"),
    ] {
        let words: Vec<&str> = ["run", "--"].iter().chain(words).copied().collect();
        assert_eq!(place.laptime(&words).out.trim(), called);
    }
}
