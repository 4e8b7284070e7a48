//! Which Python interpreters ran below without recording.
//!
//! Pure: [`Interpreters`] is told what processes were seen, and at the end which of them
//! recorded. A process that was only forked runs on its parent's interpreter and is not
//! counted again. What is seen comes from [`super::processes`].

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A process as it was seen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Process id.
    pub pid: u32,
    /// Its id inside of a container of its own, by which it calls itself; the same outside of any.
    pub inner: u32,
    /// Process id of its parent.
    pub parent: u32,
    /// The file it executes, links resolved.
    pub executable: PathBuf,
    /// How it was called: the first word of its command line.
    pub called: PathBuf,
    /// A fingerprint of its whole command line, which itself is not kept.
    pub command: u64,
}

impl Sighting {
    /// Whether it executes a Python interpreter.
    pub fn is_python(&self) -> bool {
        is_python(&self.executable)
    }
}

/// Whether a file is called like a Python interpreter: `python3.13t`, `pypy3`.
pub fn is_python(executable: &Path) -> bool {
    let name = executable.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    ["python", "pypy"].iter().any(|stem| {
        name.strip_prefix(stem).is_some_and(|rest| {
            rest.trim_end_matches(['t', 'd'])
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    })
}

/// Every interpreter seen so far.
#[derive(Debug, Default)]
pub struct Interpreters {
    latest: HashMap<u32, Sighting>,
    /// By process id: the id by which it calls itself, and how its interpreter is shown.
    started: HashMap<u32, (u32, PathBuf)>,
}

impl Interpreters {
    /// Notes a process; again and again is fine.
    pub fn note(&mut self, seen: Sighting) {
        if self.latest.get(&seen.pid) == Some(&seen) {
            return;
        }
        let is_fork = self.latest.get(&seen.parent).is_some_and(|parent| {
            parent.executable == seen.executable && parent.command == seen.command
        });
        if seen.is_python() && !is_fork {
            let shown = if same_file(&seen.called, &seen.executable) {
                seen.called.clone()
            } else {
                seen.executable.clone()
            };
            self.started.insert(seen.pid, (seen.inner, shown));
        }
        self.latest.insert(seen.pid, seen);
    }

    /// The interpreters of processes that are not among `recorded`, each once.
    pub fn unrecorded(&self, recorded: &HashSet<u32>) -> Vec<String> {
        let names: BTreeSet<String> = self
            .started
            .iter()
            .filter(|(_, (inner, _))| !recorded.contains(inner))
            .map(|(_, (_, path))| path.display().to_string())
            .collect();
        names.into_iter().collect()
    }
}

/// A virtual environment's `python` says more than the file it links to.
fn same_file(called: &Path, executable: &Path) -> bool {
    called.is_absolute() && called.canonicalize().is_ok_and(|real| real == executable)
}

#[cfg(test)]
#[path = "interpreters_tests.rs"]
mod tests;
