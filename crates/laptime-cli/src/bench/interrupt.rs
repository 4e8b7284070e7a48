//! Ctrl-C ends a measurement, whoever else would take the signal: an interpreter that started this
//! command only notes it.

/// While it is there, the system's own answer to Ctrl-C stands.
pub struct EndsAtInterrupt {
    before: libc::sighandler_t,
}

impl EndsAtInterrupt {
    pub fn new() -> Self {
        // SAFETY: no handler is installed that could run.
        let before = unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        // Who is started with it ignored, as in the background of a script, goes on ignoring it.
        if before == libc::SIG_IGN {
            // SAFETY: as above.
            unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
        }
        Self { before }
    }
}

impl Drop for EndsAtInterrupt {
    fn drop(&mut self) {
        if self.before != libc::SIG_ERR {
            // SAFETY: what stood there before.
            unsafe { libc::signal(libc::SIGINT, self.before) };
        }
    }
}
