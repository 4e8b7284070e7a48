//! Threads and tasks of a run.

use serde::Serialize;

/// A thread or task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Track {
    /// Id of the process that it belongs to.
    pub pid: u32,
    /// The track's number in its process.
    pub track: u32,
    /// Whether it is a task rather than a thread.
    pub is_task: bool,
    /// The system's thread id.
    pub thread: u64,
    /// The track's name.
    pub name: String,
}
