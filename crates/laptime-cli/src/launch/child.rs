//! The measured program as a child process: its start, its stops, its end.
//!
//! The program shares the launcher's terminal and process group, so Ctrl-C and Ctrl-Z from the keyboard and signals to
//! the group reach it directly; what is sent to the launcher alone is [passed on](super::signals). It finds what it
//! would find without the launcher ([`Inherited`]). The launcher stops when the program stops and goes on with it,
//! outlives every signal that it passes on, and is not outlived: whoever kills it has killed the program.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use laptime_core::ProgramEnd;
use laptime_recorder::clock;
use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::inherited::Inherited;
use super::masks::Blocked;
use super::signals::SignalsPassedOn;
use super::streams;
use super::witness::Witness;

/// A started program.
#[derive(Debug)]
pub struct RunningProgram {
    child: Child,
    /// Goes before the handlers that ask it do.
    witness: Option<Witness>,
    signals: SignalsPassedOn,
}

/// A program that has ended. What is sent to the launcher does nothing before its [end](super::ending) is known.
#[derive(Debug)]
pub struct EndedProgram {
    /// How.
    pub end: ProgramEnd,
    _signals: SignalsPassedOn,
}

impl RunningProgram {
    /// Starts `command`, whose first word is `called`, or its path. `hosted` when the launcher itself runs inside Python.
    pub fn start(command: &mut Command, called: Option<&OsStr>, hosted: bool) -> io::Result<Self> {
        // What is sent before there is a program waits until there is one.
        let blocked = Blocked::all();
        // Where none can be had, a signal to the group may reach the program twice.
        let mut witness = Witness::start().ok();
        let signals = SignalsPassedOn::install(hosted);
        let inherited = Inherited {
            blocked: blocked.before(),
            ignores_children: signals.ignored(libc::SIGCHLD),
        };
        let mut child = inherited.spawn(command, called);
        // A limit on processes leaves room for the program alone.
        let has_no_room = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
        if child.as_ref().is_err_and(has_no_room) && witness.take().is_some() {
            child = inherited.spawn(command, called);
        }
        let child = child?;
        SignalsPassedOn::program_is(child.id());
        drop(blocked);
        streams::leave_to_program();
        Ok(Self {
            child,
            witness,
            signals,
        })
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> io::Result<EndedProgram> {
        while let Some(signal) = self.next_stop() {
            if let Some(witness) = &self.witness {
                witness.stop_with(self.child.id(), signal);
            }
        }
        let at = clock::monotonic_ns();
        // From here on its id may belong to somebody else.
        SignalsPassedOn::program_is_gone();
        let status = self.child.wait()?;
        Ok(EndedProgram {
            end: end(status, at),
            _signals: self.signals,
        })
    }

    /// Waits until the program stops, and returns by which signal, or `None` when it has ended. It isn't reaped then.
    fn next_stop(&self) -> Option<libc::c_int> {
        let program = || WaitId::Pid(Pid::from_child(&self.child));
        let changes = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        let change = retry_on_intr(|| waitid(program(), changes)).ok()??;
        let signal = change.stopping_signal()?;
        // Each stop is told once.
        let _ = waitid(program(), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
        Some(signal)
    }
}

fn end(status: ExitStatus, monotonic_ns: u64) -> ProgramEnd {
    ProgramEnd {
        monotonic_ns,
        code: status.code(),
        signal: status.signal(),
    }
}
