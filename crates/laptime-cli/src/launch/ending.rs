//! The launcher's own end, which says how the program ended: by its exit code, or by its signal.
//!
//! A shell's loop ends with a program that Ctrl-C ended, and goes on after one that exits with 130; `xargs`, `make` and
//! `subprocess` tell the two apart as well.

use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

use laptime_core::ProgramEnd;

/// The exit code of a program that has ended; -1 before.
static EXIT_CODE: AtomicI32 = AtomicI32::new(-1);
/// The signal that ended it; 0 where none did.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From here on the launcher ends as the program did, whatever ends it.
pub fn is(end: &ProgramEnd) {
    SIGNAL.store(end.signal.unwrap_or(0), Ordering::SeqCst);
    EXIT_CODE.store(exit_code(end), Ordering::SeqCst);
}

/// The exit code that stands for how a program ended, as shells count it.
pub fn exit_code(end: &ProgramEnd) -> i32 {
    match (end.code, end.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => crate::exit_code::RUN_FAILED,
    }
}

/// Ends this process by the signal that ended the program; returns where none did.
pub fn by_the_programs_signal() {
    let signal = SIGNAL.load(Ordering::SeqCst);
    if signal != 0 {
        by(signal);
    }
}

/// Ends this process, from a handler, as the program ended; returns where it hasn't.
pub fn at_once() {
    let code = EXIT_CODE.load(Ordering::SeqCst);
    if code >= 0 {
        by_the_programs_signal();
        // SAFETY: safe in a handler.
        unsafe { libc::_exit(code) };
    }
}

/// Ends this process as one that doesn't handle `signal`, but for a core file: the program's own lies there.
fn by(signal: libc::c_int) {
    // SAFETY: the structures are plain data of this function, valid when zeroed; the calls are safe in a handler.
    unsafe {
        let none: libc::rlimit = zeroed();
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::raise(signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, null_mut());
    }
}
