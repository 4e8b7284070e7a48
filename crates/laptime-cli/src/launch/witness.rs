//! A process that tells whether a signal went to the whole process group.
//!
//! The program shares the launcher's group, so a signal to the group reaches it by itself, and one to
//! the launcher alone must be passed on. The kernel tells a receiver who sent a signal, but not to
//! whom else. The witness is a third member of the group, to which nobody sends anything by itself:
//! what it received was sent to all. Without it a program that saves at the first Ctrl-C and aborts at
//! the second would lose what it saves.

use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

/// The kernel reaches the members of a group one after the other, within microseconds.
const DELIVERY_NS: i64 = 2_000_000;
/// A witness that is stopped with the group doesn't answer; then the signal is passed on.
const ANSWER_MS: libc::c_int = 500;

/// Where a handler asks and reads the answer; -1 without a witness.
static LINE: AtomicI32 = AtomicI32::new(-1);

/// The witness, while it lives.
#[derive(Debug)]
pub struct Witness {
    pid: libc::pid_t,
    _line: OwnedFd,
}

impl Witness {
    /// Starts one in this process's group, for these signals.
    pub fn start(signals: &[libc::c_int]) -> io::Result<Self> {
        let (ours, its) = line()?;
        // SAFETY: the child calls nothing but async-signal-safe functions, and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            // SAFETY: this is the child, and the end is its own.
            0 => unsafe { testify(its.as_raw_fd(), signals) },
            pid => {
                LINE.store(ours.as_raw_fd(), Ordering::SeqCst);
                Ok(Self { pid, _line: ours })
            }
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        LINE.store(-1, Ordering::SeqCst);
        // SAFETY: it was not waited for, so the id is its own.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            while libc::waitpid(self.pid, null_mut(), 0) == -1
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
    }
}

/// Whether the signal that is being handled went to the whole group. For handlers: nothing in it is
/// unsafe there.
pub fn saw(signal: libc::c_int) -> bool {
    let line = LINE.load(Ordering::SeqCst);
    if line < 0 {
        return false;
    }
    let moment = libc::timespec {
        tv_sec: 0,
        tv_nsec: DELIVERY_NS,
    };
    let mut byte = signal as u8;
    let mut wait = libc::pollfd {
        fd: line,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: system calls on values of this function, all of them async-signal-safe. What they do to
    // `errno` is undone, since the interrupted code may be about to read it.
    unsafe {
        let error = *libc::__errno_location();
        libc::nanosleep(&raw const moment, null_mut());
        let to_all = libc::send(line, (&raw const byte).cast(), 1, libc::MSG_NOSIGNAL) == 1
            && libc::poll(&raw mut wait, 1, ANSWER_MS) == 1
            && libc::recv(line, (&raw mut byte).cast(), 1, 0) == 1
            && byte == 1;
        *libc::__errno_location() = error;
        to_all
    }
}

/// The witness's life: answers whether a signal that is asked for came since it was asked for last.
///
/// # Safety
/// Called in a forked child, with its end of the line.
unsafe fn testify(line: libc::c_int, signals: &[libc::c_int]) -> ! {
    // SAFETY: the caller's promise; what is called is async-signal-safe.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, null_mut());
        // Nothing of the launcher's stays open here, such as the end of a pipe that others wait for.
        let line = libc::dup2(line, 0);
        libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0);
        loop {
            let mut byte = 0_u8;
            match libc::recv(line, (&raw mut byte).cast(), 1, 0) {
                1 => {}
                -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => continue,
                _ => libc::_exit(0),
            }
            let mut asked: libc::sigset_t = zeroed();
            libc::sigemptyset(&raw mut asked);
            libc::sigaddset(&raw mut asked, libc::c_int::from(byte));
            let at_once: libc::timespec = zeroed();
            let came = libc::sigtimedwait(&raw const asked, null_mut(), &raw const at_once) > 0;
            byte = u8::from(came);
            libc::send(line, (&raw const byte).cast(), 1, libc::MSG_NOSIGNAL);
        }
    }
}

/// Two ends of a line that no program inherits.
fn line() -> io::Result<(OwnedFd, OwnedFd)> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    let mut ends = [-1; 2];
    // SAFETY: the call fills both in where it succeeds, and nobody else has them.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let [ours, its] = ends;
        Ok((OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(its)))
    }
}
