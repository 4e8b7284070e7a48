//! A command that may take so long and no longer: then it is killed, with everything it started.
//!
//! It has a process group of its own, so that all of it is reached. The terminal's signals don't come
//! there by themselves any more, and are passed on. A command that may take as long as it likes shares this process's
//! group; what a process sends to this one is passed on to it.

use std::io;
use std::mem::zeroed;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Signals by which a terminal, or whoever started this, ends what runs.
const ENDINGS: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM];
/// Those of them that a terminal sends to every process of the group.
const TO_ALL: [i32; 2] = [libc::SIGINT, libc::SIGQUIT];
/// Whom to kill while a command runs: a process or, below zero, a group; 0 for none, and [`STARTS`] for one whose
/// number isn't known yet.
static RUNS: AtomicI32 = AtomicI32::new(0);
const STARTS: i32 = i32::MIN;
/// A signal that came while a command was started; 0 for none.
static CAME: AtomicI32 = AtomicI32::new(0);

/// Starts a command and waits until it ends or has taken too long. What has ended is still to be waited
/// for, so that nobody else has its number. `true` where it was killed.
///
/// **Errors** where it can't be started or waited for.
pub fn run(command: &mut Command, most: Option<Duration>) -> io::Result<(Child, bool)> {
    let passed_on = PassedOn::new();
    RUNS.store(STARTS, SeqCst);
    if most.is_some() {
        command.process_group(0);
    }
    let started = command.spawn();
    let pid = started.as_ref().map_or(0, |child| child.id() as i32);
    RUNS.store(if most.is_some() { -pid } else { pid }, SeqCst);
    // What comes from here on finds it; what came before is passed on now.
    match CAME.swap(0, SeqCst) {
        0 => {}
        signal => end_by(signal, false),
    }
    let child = started?;
    let leader = Pid::from_child(&child);
    let was_killed = match most {
        None => wait(leader).map(|()| false),
        Some(most) => wait_at_most(leader, most),
    };
    drop(passed_on);
    Ok((child, was_killed?))
}

/// Waits until the leader of a group ends; kills the group after so long. `true` where that was necessary.
fn wait_at_most(group: Pid, most: Duration) -> io::Result<bool> {
    let (ended, end) = channel::<()>();
    let was_killed = AtomicBool::new(false);
    let killed = &was_killed;
    let waited = std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
                killed.store(true, SeqCst);
                // The group's leader isn't waited for yet, so its number is its own.
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        let waited = wait(group);
        drop(ended);
        waited
    });
    waited.map(|()| was_killed.into_inner())
}

/// Waits until a child ends, and leaves its status where it is.
fn wait(child: Pid) -> io::Result<()> {
    let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    retry_on_intr(|| waitid(WaitId::Pid(child), flags))?;
    Ok(())
}

/// While it is there, these signals go to the command first, and then do what they would.
struct PassedOn(Vec<(i32, libc::sigaction)>);

impl PassedOn {
    fn new() -> Self {
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = pass_on;
        let replaced = ENDINGS.map(|signal| {
            // SAFETY: all zeros is a valid value of both, and the handler calls nothing but what a handler may.
            unsafe {
                let (mut action, mut before): (libc::sigaction, libc::sigaction) =
                    (zeroed(), zeroed());
                action.sa_sigaction = handler as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                libc::sigaction(signal, &raw const action, &raw mut before);
                if before.sa_sigaction == libc::SIG_IGN {
                    // Whoever ignores it goes on to do so.
                    libc::sigaction(signal, &raw const before, null_mut());
                }
                (signal, before)
            }
        });
        Self(replaced.into())
    }
}

impl Drop for PassedOn {
    fn drop(&mut self) {
        RUNS.store(0, SeqCst);
        for (signal, before) in &self.0 {
            // SAFETY: what stood there before.
            unsafe { libc::sigaction(*signal, before, null_mut()) };
        }
    }
}

extern "C" fn pass_on(signal: i32, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes a valid structure.
    let is_terminals = unsafe { (*about).si_code } > 0;
    end_by(signal, is_terminals && TO_ALL.contains(&signal));
}

/// Ends the command and then this process. `was_to_group`: the signal has reached whoever is in this process's group.
/// Calls nothing but what a handler may.
fn end_by(signal: i32, was_to_group: bool) {
    let runs = RUNS.load(SeqCst);
    if runs == STARTS {
        CAME.store(signal, SeqCst);
        return;
    }
    // SAFETY: all of these may be called in a handler.
    unsafe {
        if runs < 0 || (runs > 0 && !was_to_group) {
            libc::kill(runs, signal);
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rustix::process::test_kill_process_group;

    use super::*;

    fn shell(command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        shell
    }

    #[test]
    fn what_takes_too_long_is_killed_with_what_it_started() {
        let folder = std::env::temp_dir().join(format!("laptime-timeout-{}", std::process::id()));
        let said = folder.display();
        let begun = Instant::now();
        let (mut child, was_killed) = run(
            &mut shell(&format!("(sleep 30; touch {said}) & wait")),
            Some(Duration::from_millis(200)),
        )
        .unwrap();
        assert!(was_killed && !child.wait().unwrap().success());
        assert!(begun.elapsed() < Duration::from_secs(20));
        // Nothing is left of its group.
        let is_gone = || test_kill_process_group(Pid::from_child(&child)).is_err();
        while !is_gone() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert!(is_gone());
    }

    #[test]
    fn what_ends_in_time_has_its_own_status() {
        for most in [None, Some(Duration::from_secs(500))] {
            let (mut child, was_killed) = run(&mut shell("exit 7"), most).unwrap();
            assert!(!was_killed);
            assert_eq!(child.wait().unwrap().code(), Some(7));
        }
    }
}
