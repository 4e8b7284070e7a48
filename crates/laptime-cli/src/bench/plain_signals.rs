//! Signals do, while commands are measured, what they do where no interpreter started this command: one only notes
//! Ctrl-C, and ignores that a file is too large, which the commands would inherit.

use std::env;

use laptime_recorder::environment::PYTHON_VARIABLE;

/// While it is there, the system's own answers stand.
pub struct PlainSignals(Vec<(i32, libc::sighandler_t)>);

impl PlainSignals {
    pub fn new() -> Self {
        let is_hosted = env::var_os(PYTHON_VARIABLE).is_some();
        let changed = [libc::SIGINT]
            .into_iter()
            .chain(is_hosted.then_some(libc::SIGXFSZ));
        let before = changed.map(|signal| {
            // SAFETY: no handler is installed that could run.
            let before = unsafe { libc::signal(signal, libc::SIG_DFL) };
            // Who is started with it ignored, as in the background of a script, goes on ignoring it.
            if before == libc::SIG_IGN && signal == libc::SIGINT {
                // SAFETY: as above.
                unsafe { libc::signal(signal, libc::SIG_IGN) };
            }
            (signal, before)
        });
        Self(before.collect())
    }
}

impl Drop for PlainSignals {
    fn drop(&mut self) {
        for (signal, before) in &self.0 {
            if *before != libc::SIG_ERR {
                // SAFETY: what stood there before.
                unsafe { libc::signal(*signal, *before) };
            }
        }
    }
}
