//! What the caller knows of a run, and wants of its summary.

use laptime_core::RunInfo;

/// What the caller knows and wants.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The launcher's description of the run.
    pub run: Option<RunInfo>,
    /// Whether each process's rows are told by themselves too.
    pub by_process: bool,
}
