//! The measured program as a child process: its start, the signals meant for it, its end.
//!
//! The program shares the launcher's terminal and process group, so Ctrl-C and Ctrl-Z from the
//! keyboard and signals to the group reach it directly. Signals sent to the launcher alone (by
//! `kill`, a batch system, `timeout`) are passed on. The launcher outlives all of them, and leaves every
//! signal as it found it.

use std::collections::VecDeque;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};

use laptime_core::ProgramEnd;
use laptime_recorder::clock;

use crate::launch::witness::{self, Witness};

/// Signals that end or steer a program and that a launcher must not swallow.
const PASSED_ON: [libc::c_int; 7] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGCONT,
];

/// Process id of the running program; 0 while there is none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that arrived before the program existed.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// A started program.
#[derive(Debug)]
pub struct RunningProgram {
    child: Child,
    /// Goes before the handlers that ask it do.
    _witness: Option<Witness>,
    _signals: SignalsPassedOn,
}

impl RunningProgram {
    /// Starts `command`. `hosted` when the launcher itself runs inside Python.
    pub fn start(command: &mut Command, hosted: bool) -> io::Result<Self> {
        // Where none can be had, a signal to the group may reach the program twice.
        let witness = Witness::start(&PASSED_ON).ok();
        let signals = SignalsPassedOn::install(hosted);
        if signals.ignored(libc::SIGCHLD) {
            // SAFETY: `signal` is allowed between fork and exec.
            unsafe {
                command.pre_exec(|| {
                    libc::signal(libc::SIGCHLD, libc::SIG_IGN);
                    Ok(())
                });
            }
        }
        let child = command.spawn()?;
        let pid = child.id() as i32;
        PROGRAM.store(pid, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 {
            // SAFETY: `kill` touches no memory; the child has not been waited for, so the id is its own.
            unsafe { libc::kill(pid, early) };
        }
        Ok(Self {
            child,
            _witness: witness,
            _signals: signals,
        })
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> io::Result<ProgramEnd> {
        self.wait_without_reaping();
        let at = clock::monotonic_ns();
        // From here on its id may belong to somebody else.
        PROGRAM.store(0, Ordering::SeqCst);
        let status = self.child.wait()?;
        Ok(end(status, at))
    }

    fn wait_without_reaping(&self) {
        loop {
            let options = libc::WEXITED | libc::WNOWAIT;
            // SAFETY: an all-zero `siginfo_t` is a valid place to write to, and outlives the call.
            let result = unsafe {
                let mut information: libc::siginfo_t = std::mem::zeroed();
                libc::waitid(libc::P_PID, self.child.id(), &raw mut information, options)
            };
            let interrupted =
                result != 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            if !interrupted {
                return;
            }
        }
    }
}

fn end(status: ExitStatus, monotonic_ns: u64) -> ProgramEnd {
    ProgramEnd {
        monotonic_ns,
        code: status.code(),
        signal: status.signal(),
    }
}

/// The exit code that stands for how a program ended, as shells count it.
pub fn exit_code(end: &ProgramEnd) -> i32 {
    match (end.code, end.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => crate::exit_code::RUN_FAILED,
    }
}

/// While it lives, signals to the launcher go to the program.
#[derive(Debug)]
struct SignalsPassedOn {
    before: VecDeque<(libc::c_int, Saved)>,
}

/// How a signal was handled before.
struct Saved(libc::sigaction);

impl std::fmt::Debug for Saved {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Saved({:#x})", self.0.sa_sigaction)
    }
}

impl SignalsPassedOn {
    fn install(hosted: bool) -> Self {
        let mut signals = Self {
            before: VecDeque::new(),
        };
        // Handlers, unlike "ignore", are not inherited by the program.
        for signal in PASSED_ON {
            signals.replace(signal, pass_on as *const () as usize, |old| {
                old != libc::SIG_IGN
            });
        }
        // Python ignores it for itself, which the program would inherit.
        if hosted {
            signals.replace(libc::SIGXFSZ, drop_signal as *const () as usize, |_| true);
        }
        // A parent that ignores it would make the exit code unknowable.
        signals.replace(libc::SIGCHLD, libc::SIG_DFL, |old| old == libc::SIG_IGN);
        signals
    }

    /// Whether the program would have found a signal ignored without the launcher.
    fn ignored(&self, signal: libc::c_int) -> bool {
        let mut before = self.before.iter();
        before.any(|(one, saved)| *one == signal && saved.0.sa_sigaction == libc::SIG_IGN)
    }

    fn replace(&mut self, signal: libc::c_int, handler: usize, when: impl Fn(usize) -> bool) {
        // SAFETY: both structures are plain data of this function, valid when zeroed; the handlers
        // only store and load atomics and call `kill`, which POSIX lists as safe in a handler.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut old) != 0
                || !when(old.sa_sigaction)
            {
                return;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = handler;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            if libc::sigaction(signal, &raw const new, std::ptr::null_mut()) == 0 {
                self.before.push_front((signal, Saved(old)));
            }
        }
    }
}

impl Drop for SignalsPassedOn {
    fn drop(&mut self) {
        PROGRAM.store(0, Ordering::SeqCst);
        for (signal, saved) in &self.before {
            // SAFETY: puts back what the same call returned.
            unsafe { libc::sigaction(*signal, &raw const saved.0, std::ptr::null_mut()) };
        }
    }
}

/// Passes a signal on unless the keyboard sent it or it went to the whole group, because then the
/// program has it already.
extern "C" fn pass_on(
    signal: libc::c_int,
    information: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: with SA_SIGINFO the kernel passes a valid structure.
    let from_process = unsafe { (*information).si_code } <= 0;
    // Asked of the keyboard's signals too: the witness forgets them by answering.
    let to_group = signal != libc::SIGCONT && witness::saw(signal);
    if !from_process || to_group {
        return;
    }
    let program = PROGRAM.load(Ordering::SeqCst);
    if signal == libc::SIGCONT && (program == 0 || !is_stopped(program)) {
        return; // A shell sends it to both.
    }
    if program == 0 {
        EARLY.store(signal, Ordering::SeqCst);
    } else {
        // SAFETY: `kill` is safe in a handler; the id is cleared before the program is reaped.
        unsafe { libc::kill(program, signal) };
    }
}

/// Whether a child is stopped.
fn is_stopped(child: libc::pid_t) -> bool {
    let options = libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: one system call that fills in a structure which is valid when zeroed.
    unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        let asked = libc::waitid(
            libc::P_PID,
            child.cast_unsigned(),
            &raw mut information,
            options,
        );
        asked == 0 && information.si_pid() == child
    }
}

extern "C" fn drop_signal(
    _signal: libc::c_int,
    _information: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
}
