//! All recordings of the working folder, the newest first.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::folder::RUNS;
use super::found::{FoundRecording, Outcome};

/// The recordings of the working folder: those of `.laptime/runs`, and those that lie in it.
pub fn here() -> Vec<FoundRecording> {
    newest_first(&[paths(Path::new(RUNS)), paths(Path::new(""))].concat())
}

/// The recordings of `.laptime/runs`.
pub fn of_runs() -> Vec<FoundRecording> {
    newest_first(&paths(Path::new(RUNS)))
}

/// The one that was started last: one of its own, of which something is known. Where nothing is known of any, the newest:
/// reading it says what is wrong with it.
pub fn last() -> Option<FoundRecording> {
    let mut own = here();
    own.retain(|one| one.outcome != Outcome::Reference);
    let known = own
        .iter()
        .position(|one| one.outcome != Outcome::Undescribed);
    own.into_iter().nth(known.unwrap_or(0))
}

/// What is called like a recording in a folder, by name.
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let place = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = place.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| path.extension() == Some(OsStr::new("lap")))
        .collect();
    found.sort();
    found
}

fn newest_first(paths: &[PathBuf]) -> Vec<FoundRecording> {
    let mut found: Vec<FoundRecording> = paths
        .iter()
        .filter_map(|path| FoundRecording::at(path))
        .collect();
    // Of a recording and the file that was made of it, the recording itself.
    found.sort_by_cached_key(|one| {
        (
            Reverse(one.started_ns),
            !one.path.is_dir(),
            one.path.clone(),
        )
    });
    found
}
