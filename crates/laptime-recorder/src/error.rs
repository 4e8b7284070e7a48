//! What can go wrong when a recording is started or finished.

use std::io;
use std::path::PathBuf;

/// Why a recording could not be made. Never raised by spans: those are dropped and counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecorderError {
    /// The folder could not be made.
    #[error("cannot create the recording {folder}: {source}")]
    Create {
        /// The recording's folder.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file in it could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// This process records already.
    #[error("this process already records into {folder}")]
    AlreadyRecording {
        /// The recording's folder.
        folder: PathBuf,
    },
}
