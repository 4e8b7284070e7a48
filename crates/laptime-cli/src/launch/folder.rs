//! The folder of a recording: its name, its making, and `run.json` in it.
//!
//! Folders are 0700 and files 0600, since names of spans may tell what a program does.
//! `run.json` is replaced by renaming, so that a reader never sees half of it.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use laptime_core::RunInfo;
use laptime_core::run::{PROCESS_EXTENSION, REFERENCE_LINE};

use crate::error::CliError;
use laptime_reader::process_id;

/// Extension of recordings.
const EXTENSION: &str = "lap";
/// Where `run.json` is written before it gets its name.
const UNFINISHED: &str = ".run.json.new";
/// Tries for a default name that nobody else takes at the same moment.
const MAX_TRIES: u32 = 1_000;

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
    let Ok(found) = path.symlink_metadata() else {
        return Ok(());
    };
    if !force {
        return Err(CliError::RecordingExists {
            path: path.to_owned(),
        });
    }
    if !is_recording(path) {
        return Err(CliError::NotARecording {
            path: path.to_owned(),
        });
    }
    let removed = if found.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.map_err(|source| CliError::Output {
        target: path.display().to_string(),
        source,
    })
}

/// Whether a path holds a recording and nothing else: what `--force` may delete.
fn is_recording(path: &Path) -> bool {
    if let Ok(mut entries) = fs::read_dir(path) {
        return entries.all(|entry| {
            entry.is_ok_and(|entry| {
                let name = PathBuf::from(entry.file_name());
                let is_ours = name == Path::new(RunInfo::FILE_NAME)
                    || name == Path::new(UNFINISHED)
                    || name.extension().is_some_and(|is| is == PROCESS_EXTENSION)
                    || is_draft(&name);
                is_ours && entry.file_type().is_ok_and(|kind| kind.is_file())
            })
        });
    }
    let mut start = [0; 8];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| {
            start == *b"LAPTIME\0"
                || start == *b"run.json"
                || REFERENCE_LINE.as_bytes().starts_with(&start)
        })
}

/// Whether a name is that of a process file before it has its header: `<process>-<nonce>.new`. A
/// process that was killed just then leaves it.
fn is_draft(name: &Path) -> bool {
    let parts = name
        .to_str()
        .and_then(|name| name.strip_suffix(".new")?.split_once('-'));
    parts.is_some_and(|(process, nonce)| {
        process.parse::<u32>().is_ok() && nonce.len() == 8 && u32::from_str_radix(nonce, 16).is_ok()
    })
}

impl RecordingFolder {
    /// Makes the folder at `path`, and those above it.
    pub fn at(path: &Path) -> io::Result<Self> {
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        make(path)?;
        Self::made(path.to_owned())
    }

    /// Makes `<stem>-<n>.lap` in the current folder, with an `n` above every one there.
    pub fn next(stem: &str) -> io::Result<Self> {
        Self::made(first_free(stem, make)?)
    }

    fn made(shown: PathBuf) -> io::Result<Self> {
        Ok(Self {
            path: fs::canonicalize(&shown)?,
            shown,
        })
    }

    /// Ids of the processes that recorded.
    pub fn recorded(&self) -> HashSet<u32> {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return HashSet::new();
        };
        entries
            .flatten()
            .filter_map(|entry| process_id(entry.file_name().to_str()?))
            .collect()
    }

    /// Replaces `run.json`.
    pub fn write(&self, info: &RunInfo) -> io::Result<()> {
        let bytes = info.to_json();
        let unfinished = self.path.join(UNFINISHED);
        let target = self.path.join(RunInfo::FILE_NAME);
        write_new(&unfinished, &bytes)
            .and_then(|()| fs::rename(&unfinished, &target))
            .or_else(|error| {
                let _ = fs::remove_file(&unfinished);
                // A full disk has no room for a second file, but the first one's block is there.
                write_over(&target, &bytes).map_err(|_| error)
            })
    }

    /// Takes back a folder of a program that was not started, or that cannot be written to.
    pub fn discard(self) {
        // What is left if this fails too is an empty recording.
        let _ = fs::remove_file(self.path.join(UNFINISHED));
        let _ = fs::remove_file(self.path.join(RunInfo::FILE_NAME));
        let _ = fs::remove_dir(&self.path);
    }
}

/// Leaves a file at `output`, or under the next free name, that refers to the recording `outer`.
pub fn refer(outer: &Path, output: Option<&Path>, stem: &str) -> io::Result<PathBuf> {
    let leave = |path: &Path| {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        writeln!(file, "{REFERENCE_LINE}\n{}", outer.display())
    };
    match output {
        Some(path) => leave(path).map(|()| path.to_owned()),
        None => first_free(stem, leave),
    }
}

/// Tries `<stem>-<n>.lap` with growing `n` until `take` finds one that nobody has.
fn first_free(stem: &str, take: impl Fn(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let first = 1 + highest(stem);
    for number in first..first.saturating_add(MAX_TRIES) {
        let path = PathBuf::from(format!("{stem}-{number}.{EXTENSION}"));
        match take(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Made anew: a link that stands in its place must not lead the bytes elsewhere.
    let _ = fs::remove_file(path);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(bytes)
}

fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// The highest `n` of `<stem>-<n>.lap` in the current folder, 0 without any.
fn highest(stem: &str) -> u32 {
    let Ok(entries) = fs::read_dir(".") else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name
                .strip_prefix(stem)?
                .strip_prefix('-')?
                .strip_suffix(EXTENSION)?
                .strip_suffix('.')?;
            number.parse::<u32>().ok()
        })
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
