//! Signals that somebody sends to the launcher, passed on to the program.
//!
//! Whoever started `laptime run` knows only its process id, so what they send to it is meant for the program: every
//! signal, real-time ones with their value. Two can't be caught (KILL, STOP), two are the C library's (32, 33). What
//! the kernel itself sends isn't passed on: from the keyboard it reaches the program too, and a fault is the
//! launcher's own, which ends it; but where a terminal goes away, its kernel tells the session's leader alone. A signal
//! to the whole group has reached the program already; the [`witness`](super::witness) tells.
//!
//! Behind the program's end a signal ends what is left to do, the summary, and the launcher [as the program ended](super::ending).

use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, Ordering};

use laptime_recorder::clock::monotonic_ns;

use super::{ending, witness};

/// Process id of the running program; 0 while there is none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// Process id of the launcher: a child of it that is not yet the program has the handler, too.
static LAUNCHER: AtomicI32 = AtomicI32::new(0);

/// The last signal that went to the group, and when its handler was done.
static TO_GROUP: AtomicU8 = AtomicU8::new(0);
static DONE_NS: AtomicU64 = AtomicU64::new(0);

/// The kernel's numbers of signals.
const NUMBERS: std::ops::RangeInclusive<libc::c_int> = 1..=64;

/// Signals by which the kernel tells a process of its own fault.
const FAULTS: [libc::c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGABRT,
];

/// Signals that end nobody who doesn't handle them, and that of a pipe without a reader.
const ENDS_NOBODY: [libc::c_int; 9] = [
    libc::SIGCHLD,
    libc::SIGCONT,
    libc::SIGPIPE,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGURG,
    libc::SIGWINCH,
    libc::SIGXFSZ,
];

/// Two signals at once are one to a program that had no time for the first: the kernel keeps no count.
const AT_ONCE_NS: u64 = 500_000;

/// Every signal that is passed on.
pub fn passed_on() -> impl Iterator<Item = libc::c_int> {
    NUMBERS.filter(|signal| !matches!(*signal, libc::SIGKILL | libc::SIGSTOP | 32 | 33))
}

/// While it lives, signals to the launcher go to the program.
#[derive(Debug)]
pub struct SignalsPassedOn {
    before: Vec<(libc::c_int, Saved)>,
}

/// How a signal was handled before.
struct Saved(libc::sigaction);

impl std::fmt::Debug for Saved {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Saved({:#x})", self.0.sa_sigaction)
    }
}

impl SignalsPassedOn {
    /// Handles all of them. `hosted` when the launcher itself runs inside Python.
    pub fn install(hosted: bool) -> Self {
        LAUNCHER.store(std::process::id().cast_signed(), Ordering::SeqCst);
        let mut signals = Self { before: Vec::new() };
        for signal in passed_on() {
            // The launcher's own runtime ignores these for itself, whoever started it did not.
            let is_own = signal == libc::SIGPIPE || (hosted && signal == libc::SIGXFSZ);
            // A parent that ignores its children would make the exit code unknowable.
            let is_needed = is_own || signal == libc::SIGCHLD;
            // Handlers, unlike "ignore", are not inherited by the program.
            signals.replace(signal, |old| is_needed || old != libc::SIG_IGN);
        }
        signals
    }

    /// The program runs, under this id.
    pub fn program_is(pid: u32) {
        PROGRAM.store(pid.cast_signed(), Ordering::SeqCst);
    }

    /// The program has ended: its id may belong to somebody else soon.
    pub fn program_is_gone() {
        PROGRAM.store(0, Ordering::SeqCst);
    }

    /// Whether the program would have found a signal ignored without the launcher.
    pub fn ignored(&self, signal: libc::c_int) -> bool {
        let mut before = self.before.iter();
        before.any(|(one, saved)| *one == signal && saved.0.sa_sigaction == libc::SIG_IGN)
    }

    fn replace(&mut self, signal: libc::c_int, when: impl Fn(usize) -> bool) {
        // SAFETY: both structures are plain data of this function, valid when zeroed; the handler calls only
        // functions that POSIX lists as safe in one.
        unsafe {
            let mut old: libc::sigaction = zeroed();
            if libc::sigaction(signal, null(), &raw mut old) != 0 || !when(old.sa_sigaction) {
                return;
            }
            let mut new: libc::sigaction = zeroed();
            new.sa_sigaction = pass_on as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            // One after the other: each asks the witness and waits for its answer.
            libc::sigfillset(&raw mut new.sa_mask);
            if libc::sigaction(signal, &raw const new, null_mut()) == 0 {
                self.before.push((signal, Saved(old)));
            }
        }
    }
}

impl Drop for SignalsPassedOn {
    fn drop(&mut self) {
        Self::program_is_gone();
        for (signal, saved) in self.before.iter().rev() {
            // SAFETY: puts back what the same call returned.
            unsafe { libc::sigaction(*signal, &raw const saved.0, null_mut()) };
        }
    }
}

extern "C" fn pass_on(
    signal: libc::c_int,
    information: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: with SA_SIGINFO the kernel passes a valid structure; where a process sent the signal, or it queued
    // it, the structure holds the sender's id. `getpid` has no effects.
    let (code, own, is_launcher) = unsafe {
        let own = libc::getpid();
        let code = (*information).si_code;
        let is_sent = code <= 0;
        let is_own = is_sent && [own, witness::pid()].contains(&(*information).si_pid());
        (code, is_own, own == LAUNCHER.load(Ordering::SeqCst))
    };
    if !is_launcher || (FAULTS.contains(&signal) && (code > 0 || own)) {
        return as_by_default(signal, code > 0);
    }
    if !ENDS_NOBODY.contains(&signal) {
        ending::at_once();
    }
    // The kernel's of these went to the group, the program with it; the witness forgets them by answering.
    let is_from_terminal = code == libc::SI_KERNEL;
    let is_to_one = own || code == libc::SI_QUEUE;
    let to_group = (code <= 0 || is_from_terminal) && !is_to_one && was_to_group(signal);
    let is_hangup = is_from_terminal && [libc::SIGHUP, libc::SIGCONT].contains(&signal);
    if (code > 0 && !is_hangup) || own || to_group {
        return;
    }
    let program = PROGRAM.load(Ordering::SeqCst);
    if program == 0 {
        return;
    }
    // SAFETY: both are safe in a handler, and the id is cleared before the program is reaped. What they do to `errno`
    // is undone, since the interrupted code may be about to read it.
    unsafe {
        let error = *libc::__errno_location();
        let is_queued = code == libc::SI_QUEUE
            && libc::syscall(libc::SYS_rt_sigqueueinfo, program, signal, information) == 0;
        if !is_queued {
            libc::kill(program, signal);
        }
        *libc::__errno_location() = error;
    }
}

/// Whether the program has the signal that is being handled, since it went to the group; or had one like it just now,
/// while the launcher was asking: who sends one to the launcher and one to the group has sent the program one.
fn was_to_group(signal: libc::c_int) -> bool {
    let began = monotonic_ns();
    let came_along = signal < 32
        && TO_GROUP.load(Ordering::SeqCst) == signal as u8
        && began.saturating_sub(DONE_NS.load(Ordering::SeqCst)) < AT_ONCE_NS;
    let to_group = witness::saw(signal);
    if to_group {
        TO_GROUP.store(signal as u8, Ordering::SeqCst);
        DONE_NS.store(monotonic_ns(), Ordering::SeqCst);
    }
    to_group || came_along
}

/// What the signal does to a process that doesn't handle it, as soon as the handler returns. A fault comes again by
/// itself.
fn as_by_default(signal: libc::c_int, comes_again: bool) {
    // SAFETY: both are safe in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if !comes_again {
            libc::raise(signal);
        }
    }
}
