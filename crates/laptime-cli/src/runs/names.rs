//! How a recording is named: `train-1` finds `train-1.lap`, here or in `.laptime/runs`.
//!
//! Every command that takes recordings has what was typed found here, before it sees it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::folder::RUNS;
use crate::messages::quoted;

/// The recording that a name stands for. What is there under the very name, and what is nowhere, stays as it is.
pub fn found(typed: &Path) -> PathBuf {
    let mut parts = typed.components();
    let is_bare = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    if !is_bare || is_recording(typed) || typed.is_file() {
        return typed.to_owned();
    }
    let mut with_ending = typed.as_os_str().to_owned();
    // What follows the dot of `run-0.1` is no ending.
    with_ending.push(".lap");
    let runs = Path::new(RUNS);
    let places = [
        PathBuf::from(&with_ending),
        runs.join(typed),
        runs.join(&with_ending),
    ];
    let mut places = places.into_iter().filter(|path| is_recording(path));
    places.next().unwrap_or_else(|| typed.to_owned())
}

/// What to type in a shell for a recording: its name where that finds it, else its path.
pub fn shortest(path: &Path) -> String {
    quoted(shortest_name(path))
}

/// The name of a recording where that finds it, else its path.
pub fn shortest_name(path: &Path) -> &Path {
    let name = path.file_name().map_or(path, Path::new);
    let is_no_option = !name.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_no_option && path.parent() == Some(Path::new(RUNS)) && found(name) == path {
        return name;
    }
    path
}

/// Whether a path names a recording that is there.
pub fn is_recording(path: &Path) -> bool {
    let is_called = path.extension() == Some(OsStr::new("lap"));
    path.join("run.json").is_file() || (is_called && path.exists())
}
