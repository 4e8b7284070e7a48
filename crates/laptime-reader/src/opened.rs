//! Finding what a path holds: a folder, a packed file, a process's file or a reference.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use laptime_core::run::{FORMAT_VERSION, PROCESS_EXTENSION, REFERENCE_LINE};
use laptime_core::{FormatError, RunInfo, zero_ns};

use crate::files::{cannot_read, open_regular};
use crate::process::damaged;
use crate::{Damage, ProcessFile, ProcessReader, ReadError, RecordedProcess, process_id};

/// References followed before they count as a circle.
const MAX_REFERENCES: usize = 8;
/// Longest reference: a line and the longest path Linux takes.
const MAX_REFERENCE_LEN: u64 = 4_200;
/// Longest `run.json` that is read; real ones are below 1 kB.
const MAX_RUN_LEN: u64 = 1 << 20;
/// Where a tar header says that it is one.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

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
            if fs::metadata(&at).map_err(failed)?.is_dir() {
                found.folder()?;
                return Ok(found);
            }
            let mut start = Vec::new();
            let file = open_regular(&at).map_err(failed)?;
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
        for file in &self.files {
            match RecordedProcess::begin(file.clone(), self.salvage) {
                Ok(Some(process)) => processes.push(process),
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
        if processes.is_empty() && self.run.is_none() {
            let foreign = self
                .left_out
                .iter()
                .position(|left_out| matches!(left_out, LeftOut::Foreign(_)));
            if let Some(LeftOut::Foreign(error)) = foreign.map(|index| self.left_out.remove(index))
            {
                return Err(error);
            }
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
        let run = match open_regular(&run_path) {
            Ok(file) => Some(read_run(&run_path, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => Some(Err(cannot_read(&run_path, 0, source))),
        };
        if run.is_none() && names.is_empty() {
            return Err(ReadError::NotARecording {
                path: self.path.clone(),
            });
        }
        self.take_run(run)?;
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
        let (mut end, mut run) = (0, None);
        let listed = list(file, |name, start, length| {
            end = start + length;
            let path = Path::new(&name);
            if name == RunInfo::FILE_NAME {
                let file = ProcessFile::within(&self.path, name, start, length);
                run = Some(run_within(&file));
            } else if path.extension().is_some_and(|is| is == PROCESS_EXTENSION) {
                let file = ProcessFile::within(&self.path, name, start, length);
                self.files.push(file);
            }
        });
        self.take_run(run)?;
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
        self.sort();
        Ok(())
    }

    fn take_run(&mut self, run: Option<Result<RunInfo, ReadError>>) -> Result<(), ReadError> {
        match run.transpose() {
            Ok(run) => {
                self.run = run;
                Ok(())
            }
            Err(error) => self.leave_out(error),
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

/// The path in a reference's bytes.
fn reference(start: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(start).ok()?;
    let target = text.strip_prefix(REFERENCE_LINE)?.strip_prefix('\n')?;
    Some(PathBuf::from(target.strip_suffix('\n').unwrap_or(target)))
}

/// Reads `run.json` out of a packed recording without moving the place that [`list`] reads at.
fn run_within(file: &ProcessFile) -> Result<RunInfo, ReadError> {
    let mut bytes = vec![0; file.length.min(MAX_RUN_LEN) as usize];
    let length = file.open()?.read(0, &mut bytes)?;
    read_run(file.path(), &bytes[..length])
}

fn read_run(path: &Path, from: impl Read) -> Result<RunInfo, ReadError> {
    let mut bytes = Vec::new();
    from.take(MAX_RUN_LEN)
        .read_to_end(&mut bytes)
        .map_err(|source| cannot_read(path, 0, source))?;
    let run = RunInfo::from_json(&bytes).map_err(|source| ReadError::Run {
        path: path.to_owned(),
        source,
    })?;
    if run.format > FORMAT_VERSION {
        return Err(ReadError::Damaged {
            path: path.to_owned(),
            source: Damage::Format(FormatError::Newer {
                found: run.format,
                supported: FORMAT_VERSION,
            }),
        });
    }
    Ok(run)
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
