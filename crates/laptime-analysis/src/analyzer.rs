//! Takes in a recording, process by process and window by window.
//!
//! Processes and windows may come in any order, but for windows of one writer in which a
//! span goes on that the window before began. With a steady state in sight
//! ([`Analyzer::wants_second_pass`]) the first windows, and few others, are fed once more
//! ([`Analyzer::wants_window`]).

use laptime_core::format::process::window_offset;
use laptime_core::{Live, RunInfo, Warning};

use crate::error::AnalysisError;
use crate::finish;
use crate::process::Process;
use crate::steady;
use crate::summary::Summary;

/// What the caller knows and wants.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The launcher's description of the run.
    pub run: Option<RunInfo>,
    /// Whether damage is an error rather than a warning.
    pub strict: bool,
    /// Whether each process's rows are told by themselves too.
    pub by_process: bool,
}

/// One process of the run being analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessKey(usize);

/// Sums up a recording; its memory does not grow with the number of spans.
#[derive(Debug)]
pub struct Analyzer {
    options: Options,
    processes: Vec<Process>,
    warnings: Vec<Warning>,
    /// When the steady state of each process begins, once it was asked for.
    since_ns: Option<Vec<u64>>,
    is_second_pass: bool,
}

impl Analyzer {
    /// Nothing taken in yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            processes: Vec::new(),
            warnings: Vec::new(),
            since_ns: None,
            is_second_pass: false,
        }
    }

    /// Begins a process file with its first `PREFIX_LEN` bytes, or as many as it has.
    ///
    /// **Errors** when these are not the start of a process file, whether strict or not: a
    /// caller that has further files may go on and [`Self::warn`].
    pub fn process(&mut self, prefix: &[u8], name: &str) -> Result<ProcessKey, AnalysisError> {
        let process = Process::new(prefix, name).map_err(|source| AnalysisError::Format {
            file: name.to_owned(),
            source,
        })?;
        self.processes.push(process);
        Ok(ProcessKey(self.processes.len() - 1))
    }

    /// Takes in the slot at `offset` of the process's file: `WINDOW_LEN` bytes, fewer at the end.
    ///
    /// **Errors** at damage when strict; otherwise the damage becomes a warning and what was
    /// read of the window before it counts.
    pub fn window(
        &mut self,
        process: ProcessKey,
        bytes: &[u8],
        offset: u64,
    ) -> Result<(), AnalysisError> {
        match self.processes[process.0].window(bytes, offset) {
            Err(error) if self.options.strict => Err(error),
            Err(error) => {
                if !self.is_second_pass {
                    self.warnings.push(damage(&error));
                }
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Takes in a snapshot of the running process.
    pub fn live(&mut self, live: &Live) -> ProcessKey {
        self.processes.push(Process::of_live(live));
        let key = ProcessKey(self.processes.len() - 1);
        self.live_windows(key, live);
        key
    }

    /// Feeds a snapshot's windows again, in the second pass.
    pub fn live_again(&mut self, process: ProcessKey, live: &Live) {
        self.live_windows(process, live);
    }

    fn live_windows(&mut self, key: ProcessKey, live: &Live) {
        for (index, bytes) in (0..).zip(&live.head) {
            if let Err(error) = self.processes[key.0].window(bytes, window_offset(index)) {
                self.warnings.push(damage(&error));
            }
        }
    }

    /// Adds a reason for doubt that the caller found, such as a process file it had to leave out.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Whether a steady state was found whose numbers need the same windows once more.
    pub fn wants_second_pass(&mut self) -> bool {
        if !self.is_second_pass {
            let Options {
                run, by_process, ..
            } = &self.options;
            self.since_ns = steady::moments(&self.processes, run.as_ref(), *by_process);
        }
        self.since_ns.is_some()
    }

    /// From here on the windows of all processes are fed again, with the same keys; those that
    /// [`Self::wants_window`] declines need not be.
    ///
    /// Does nothing when [`Self::wants_second_pass`] found no steady state.
    pub fn begin_second_pass(&mut self) {
        let Some(since_ns) = self.since_ns.take() else {
            return;
        };
        for (process, since_ns) in self.processes.iter_mut().zip(since_ns) {
            process.begin_second_pass(since_ns);
        }
        self.is_second_pass = true;
    }

    /// Whether the second pass learns anything from the slot at `offset`.
    pub fn wants_window(&self, process: ProcessKey, offset: u64) -> bool {
        self.processes[process.0].wanted_before(offset).is_some()
    }

    /// Has all windows of a process fed twice.
    #[cfg(test)]
    pub(crate) fn read_all_twice(&mut self, process: ProcessKey) {
        self.processes[process.0].earlier.never_cut();
    }

    /// Everything known about the run.
    pub fn finish(self) -> Summary {
        finish::summary(self.options, self.processes, self.warnings)
    }
}

fn damage(error: &AnalysisError) -> Warning {
    Warning::new("damaged", error.to_string())
        .with_hint("what was read before the damage counts; the rest of that window does not")
}

/// The summary of a running process, steady state included where it can be told.
pub fn summarize_live(live: &Live, run: Option<RunInfo>) -> Summary {
    let mut analyzer = Analyzer::new(Options {
        run,
        ..Options::default()
    });
    let key = analyzer.live(live);
    if analyzer.wants_second_pass() {
        analyzer.begin_second_pass();
        analyzer.live_again(key, live);
    }
    analyzer.finish()
}

#[cfg(test)]
#[path = "analyzer_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "absent_tests.rs"]
mod absent_tests;

#[cfg(test)]
#[path = "analyzer_property_tests.rs"]
mod property_tests;

#[cfg(test)]
#[path = "live_tests.rs"]
mod live_tests;
