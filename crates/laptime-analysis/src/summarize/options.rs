//! Options of a summary: facts about the run that only the caller knows, and what it wants.

use laptime_core::RunInfo;

/// Options of a summary.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The launcher's description of the run.
    pub run: Option<RunInfo>,
    /// Whether the rows of each process are told by themselves too.
    pub by_process: bool,
}
