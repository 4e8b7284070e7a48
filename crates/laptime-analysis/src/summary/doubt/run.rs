//! Reasons to doubt a run: what its recorders noted, how it ended, and what was not recorded.

/// A reason to doubt the run as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum RunDoubt {
    /// Recorders noted something.
    Noted {
        /// The notes' code, such as `device.unavailable`.
        code: String,
        /// The different texts noted under it.
        messages: Vec<String>,
    },
    /// Worker processes were ended in the midst of a lap.
    WorkersEnded {
        /// Such workers.
        count: u64,
        /// The lap that had been open longest in one of them.
        path: String,
        /// How long it had been open, in nanoseconds.
        age_ns: u64,
    },
    /// A signal ended the program.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// Interpreters ran that didn't record.
    Unrecorded {
        /// Their paths.
        interpreters: Vec<String>,
    },
    /// A profiler was on for some steps.
    ProfiledSteps,
    /// Operators that a profiler saw were left out.
    OperatorsLeftOut {
        /// Such operators.
        count: u64,
    },
}

impl RunDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::Noted { code, .. } => code,
            Self::WorkersEnded { .. } => "workers-ended",
            Self::Signal { .. } => "signal",
            Self::Unrecorded { .. } => "unrecorded",
            Self::ProfiledSteps => "profiled-steps",
            Self::OperatorsLeftOut { .. } => "kernels-bounded",
        }
    }
}
