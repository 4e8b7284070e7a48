//! The folder that a run records into: where it is, and what `--force` may put it in place of.
//!
//! The recorder's own `folder` names it, makes it and writes `run.json` in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use laptime_reader::process_id;
use laptime_recorder::folder;

use crate::error::CliError;

/// A recording's folder, made and empty.
#[derive(Debug)]
pub struct RecordingFolder {
    /// As shown to the user.
    pub shown: PathBuf,
    /// Absolute, since the program may change directory.
    pub path: PathBuf,
}

/// Refuses a place that is taken, or clears it when `force` is given.
///
/// **Errors** when something is there that may not or cannot be replaced.
pub fn claim(path: &Path, force: bool) -> Result<(), CliError> {
    may_claim(path, force)?;
    match folder::remove(path) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CliError::NotARecording {
            path: path.to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Err(CliError::RecordingBusy {
            path: path.to_owned(),
        }),
        Err(source) => Err(CliError::Output {
            target: path.display().to_string(),
            source,
        }),
    }
}

/// Refuses a place that is taken, or can't be given up when `force` is given.
///
/// **Errors** when something is there that may not be replaced.
pub fn may_claim(path: &Path, force: bool) -> Result<(), CliError> {
    let path = path.to_owned();
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    if !folder::is_recording(&path) {
        return Err(CliError::NotARecording { path });
    }
    if !force {
        return Err(CliError::RecordingExists { path });
    }
    if folder::is_busy(&path) {
        return Err(CliError::RecordingBusy { path });
    }
    Ok(())
}

impl RecordingFolder {
    /// Makes the folder at `path`, and those above it.
    pub fn at(path: &Path) -> io::Result<Self> {
        if let Some(above) = path.parent() {
            let there = above
                .ancestors()
                .find(|place| place.symlink_metadata().is_ok());
            if let Some(place) = there.filter(|place| place.exists() && !place.is_dir()) {
                let why = format!("{} is not a folder", place.display());
                return Err(io::Error::new(io::ErrorKind::NotADirectory, why));
            }
            fs::create_dir_all(above)?;
        }
        folder::make(path)?;
        Self::made(path.to_owned())
    }

    /// The folder that was just made at `shown`.
    pub fn made(shown: PathBuf) -> io::Result<Self> {
        Ok(Self {
            path: fs::canonicalize(&shown)?,
            shown,
        })
    }

    /// Id of the process of each file that lies in it.
    pub fn recorded(&self) -> Vec<u32> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| process_id(entry.file_name().to_str()?));
        ids.collect()
    }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
