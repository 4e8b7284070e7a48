//! Signals that this thread doesn't take, and one that it stops by.

use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// The signals that a thread doesn't take, put back when dropped.
pub struct Blocked(libc::sigset_t);

impl Blocked {
    /// Blocks every signal on this thread.
    pub fn all() -> Self {
        // SAFETY: fills in a set of this function.
        Self::set(|set| unsafe {
            libc::sigfillset(set);
        })
    }

    /// Blocks one: what reads or writes in the background is not stopped by TTIN or TTOU then.
    pub fn one(signal: libc::c_int) -> Self {
        // SAFETY: fills in a set of this function.
        Self::set(|set| unsafe {
            libc::sigemptyset(set);
            libc::sigaddset(set, signal);
        })
    }

    fn set(fill: impl Fn(*mut libc::sigset_t)) -> Self {
        // SAFETY: sets are plain data; the calls fill in those of this function.
        unsafe {
            let (mut set, mut before) = (zeroed(), zeroed());
            fill(&raw mut set);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before);
            Self(before)
        }
    }

    /// What was blocked before.
    pub fn before(&self) -> libc::sigset_t {
        self.0
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: puts back what the same call returned.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, null_mut()) };
    }
}

/// Stops this process by `signal`, as one does that doesn't handle it; returns when it was continued.
pub fn stop_by(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: all structures are plain data of this function, valid when zeroed.
    unsafe {
        let (mut by_default, mut before): (libc::sigaction, libc::sigaction) = (zeroed(), zeroed());
        by_default.sa_sigaction = libc::SIG_DFL;
        let is_handled = signal != libc::SIGSTOP;
        if is_handled && libc::sigaction(signal, &raw const by_default, &raw mut before) != 0 {
            return Err(io::Error::last_os_error());
        }
        libc::kill(libc::getpid(), signal);
        if is_handled {
            libc::sigaction(signal, &raw const before, null_mut());
        }
    }
    Ok(())
}
