//! How far the program is: steps finished, and what is open now, from its recording.
//!
//! Windows that are sealed are read once, open ones again at every look. A look reads a
//! bounded number of windows, so it stays cheap however fast the recording grows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use laptime_core::format::process::{open_spans, window_offset};
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{HEADER_LEN, WINDOW_LEN, WindowState};
use laptime_core::{PathId, PhaseName, Span, path};
use laptime_reader::{ProcessFile, ProcessReader, ReadError};

/// Name of the spans that are counted.
const STEP: &str = PhaseName::Step.text();
/// Processes that are followed; more would make looks dear without telling more.
const MAX_FILES: usize = 8;
/// New windows read per process and look, about 0.2 ms each.
const MAX_WINDOWS: u64 = 8;

/// How far the program is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Spans called `step` finished, of the process that has most.
    pub steps: u64,
    /// Path of the innermost open span on that process's first thread or, without any there, another one.
    pub open: Option<String>,
}

/// Follows the recording of a running program.
#[derive(Debug)]
pub struct Follower {
    folder: PathBuf,
    processes: BTreeMap<PathBuf, Process>,
}

impl Follower {
    /// Follows what is recorded into `folder`.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            processes: BTreeMap::new(),
        }
    }

    /// Reads what is new.
    pub fn look(&mut self) -> Progress {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_process = path.extension().is_some_and(|is| is == "proc");
            if is_process && self.processes.len() < MAX_FILES {
                self.processes.entry(path).or_default();
            }
        }
        self.processes
            .iter_mut()
            .filter_map(|(path, process)| process.look(&ProcessFile::whole(path).ok()?).ok()?)
            .max_by_key(|progress| (progress.steps, progress.open.is_some()))
            .unwrap_or_default()
    }
}

/// What was read of one process so far.
#[derive(Debug, Default)]
struct Process {
    reader: Option<ProcessReader>,
    step_paths: Vec<PathId>,
    sealed_steps: u64,
    /// Slots that were open or not used yet.
    waiting: Vec<u64>,
    /// The first slot never looked at.
    next: u64,
}

impl Process {
    /// `None` while the header isn't written.
    fn look(&mut self, file: &ProcessFile) -> Result<Option<Progress>, ReadError> {
        let open = file.open()?;
        let prefix = open.prefix()?;
        if self.reader.is_none() {
            self.reader = ProcessReader::begin(&prefix, &file.name).ok();
        }
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let mut slots = std::mem::take(&mut self.waiting);
        let there = file.length.saturating_sub(window_offset(0));
        let end = there
            .div_ceil(WINDOW_LEN as u64)
            .min(self.next + MAX_WINDOWS);
        slots.extend(self.next..end);
        self.next = self.next.max(end);
        let mut open_steps = 0;
        let mut bytes = vec![0; WINDOW_LEN];
        for slot in slots {
            let offset = window_offset(slot);
            // Most waiting slots are still unused: their header tells.
            let head = open.read(offset, &mut bytes[..HEADER_LEN])?;
            let is_used = bytes[..head].iter().any(|byte| *byte != 0);
            let length = if is_used {
                open.read(offset, &mut bytes)?
            } else {
                0
            };
            let mut steps = Steps {
                paths: &mut self.step_paths,
                count: 0,
            };
            // Being sealed just now, or damaged, which the report at the end tells.
            let state = reader.window(&bytes[..length], offset, &mut steps);
            if let Ok(Some(WindowState::Sealed)) = state {
                self.sealed_steps += steps.count;
            } else {
                open_steps += steps.count;
                self.waiting.push(slot);
            }
        }
        let open = reader.open_among(&open_spans(&prefix));
        let main_track = reader.header().main_track;
        let first = open.iter().rfind(|span| span.track == main_track);
        let open = first
            .or(open.last())
            .map(|span| path::join(reader.paths().names(span.path)))
            .filter(|path| !path.is_empty());
        Ok(Some(Progress {
            steps: self.sealed_steps + open_steps,
            open,
        }))
    }
}

/// Counts the steps of a window.
struct Steps<'p> {
    paths: &'p mut Vec<PathId>,
    count: u64,
}

impl Visit<'_> for Steps<'_> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.other(Record::Span(Span::plain(path, start, duration, track)));
    }

    fn other(&mut self, record: Record<'_>) {
        match record {
            Record::Path { id, name, .. } if name == STEP => self.paths.push(id),
            Record::Span(span) => {
                let counts = span.flags.is_whole() && self.paths.contains(&span.path);
                self.count += u64::from(counts);
            }
            _ => {}
        }
    }
}

impl VisitProcess for Steps<'_> {}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
