//! Why a recording could not be read, with the file and the offset in it.

use std::io;
use std::path::PathBuf;

use laptime_analysis::AnalysisError;
use laptime_core::FormatError;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Nothing there.
    #[error("{}: no such file", path.display())]
    Missing {
        /// As given.
        path: PathBuf,
    },
    /// The system refused to open or read it.
    #[error("{}: cannot read at offset {offset}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Where reading failed, in bytes from its start.
        offset: u64,
        /// The system's reason.
        source: io::Error,
    },
    /// A folder that is no recording.
    #[error("{}: not a Laptime recording: the folder holds neither run.json nor a process file", path.display())]
    NotARecording {
        /// The folder.
        path: PathBuf,
    },
    /// A process file's bytes are not what the format says.
    #[error("{}: {source}", path.display())]
    Format {
        /// The process file.
        path: PathBuf,
        /// What is wrong, with the offset.
        source: FormatError,
    },
    /// Its windows contradict each other.
    #[error("{}: {source}", path.parent().unwrap_or(path).display())]
    Analysis {
        /// The process file.
        path: PathBuf,
        /// The file's name and what is wrong, with the offset.
        source: AnalysisError,
    },
    /// A packed recording's table of contents is damaged.
    #[error("{}: damaged packed recording at offset {offset}: {source}", path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// Where the last good entry ends, in bytes from the start.
        offset: u64,
        /// What is wrong.
        source: io::Error,
    },
    /// `run.json` is not what a launcher writes.
    #[error("{}: damaged run description at line {}: {source}", path.display(), source.line())]
    Run {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// References that lead in a circle, or nowhere.
    #[error("{}: the reference leads to more than {limit} others", path.display())]
    ReferenceLoop {
        /// The first reference.
        path: PathBuf,
        /// How many are followed.
        limit: usize,
    },
}

impl SourceError {
    /// Whether reading on without the damaged part could help.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Format { source, .. } => matches!(
                source,
                FormatError::Checksum { .. }
                    | FormatError::Record { .. }
                    | FormatError::Header { .. }
                    | FormatError::ShortHeader { .. }
            ),
            Self::Analysis { .. } | Self::Packed { .. } | Self::Run { .. } => true,
            _ => false,
        }
    }
}
