//! Finding what a path holds: a folder, a packed file, a process's file or a reference.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use laptime_core::format::process::ProcessHeader;
use laptime_core::run::{PROCESS_EXTENSION, REFERENCE_LINE};
use laptime_core::{FormatError, RunInfo, zero_ns};

use crate::files::cannot_read;
use crate::named_file;
use crate::other_file::OtherFile;
use crate::process::damaged;
use crate::run;
use crate::{Damage, ProcessFile, ProcessReader, ReadError, RecordedProcess, process_id};

/// References followed before they count as a circle.
const MAX_REFERENCES: usize = 8;
/// Longest reference: a line and the longest path Linux takes.
const MAX_REFERENCE_LEN: u64 = 4_200;
/// Where a tar header says that it is one.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
/// What members of an archive are padded to.
const TAR_BLOCK: u64 = 512;

/// The files of a recording, found; their windows are not read yet.
#[derive(Debug)]
pub struct RecordingFiles {
    /// Where it really is, references followed.
    pub path: PathBuf,
    /// The run, if a launcher or the recorder described one.
    pub run: Option<RunInfo>,
    /// The files of its processes: the started program's first, then by process id.
    pub files: Vec<ProcessFile>,
    /// What is not read.
    pub left_out: Vec<LeftOut>,
    salvage: bool,
}

/// A part of a recording that is not read, and why.
#[derive(Debug)]
pub enum LeftOut {
    /// Damage, which the caller asked to leave out.
    Damage(ReadError),
    /// A file in the folder that is no process's, or that may not be read.
    Foreign(ReadError),
    /// A process that ended before its recording began; the name of its file.
    NotBegun(String),
    /// The file of a process that was read from another file.
    Copied {
        /// Its name.
        name: String,
        /// The one that was read.
        read: String,
    },
    /// What stood behind the end of a packed recording that was cut off there; in bytes.
    Cut(u64),
    /// The path that was asked for is a reference to another recording; where that one is.
    Reference(PathBuf),
    /// Files of so many processes, of how many there were when the program had ended.
    Missing(u64, u64),
    /// When the run started and ended by `run.json`, and why that cannot be.
    Run(&'static str),
}

impl RecordingFiles {
    /// Finds the recording at `path`. With `salvage`, damage is left out instead of an error.
    ///
    /// **Errors** when nothing is there, when it is no recording, or when it is damaged.
    pub fn open(path: &Path, salvage: bool) -> Result<Self, ReadError> {
        let mut at = path.to_owned();
        for _ in 0..MAX_REFERENCES {
            let failed = |source| cannot_read(&at, 0, source);
            let mut found = Self {
                path: at.clone(),
                run: None,
                files: Vec::new(),
                left_out: Vec::new(),
                salvage,
            };
            if at != path {
                found.left_out.push(LeftOut::Reference(at.clone()));
            }
            if fs::metadata(&at).map_err(failed)?.is_dir() {
                found.folder()?;
                return Ok(found);
            }
            let mut start = Vec::new();
            let file = named_file::open(&at).map_err(failed)?;
            (&file)
                .take(MAX_REFERENCE_LEN)
                .read_to_end(&mut start)
                .map_err(failed)?;
            if let Some(target) = reference(&start) {
                at = at.parent().unwrap_or(Path::new("")).join(target);
                continue;
            }
            let magic = TAR_MAGIC.0..TAR_MAGIC.0 + TAR_MAGIC.1.len();
            if start.get(magic) == Some(TAR_MAGIC.1) {
                found.packed(&file)?;
            } else if let Some(is) = OtherFile::of_schema(&at) {
                return Err(ReadError::OtherFile { path: at, is });
            } else {
                found.files.push(ProcessFile::whole(&at)?);
            }
            return Ok(found);
        }
        Err(ReadError::ReferenceLoop {
            path: path.to_owned(),
            limit: MAX_REFERENCES,
        })
    }

    /// Begins to read every process; what is no process's file is left out, unless it is the only one.
    ///
    /// **Errors** when a file is of a later Laptime, damaged and not to be left out, or when
    /// nothing but files of others is there.
    pub fn begin(&mut self) -> Result<Vec<RecordedProcess>, ReadError> {
        let is_alone = self.files.iter().any(|file| file.path() == self.path);
        let mut processes = Vec::new();
        let mut begun = HashMap::new();
        for file in &self.files {
            match RecordedProcess::begin(file.clone(), self.salvage) {
                Ok(Some(process)) => match begun.entry(identity(process.reader.header())) {
                    Entry::Vacant(entry) => {
                        entry.insert(&file.name);
                        processes.push(process);
                    }
                    Entry::Occupied(entry) => self.left_out.push(LeftOut::Copied {
                        name: file.name.clone(),
                        read: (*entry.get()).clone(),
                    }),
                },
                Ok(None) if is_alone => {
                    let prefix = file.open()?.prefix()?;
                    ProcessReader::begin(&prefix, &file.name)
                        .map_err(|source| damaged(file, source))?;
                }
                Ok(None) => self.left_out.push(LeftOut::NotBegun(file.name.clone())),
                Err(error) if self.salvage && error.is_damage() => {
                    self.left_out.push(LeftOut::Damage(error));
                }
                Err(error) if !is_alone && is_foreign(&error) => {
                    self.left_out.push(LeftOut::Foreign(error));
                }
                Err(error) => return Err(error),
            }
        }
        if processes.is_empty() {
            let foreign = self
                .left_out
                .iter()
                .position(|left_out| matches!(left_out, LeftOut::Foreign(_)));
            if let Some(LeftOut::Foreign(error)) = foreign.map(|index| self.left_out.remove(index))
            {
                return Err(error);
            }
        }
        if let Some(run) = self.run.as_mut() {
            let wrong = run::correct(run, &processes);
            self.left_out.extend(wrong.map(LeftOut::Run));
        }
        Ok(processes)
    }

    /// The moment that all others are told from, `CLOCK_MONOTONIC` ns.
    pub fn zero_ns(&self, processes: &[RecordedProcess]) -> u64 {
        let started = processes.iter();
        let started = started.map(|process| process.reader.facts().started_ns());
        zero_ns(self.run.as_ref(), started)
    }

    fn folder(&mut self) -> Result<(), ReadError> {
        let failed = |source| cannot_read(&self.path, 0, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = PathBuf::from(entry.map_err(failed)?.file_name());
            if name.extension().is_some_and(|is| is == PROCESS_EXTENSION) {
                names.push(name);
            }
        }
        let run_path = self.path.join(RunInfo::FILE_NAME);
        let run = match named_file::open(&run_path) {
            Ok(file) => Some(run::read(&run_path, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => Some(Err(cannot_read(&run_path, 0, source))),
        };
        if run.is_none() && names.is_empty() {
            return Err(ReadError::NotARecording {
                path: self.path.clone(),
            });
        }
        self.take_run(run)?;
        self.count(names.len());
        for name in names {
            match ProcessFile::whole(&self.path.join(name)) {
                Ok(file) => self.files.push(file),
                Err(error) => self.left_out.push(LeftOut::Foreign(error)),
            }
        }
        self.sort();
        Ok(())
    }

    fn packed(&mut self, file: &File) -> Result<(), ReadError> {
        let failed = |source| cannot_read(&self.path, 0, source);
        let there = file.metadata().map_err(failed)?.len();
        let (mut end, mut run) = (0, None);
        let listed = list(file, |name, start, length| {
            end = start.saturating_add(length);
            let length = length.min(there.saturating_sub(start));
            let path = Path::new(&name);
            if name == RunInfo::FILE_NAME {
                let file = ProcessFile::within(&self.path, name, start, length);
                run = Some(run::within(&file));
            } else if path.extension().is_some_and(|is| is == PROCESS_EXTENSION) {
                let file = ProcessFile::within(&self.path, name, start, length);
                self.files.push(file);
            }
        });
        self.take_run(run)?;
        self.count(self.files.len());
        if let Err(source) = listed {
            let path = self.path.clone();
            let offset = end;
            self.leave_out(ReadError::Packed {
                path,
                offset,
                source,
            })?;
        }
        if self.run.is_none() && self.files.is_empty() {
            return Err(ReadError::NotARecording {
                path: self.path.clone(),
            });
        }
        // Behind the last member an archive has an end of its own; a cut between members is silent.
        if there < end.next_multiple_of(TAR_BLOCK).saturating_add(TAR_BLOCK) {
            self.left_out.push(LeftOut::Cut(there));
        }
        self.sort();
        Ok(())
    }

    fn take_run(&mut self, run: Option<Result<RunInfo, ReadError>>) -> Result<(), ReadError> {
        match run.transpose() {
            Ok(run) => {
                self.run = run;
                Ok(())
            }
            Err(error) if self.salvage && !error.is_newer() => {
                self.left_out.push(LeftOut::Damage(error));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Notes where fewer processes are there than there were.
    fn count(&mut self, there: usize) {
        let before = self.run.as_ref().and_then(|run| run.processes).unwrap_or(0);
        if let Some(missing) = before
            .checked_sub(there as u64)
            .filter(|missing| *missing > 0)
        {
            self.left_out.push(LeftOut::Missing(missing, before));
        }
    }

    fn leave_out(&mut self, error: ReadError) -> Result<(), ReadError> {
        if self.salvage && error.is_damage() {
            self.left_out.push(LeftOut::Damage(error));
            return Ok(());
        }
        Err(error)
    }

    fn sort(&mut self) {
        let main = self.run.as_ref().and_then(|run| run.pid);
        self.files.sort_by_cached_key(|file| {
            let pid = process_id(&file.name);
            (pid != main || main.is_none(), pid, file.name.clone())
        });
    }
}

/// Whether a file was simply put beside the recording's own.
fn is_foreign(error: &ReadError) -> bool {
    match error {
        ReadError::Missing { .. } | ReadError::Read { offset: 0, .. } => true,
        ReadError::Damaged { source, .. } => {
            matches!(source, Damage::Format(FormatError::Foreign { .. }))
        }
        _ => false,
    }
}

/// What no two processes share: the start of the machine, the id, and the recording's first moment.
fn identity(header: &ProcessHeader) -> ([u8; 16], u32, u64, u64) {
    let anchor = header.anchor;
    (header.boot_id, header.pid, anchor.ticks, anchor.realtime_ns)
}

/// The path in a reference's bytes.
fn reference(start: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(start).ok()?;
    let target = text.strip_prefix(REFERENCE_LINE)?.strip_prefix('\n')?;
    Some(PathBuf::from(target.strip_suffix('\n').unwrap_or(target)))
}

/// Calls `visit` with the name, start and length of every entry of a packed recording.
fn list(file: &File, mut visit: impl FnMut(String, u64, u64)) -> io::Result<()> {
    let mut reader = file;
    reader.seek(SeekFrom::Start(0))?;
    let mut archive = tar::Archive::new(reader);
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        visit(name, entry.raw_file_position(), entry.size());
    }
    Ok(())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests write the files that are read"
)]
#[path = "opened_tests.rs"]
mod tests;
