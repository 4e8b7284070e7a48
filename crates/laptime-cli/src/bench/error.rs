//! Why a command could not be measured, with the exit code and the hint that helps.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use laptime_report::quantity::plural;

use crate::exit_code::{ERROR, NOT_FOUND, USAGE};
use crate::messages::quoted;

/// Why a command could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A command that is measured failed.
    #[error("{command} failed: {status}{}", if said.is_empty() { String::new() } else { format!(" ({said})") })]
    Failed {
        /// As it was run.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The last line that it wrote to its standard error.
        said: String,
    },
    /// A run of a command took longer than it may.
    #[error("{command} took longer than {seconds} s, and was killed")]
    Timeout {
        /// As it was run.
        command: String,
        /// What was allowed.
        seconds: f64,
    },
    /// A command to measure, run without a shell, that could not be started.
    #[error("cannot run {command}: {source}")]
    Start {
        /// As typed.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A file that its name says is something else than JSON.
    #[error("--output writes JSON, and {} is none by its name", path.display())]
    NotJson {
        /// As typed.
        path: PathBuf,
    },
    /// A command to measure that is nothing.
    #[error("a command is empty: there is nothing to measure")]
    EmptyCommand,
    /// A command that can't be split into words, without a shell to do it.
    #[error(
        "cannot split {command} into words: a quote has no end, or nothing follows a backslash"
    )]
    Unsplit {
        /// As typed, with the values of its parameters.
        command: String,
    },
    /// One command that is to be compared with the first.
    #[error("--fail-if-slower takes two commands or more: there is nothing to be slower than")]
    NothingToBeat,
    /// A parameter whose place is in no command.
    #[error("-L: {place} is in no command")]
    NoPlace {
        /// As it would stand in a command.
        place: String,
    },
    /// More names than commands to measure.
    #[error("{names} names for {}", plural(*commands as u64, "command", "commands"))]
    TooManyNames {
        /// How many names.
        names: usize,
        /// How many commands.
        commands: usize,
    },
}

impl BenchError {
    /// The exit code it leads to: what was typed wrongly, or what failed.
    pub fn code(&self) -> i32 {
        match self {
            Self::Failed { .. } | Self::Timeout { .. } | Self::Start { .. } => ERROR,
            _ => USAGE,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Failed { status, .. } if status.code() == Some(NOT_FOUND) => {
                Some("the shell finds no such command: look at its name, and at PATH".to_owned())
            }
            Self::Failed { .. } => {
                Some("--ignore-failure counts runs that fail too".to_owned())
            }
            Self::Timeout { seconds, .. } => {
                Some(format!("--timeout {} lets it take longer", seconds * 5.0))
            }
            Self::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(
                "-N finds programs only: what a shell knows itself, such as cd or a | b, needs one, so leave out -N"
                    .to_owned(),
            ),
            Self::NotJson { path } => Some(format!(
                "-o {} keeps every sample; --format markdown prints a table for a page",
                quoted(&path.with_extension("json"))
            )),
            Self::EmptyCommand => Some(
                "write each command as one argument, such as laptime bench './old 5' './new 5'".to_owned(),
            ),
            Self::Unsplit { .. } => {
                Some("end the quote, or leave out -N: then a shell reads the command".to_owned())
            }
            Self::NoPlace { place } => Some(format!(
                "write {place} where its values belong, such as './solve --threads {place}'"
            )),
            Self::TooManyNames { .. } => {
                Some("-n stands once for each command, in their order".to_owned())
            }
            _ => None,
        }
    }
}
