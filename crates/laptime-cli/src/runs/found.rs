//! A recording as far as can be told without reading it: what `run.json` has, and how much room it takes.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use laptime_core::{ProgramEnd, RunInfo};
use laptime_reader::{RecordingFiles, named_file};
use laptime_recorder::{folder, keeper};

/// Longest `run.json` that is read; real ones are below 1 kB.
const MOST_RUN_BYTES: u64 = 1 << 20;
/// From so many files on a folder's size isn't summed up: a recording has one per process.
const MOST_FILES: usize = 10_000;

/// A recording that was found in a folder.
#[derive(Debug)]
pub struct FoundRecording {
    /// Where, from the working folder.
    pub path: PathBuf,
    /// When it was started, by its `run.json`, in ns since 1970; without one, when it was last changed.
    pub started_ns: u64,
    /// What was run; `None` where no `run.json` tells.
    pub run: Option<RunInfo>,
    /// What became of the run.
    pub outcome: Outcome,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It ended with this code.
    Exit(i32),
    /// A signal of this number ended it.
    Signal(i32),
    /// It recorded itself, and ended that.
    Finished,
    /// It goes on.
    Running,
    /// Nobody saw its end: whoever kept the recording open was killed, or the machine stopped.
    EndUnseen,
    /// It was started inside another run and is part of that one's recording.
    Reference,
    /// Its `run.json` can't be read.
    Undescribed,
}

impl FoundRecording {
    /// What lies at a path, or `None` where that is no recording.
    pub fn at(path: &Path) -> Option<Self> {
        let found = path.metadata().ok()?;
        let (run, is_reference) = if found.is_dir() {
            (described(path), false)
        } else {
            packed(path)
        };
        let is_described = path.join(RunInfo::FILE_NAME).is_file();
        if run.is_none() && !is_reference && !is_described && !folder::is_recording(path) {
            return None;
        }
        let changed_ns = || found.modified().map_or(0, since_1970_ns);
        let told_ns = run.as_ref().map(|run| run.started_realtime_ns);
        Some(Self {
            path: path.to_owned(),
            started_ns: told_ns.filter(|_| !is_reference).unwrap_or_else(changed_ns),
            outcome: match &run {
                _ if is_reference => Outcome::Reference,
                Some(run) => outcome(run),
                None => Outcome::Undescribed,
            },
            run,
        })
    }

    /// How long the run took, ns; `None` where its end isn't known.
    pub fn duration_ns(&self) -> Option<u64> {
        if self.outcome == Outcome::Reference {
            return None;
        }
        let run = self.run.as_ref()?;
        let end = run.end.as_ref()?;
        end.monotonic_ns.checked_sub(run.started_monotonic_ns)
    }

    /// Bytes that it takes on the disk; `None` where they can't be summed up.
    pub fn size_bytes(&self) -> Option<u64> {
        size_bytes(&self.path, &mut MOST_FILES.clone())
    }

    /// How long ago it was started, ns.
    pub fn age_ns(&self) -> u64 {
        since_1970_ns(SystemTime::now()).saturating_sub(self.started_ns)
    }
}

/// Bytes that a file takes on the disk, or the files of a folder, of which `left` may still be looked at.
pub fn size_bytes(path: &Path, left: &mut usize) -> Option<u64> {
    let on_disk = |path: &Path| path.symlink_metadata().map(|file| file.blocks() * 512);
    if !path.symlink_metadata().ok()?.is_dir() {
        return on_disk(path).ok();
    }
    let mut sum = 0;
    for entry in fs::read_dir(path).ok()? {
        *left = left.checked_sub(1)?;
        // What is gone since takes no room.
        sum += on_disk(&entry.ok()?.path()).unwrap_or(0);
    }
    Some(sum)
}

fn described(folder: &Path) -> Option<RunInfo> {
    let bytes = named_file::read(&folder.join(RunInfo::FILE_NAME), MOST_RUN_BYTES).ok()?;
    RunInfo::from_json(&bytes).ok()
}

/// The `run.json` in a file, and whether the file only refers to the recording that has it.
fn packed(path: &Path) -> (Option<RunInfo>, bool) {
    match RecordingFiles::open(path, true) {
        Ok(files) => (files.run, files.path != path),
        Err(_) => (None, false),
    }
}

fn outcome(run: &RunInfo) -> Outcome {
    match run.end {
        Some(ProgramEnd {
            code: Some(code), ..
        }) => Outcome::Exit(code),
        Some(ProgramEnd {
            signal: Some(signal),
            ..
        }) => Outcome::Signal(signal),
        Some(_) => Outcome::Finished,
        None if keeper::is_in_progress(run) => Outcome::Running,
        None => Outcome::EndUnseen,
    }
}

fn since_1970_ns(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
