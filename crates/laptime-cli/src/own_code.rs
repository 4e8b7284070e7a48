//! Python that runs Laptime's own code, started where somebody else's files may lie.
//!
//! `python -m` and `python -c` look for modules in the current folder first, and before that in
//! what relative entries of `PYTHONPATH` make of it: a `torch.py` that came with a model's
//! `config.json` would be run. Here both are gone before anything is imported. Absolute entries,
//! the user's site and `sitecustomize` are the user's own, and stay.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Python looks for modules first, by the user's word.
const PLACES: &str = "PYTHONPATH";
/// Keeps the current folder out of the interpreter's start, from Python 3.11 on.
const SAFE: &str = "PYTHONSAFEPATH";
/// Does the same for 3.10, which imports nothing before this line.
const PREFACE: &str = "import sys; sys.path[:] = [at for at in sys.path if at.startswith('/')]\n";

/// A command that runs `code`, to be given the code's arguments.
pub fn command(python: &Path, code: &str) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-c", &format!("{PREFACE}{code}")])
        .env(SAFE, "1")
        // Counting and measuring are no runs to record.
        .env("LAPTIME", "0");
    let (absolute, relative): (Vec<_>, Vec<_>) = places().partition(|place| place.is_absolute());
    if !relative.is_empty() {
        command.env_remove(PLACES);
        if let Ok(joined) = env::join_paths(absolute) {
            command.env(PLACES, joined);
        }
    }
    command
}

/// The places that [`command`] has left out, for code that is to find the user's own modules: relative
/// entries of `PYTHONPATH`, then the current folder.
pub fn left_out() -> Vec<PathBuf> {
    let here = env::current_dir().unwrap_or_default();
    let relative = places().filter(|place| place.is_relative());
    let mut all: Vec<PathBuf> = relative.map(|place| here.join(place)).collect();
    all.push(here);
    all
}

fn places() -> impl Iterator<Item = PathBuf> {
    let typed = env::var_os(PLACES).filter(|typed| !typed.is_empty());
    let all: Vec<PathBuf> = typed.iter().flat_map(env::split_paths).collect();
    all.into_iter()
}
