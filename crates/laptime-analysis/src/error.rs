//! Why a recording could not be summarised: the file's name with the format's error.

use laptime_core::FormatError;

/// Why bytes of a recording could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The bytes are not what a writer writes; the source says where and what.
    #[error("{file}: {source}")]
    Format {
        /// Name of the process file.
        file: String,
        /// What is wrong, with its byte offset.
        source: FormatError,
    },
    /// A window that was written after another start of the machine stands in the file.
    #[error(
        "{file}: the window at offset {offset} has boot id {found:016x}, the file's header {expected:016x}: one of them is damaged, or of another start of the machine"
    )]
    OtherBoot {
        /// Name of the process file.
        file: String,
        /// Where the window starts, in bytes.
        offset: u64,
        /// Start of the boot id in the window.
        found: u64,
        /// Start of the boot id in the file's header.
        expected: u64,
    },
    /// A window of another process stands in the file.
    #[error(
        "{file}: the window at offset {offset} belongs to process {found}, expected {expected}"
    )]
    Foreign {
        /// Name of the process file.
        file: String,
        /// Where the window starts, in bytes.
        offset: u64,
        /// Process id in the window.
        found: u32,
        /// Process id in the file's header.
        expected: u32,
    },
    /// A record uses a path that nothing defined, or defines one a second time differently.
    #[error("{file}: the window at offset {offset} {what} path {path}")]
    Path {
        /// Name of the process file.
        file: String,
        /// Where the window starts, in bytes.
        offset: u64,
        /// The path's number.
        path: u32,
        /// What the window does with it.
        what: &'static str,
    },
}
