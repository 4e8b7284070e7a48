//! The processes below the program, read from Linux's `/proc`.
//!
//! A look costs a directory listing and one short file per process that is new, so it is
//! skipped while the system has started nothing since the last one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::interpreters::Sighting;

/// Looks left out at most while nothing new was started: a process can become another
/// program without a new id.
const MAX_SKIPPED: u32 = 10;

/// The tree of processes below one of them.
#[derive(Debug)]
pub struct Descendants {
    below: HashSet<u32>,
    parents: HashMap<u32, u32>,
    last_started: Option<u64>,
    skipped: u32,
}

impl Descendants {
    /// The tree below `root`, itself included.
    pub fn of(root: u32) -> Self {
        Self {
            below: HashSet::from([root]),
            parents: HashMap::new(),
            last_started: None,
            skipped: 0,
        }
    }

    /// What runs now; nothing when no process was started since the last look.
    pub fn look(&mut self) -> Vec<Sighting> {
        let started = last_started();
        if started.is_some() && started == self.last_started && self.skipped < MAX_SKIPPED {
            self.skipped += 1;
            return Vec::new();
        }
        self.last_started = started;
        self.skipped = 0;
        let ids = running();
        self.parents.retain(|pid, _| ids.binary_search(pid).is_ok());
        for pid in &ids {
            if !self.parents.contains_key(pid)
                && let Some(parent) = parent(*pid)
            {
                self.parents.insert(*pid, parent);
            }
        }
        self.adopt(&ids);
        ids.iter()
            .filter(|pid| self.below.contains(pid))
            .filter_map(|pid| sighting(*pid, *self.parents.get(pid)?))
            .collect()
    }

    /// Adds the children of those known, until there are no more.
    fn adopt(&mut self, ids: &[u32]) {
        loop {
            let before = self.below.len();
            for pid in ids {
                if self
                    .parents
                    .get(pid)
                    .is_some_and(|parent| self.below.contains(parent))
                {
                    self.below.insert(*pid);
                }
            }
            if self.below.len() == before {
                return;
            }
        }
    }
}

/// The id that the system gave out last.
fn last_started() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().last()?.parse().ok()
}

fn running() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut ids: Vec<u32> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    ids.sort_unstable();
    ids
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name before it stands in parentheses and may hold anything.
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[after_name..]).ok()?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

fn sighting(pid: u32, parent: u32) -> Option<Sighting> {
    let executable = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let called = line.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    Some(Sighting {
        pid,
        inner: inner(pid).unwrap_or(pid),
        parent,
        executable,
        called: PathBuf::from(Path::new(std::ffi::OsStr::from_bytes(called))),
        command: hasher.finish(),
    })
}

/// The id of a process in the innermost of the namespaces that number it.
fn inner(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let ids = status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_is_seen_and_a_stranger_is_not() {
        let mut child = Command::new("sh")
            .args(["-c", "cat; true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut below = Descendants::of(child.id());
        let mut pids = HashSet::new();
        let mut looks = 0;
        while pids.len() < 2 && looks < 100_000 {
            looks += 1;
            pids.extend(below.look().into_iter().map(|seen| seen.pid));
        }
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"end").unwrap();
        drop(input);
        child.wait().unwrap();
        assert_eq!(pids.len(), 2, "{pids:?}");
        assert!(pids.contains(&child.id()) && !pids.contains(&std::process::id()));
    }
}
