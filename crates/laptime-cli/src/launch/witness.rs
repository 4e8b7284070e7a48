//! A process that tells whether a signal went to the whole process group, and that wakes the launcher.
//!
//! The program shares the launcher's group, so a signal to the group reaches it by itself, and one to
//! the launcher alone must be passed on. The kernel tells a receiver who sent a signal, but not to
//! whom else. The witness is a third member of the group, to which nobody sends anything by itself:
//! what it received was sent to all. Without it a program that saves at the first Ctrl-C and aborts at
//! the second would lose what it saves.
//!
//! The launcher stops as the program stops, and a stopped process sees nothing: the witness watches for it whether
//! somebody continues the program alone.

use std::io;
use std::mem::zeroed;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::{masks, proc_state};

/// The kernel reaches the members of a group one after the other, within microseconds.
const DELIVERY_NS: i64 = 2_000_000;
/// A witness that is stopped with the group doesn't answer; then the signal is passed on.
const ANSWER_MS: libc::c_int = 500;
/// Time between looks at a program that is stopped.
const LOOK_MS: libc::c_int = 20;

/// Said instead of a signal's number: the launcher stops with the program, whose process id follows.
const STOPS: u8 = 0xfe;
/// The launcher goes on.
const GOES_ON: u8 = 0xff;

/// Where a handler asks and reads the answer; -1 without a witness.
static LINE: AtomicI32 = AtomicI32::new(-1);
/// Process id of the witness; -1 without one.
static PID: AtomicI32 = AtomicI32::new(-1);

/// The witness, while it lives.
#[derive(Debug)]
pub struct Witness {
    pid: libc::pid_t,
    line: UnixStream,
}

impl Witness {
    /// Starts one in this process's group.
    pub fn start() -> io::Result<Self> {
        let (ours, its) = UnixStream::pair()?;
        let launcher = std::process::id().cast_signed();
        // SAFETY: the child calls nothing but async-signal-safe functions, and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            // SAFETY: this is the child, and the end is its own.
            0 => unsafe { testify(its.as_raw_fd(), launcher) },
            pid => {
                LINE.store(ours.as_raw_fd(), Ordering::SeqCst);
                PID.store(pid, Ordering::SeqCst);
                Ok(Self { pid, line: ours })
            }
        }
    }

    /// Stops the launcher by `signal`, with the program that is stopped already, and returns when it was continued, or
    /// the program was.
    pub fn stop_with(&self, program: u32, signal: libc::c_int) {
        // Where nobody tells whether the program goes on, the launcher would not be woken.
        if proc_state::of(program.cast_signed()).is_none() {
            return;
        }
        let mut message = [STOPS; 5];
        message[1..].copy_from_slice(&program.to_ne_bytes());
        if send(self.line.as_raw_fd(), &message) {
            let _ = masks::stop_by(signal);
            send(self.line.as_raw_fd(), &[GOES_ON]);
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        LINE.store(-1, Ordering::SeqCst);
        PID.store(-1, Ordering::SeqCst);
        // It was not waited for, so the id is its own.
        if let Some(pid) = Pid::from_raw(self.pid) {
            let _ = kill_process(pid, Signal::KILL);
            let _ = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
        }
    }
}

/// Its process id, or -1. For handlers.
pub fn pid() -> libc::pid_t {
    PID.load(Ordering::SeqCst)
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
    // SAFETY: system calls on values of this function, all of them async-signal-safe. What they do to
    // `errno` is undone, since the interrupted code may be about to read it.
    unsafe {
        let error = *libc::__errno_location();
        libc::nanosleep(&raw const moment, null_mut());
        let mut came = 0_u8;
        let to_all = send(line, &[signal as u8])
            && receive(line, std::slice::from_mut(&mut came), ANSWER_MS)
            && came == 1;
        *libc::__errno_location() = error;
        to_all
    }
}

/// Sends in one piece; false where nobody listens.
fn send(line: libc::c_int, message: &[u8]) -> bool {
    // SAFETY: a system call on a slice that outlives it.
    let sent = unsafe {
        libc::send(
            line,
            message.as_ptr().cast(),
            message.len(),
            libc::MSG_NOSIGNAL,
        )
    };
    usize::try_from(sent) == Ok(message.len())
}

/// Receives all of `message`, in time; false at the end of the line or of the time.
fn receive(line: libc::c_int, message: &mut [u8], milliseconds: libc::c_int) -> bool {
    let mut wait = libc::pollfd {
        fd: line,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: system calls on values of this function and on a slice that outlives them.
    unsafe {
        libc::poll(&raw mut wait, 1, milliseconds) == 1
            && libc::recv(
                line,
                message.as_mut_ptr().cast(),
                message.len(),
                libc::MSG_WAITALL,
            ) == message.len().cast_signed()
    }
}

/// The witness's life: answers whether a signal that is asked for came since it was asked for last, and wakes a
/// launcher that stopped with a program that goes on.
///
/// # Safety
/// Called in a forked child, with its end of the line.
unsafe fn testify(line: libc::c_int, launcher: libc::pid_t) -> ! {
    // SAFETY: the caller's promise; what is called is async-signal-safe.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != launcher {
            libc::_exit(0);
        }
        let mut set: libc::sigset_t = zeroed();
        libc::sigfillset(&raw mut set);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, null_mut());
        // Nothing of the launcher's stays open here, such as the end of a pipe that others wait for.
        let line = libc::dup2(line, 0);
        libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0);
        let mut stopped: Option<libc::pid_t> = None;
        loop {
            let mut byte = 0_u8;
            let patience = if stopped.is_some() { LOOK_MS } else { -1 };
            *libc::__errno_location() = 0;
            if !receive(line, std::slice::from_mut(&mut byte), patience) {
                match stopped {
                    Some(program) => wake(launcher, program),
                    // It was stopped and continued, with the whole group.
                    None if *libc::__errno_location() == libc::EINTR => {}
                    None => libc::_exit(0),
                }
                continue;
            }
            match byte {
                STOPS => {
                    let mut program = [0; 4];
                    receive(line, &mut program, ANSWER_MS);
                    stopped = Some(libc::pid_t::from_ne_bytes(program));
                }
                GOES_ON => stopped = None,
                signal => {
                    let mut asked: libc::sigset_t = zeroed();
                    libc::sigemptyset(&raw mut asked);
                    libc::sigaddset(&raw mut asked, libc::c_int::from(signal));
                    let at_once: libc::timespec = zeroed();
                    let came =
                        libc::sigtimedwait(&raw const asked, null_mut(), &raw const at_once) > 0;
                    send(line, &[u8::from(came)]);
                }
            }
        }
    }
}

/// Continues a launcher that is stopped although the program no longer is.
fn wake(launcher: libc::pid_t, program: libc::pid_t) {
    if proc_state::of(program) != Some(b'T')
        && proc_state::of(launcher) == Some(b'T')
        // This process's parent, at whose end it ends: the id is still its own.
        && let Some(launcher) = Pid::from_raw(launcher)
    {
        let _ = kill_process(launcher, Signal::CONT);
    }
}
