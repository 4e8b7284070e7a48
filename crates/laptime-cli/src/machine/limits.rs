//! What the system allows a recording: space, file size, mapping, a look at processes.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};
use serde::Serialize;

/// What the system allows.
#[derive(Debug, Serialize)]
pub struct Limits {
    /// Bytes free for this user where recordings go.
    pub free_bytes: Option<u64>,
    /// Largest file allowed (`ulimit -f`); `None` without a limit.
    pub file_size_limit_bytes: Option<u64>,
    /// Whether recordings can be mapped into memory here; they are written otherwise.
    pub mapping: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping_why: Option<String>,
    /// Whether processes below a run can be seen in `/proc`.
    pub processes_visible: bool,
}

impl Limits {
    /// Asks the system. `mapping` was found out by trying.
    pub fn of(folder: &Path, mapping: Result<(), String>) -> Self {
        Self {
            free_bytes: free_bytes(folder),
            file_size_limit_bytes: file_size_limit(),
            mapping: mapping.is_ok(),
            mapping_why: mapping.err(),
            processes_visible: fs::read("/proc/self/stat").is_ok()
                && fs::read_link("/proc/self/exe").is_ok(),
        }
    }
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail * found.f_frsize)
}

fn file_size_limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}
