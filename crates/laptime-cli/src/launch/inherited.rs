//! What the program finds as if nothing stood between it and whoever started the launcher.
//!
//! A process keeps what it has blocked and ignored, and its timers, when it becomes another program; a child has no
//! timers, and finds the launcher's own settings. And nobody kills a child with its parent unless that was asked for.

use std::ffi::OsStr;
use std::io;
use std::mem::zeroed;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::null_mut;

use super::image::Image;

/// What `alarm` and `setitimer` set.
const TIMERS: [libc::c_int; 3] = [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF];

/// What whoever started the launcher left it, for the program.
#[derive(Clone, Copy)]
pub struct Inherited {
    /// Signals that are blocked.
    pub blocked: libc::sigset_t,
    /// Whether children that end leave no exit code.
    pub ignores_children: bool,
}

impl Inherited {
    /// Starts a program that finds it, by its path; `called` is what it is told that it is called. Called by a thread that lives as long as the process: the program is killed
    /// with it.
    pub fn spawn(self, command: &mut Command, called: Option<&OsStr>) -> io::Result<Child> {
        let image = Image::of(command, called)?;
        let timers = TIMERS.map(|which| {
            // SAFETY: both structures are plain data of this function.
            unsafe {
                let (none, mut left): (libc::itimerval, libc::itimerval) = (zeroed(), zeroed());
                libc::setitimer(which, &raw const none, &raw mut left);
                left
            }
        });
        let launcher = std::process::id().cast_signed();
        // SAFETY: what is called is allowed between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != launcher {
                    libc::raise(libc::SIGKILL);
                }
                if self.ignores_children {
                    libc::signal(libc::SIGCHLD, libc::SIG_IGN);
                }
                for (which, left) in TIMERS.into_iter().zip(&timers) {
                    if left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0 {
                        libc::setitimer(which, &raw const *left, null_mut());
                    }
                }
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.blocked, null_mut());
                Err(image.run())
            });
        }
        command.spawn()
    }
}
