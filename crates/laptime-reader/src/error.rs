//! Why a recording could not be read: with the file and, inside it, the offset.

use std::io;
use std::path::{Path, PathBuf};

use laptime_core::FormatError;

use crate::other_file::OtherFile;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing is there.
    #[error("{}: no such file", path.display())]
    Missing {
        /// As given.
        path: PathBuf,
    },
    /// The system refused to open or read a file.
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
    /// The bytes of a file are not what a writer writes.
    #[error("{}: {source}", path.display())]
    Damaged {
        /// The process file, or the run's description.
        path: PathBuf,
        /// What is wrong, with the offset.
        source: Damage,
    },
    /// The table of contents of a packed recording is damaged.
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
    #[error("{}: damaged run description: {source}", path.display())]
    Run {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A file of benchmarks that is not what Laptime writes.
    #[error("{}: not benchmarks that Laptime wrote: {why}", path.display())]
    Benchmarks {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// What isn't a file of benchmarks, where all others are.
    #[error("{} is {is}, but the base is a file of benchmarks", path.display())]
    NoBenchmarks {
        /// As given.
        path: PathBuf,
        /// What it is.
        is: OtherFile,
    },
    /// Other JSON that Laptime wrote.
    #[error("{}: not a Laptime recording: it is {is}", path.display())]
    OtherFile {
        /// As given.
        path: PathBuf,
        /// What it is.
        is: OtherFile,
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

impl ReadError {
    /// Whether reading on without the damaged part could help.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { source, .. } => source.is_local(),
            Self::Packed { .. } | Self::Run { .. } => true,
            _ => false,
        }
    }

    /// Whether what was named is there no recording at all.
    pub fn is_no_recording(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::NotARecording { .. } | Self::OtherFile { .. } => true,
            Self::Damaged { source, .. } => {
                matches!(source, Damage::Format(FormatError::Foreign { .. }))
            }
            _ => false,
        }
    }

    /// What it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::Read { path, .. }
            | Self::NotARecording { path }
            | Self::Damaged { path, .. }
            | Self::Packed { path, .. }
            | Self::Run { path, .. }
            | Self::Benchmarks { path, .. }
            | Self::NoBenchmarks { path, .. }
            | Self::OtherFile { path, .. }
            | Self::ReferenceLoop { path, .. } => path,
        }
    }

    /// Whether a later Laptime wrote it.
    pub fn is_newer(&self) -> bool {
        matches!(
            self,
            Self::Damaged {
                source: Damage::Format(FormatError::Newer { .. }),
                ..
            }
        )
    }
}

/// What is wrong with the bytes of one process's file.
///
/// **Units** offsets are bytes from the start of the process's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The bytes are not what the format says.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A window that was written after another start of the machine stands in the file.
    #[error(
        "the window at offset {offset} has boot id {found:016x}, the file's header {expected:016x}: one of them is damaged, or of another start of the machine"
    )]
    OtherBoot {
        /// Where the window starts.
        offset: u64,
        /// Start of the boot id in the window.
        found: u64,
        /// Start of the boot id in the file's header.
        expected: u64,
    },
    /// A window of another process stands in the file.
    #[error("the window at offset {offset} belongs to process {found}, expected {expected}")]
    OtherProcess {
        /// Where the window starts.
        offset: u64,
        /// Process id in the window.
        found: u32,
        /// Process id in the file's header.
        expected: u32,
    },
    /// A window of another place stands here: it was copied, or others before it are missing.
    #[error("the window at offset {offset} is number {found} of its file, expected {expected}")]
    OtherPlace {
        /// Where the window starts.
        offset: u64,
        /// Number in the window, from 0.
        found: u64,
        /// Number that belongs here.
        expected: u64,
    },
    /// The window is not as it was when it was read first.
    #[error("the window at offset {offset} changed while it was read")]
    Changed {
        /// Where the window starts.
        offset: u64,
    },
    /// A record uses a path that nothing defined, or defines one a second time differently.
    #[error("the window at offset {offset} {what} path {path}")]
    Path {
        /// Where the window starts.
        offset: u64,
        /// The path's number in the file.
        path: u32,
        /// What the window does with it.
        what: &'static str,
    },
}

impl Damage {
    /// Whether other parts of the recording may be intact.
    fn is_local(&self) -> bool {
        match self {
            Self::Format(source) => matches!(
                source,
                FormatError::Checksum { .. }
                    | FormatError::Record { .. }
                    | FormatError::Header { .. }
                    | FormatError::ShortHeader { .. }
            ),
            Self::Changed { .. } => false,
            _ => true,
        }
    }
}
