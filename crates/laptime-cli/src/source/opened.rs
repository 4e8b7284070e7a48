//! Finding what a path holds: a folder, a packed file, a process file or a reference.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use laptime_core::run::FORMAT_VERSION;
use laptime_core::run::{PROCESS_EXTENSION, REFERENCE_LINE};
use laptime_core::{FormatError, RunInfo};

use super::process_file::open_regular;
use super::{ProcessFile, SourceError};

/// References followed before they count as a circle.
const MAX_REFERENCES: usize = 8;
/// Longest reference: a line and the longest path Linux takes.
const MAX_REFERENCE_LEN: u64 = 4_200;
/// Longest `run.json` that is read; real ones are below 1 kB.
const MAX_RUN_LEN: u64 = 1 << 20;
/// Where a tar header says that it is one.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// A recording whose files are open and whose windows are not read yet.
#[derive(Debug)]
pub struct Opened {
    /// Where it really is, references followed.
    pub path: PathBuf,
    /// Its run, if a launcher or the recorder described one.
    pub run: Option<RunInfo>,
    /// Its process files: the started program's first, then by process id.
    pub processes: Vec<ProcessFile>,
    /// What had to be left out, when damage is no error.
    pub left_out: Vec<SourceError>,
}

impl Opened {
    /// Opens what is at `path`. With `salvage`, damage is noted in `left_out` instead of an error.
    ///
    /// **Errors** when nothing is there, when it is no recording, or when it is damaged.
    pub fn open(path: &Path, salvage: bool) -> Result<Self, SourceError> {
        let mut at = path.to_owned();
        for _ in 0..MAX_REFERENCES {
            let metadata = fs::metadata(&at).map_err(|source| cannot_open(&at, source))?;
            if metadata.is_dir() {
                return Self::folder(at, salvage);
            }
            let mut start = Vec::new();
            let file = open_regular(&at).map_err(|source| cannot_open(&at, source))?;
            (&file)
                .take(MAX_REFERENCE_LEN)
                .read_to_end(&mut start)
                .map_err(|source| cannot_open(&at, source))?;
            if let Some(target) = reference(&start) {
                at = at.parent().unwrap_or(Path::new("")).join(target);
            } else if start.get(TAR_MAGIC.0..TAR_MAGIC.0 + TAR_MAGIC.1.len()) == Some(TAR_MAGIC.1) {
                return Self::packed(at, file, salvage);
            } else {
                return Ok(Self {
                    processes: vec![ProcessFile::whole(&at)?],
                    path: at,
                    run: None,
                    left_out: Vec::new(),
                });
            }
        }
        Err(SourceError::ReferenceLoop {
            path: path.to_owned(),
            limit: MAX_REFERENCES,
        })
    }

    /// Whether it is a process file by itself, outside any recording.
    pub fn is_file_alone(&self) -> bool {
        self.processes
            .first()
            .is_some_and(|file| file.path() == self.path)
    }

    fn folder(path: PathBuf, salvage: bool) -> Result<Self, SourceError> {
        let mut opened = Self::empty(path);
        let failed = |source| cannot_open(&opened.path, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(&opened.path).map_err(failed)? {
            let name = PathBuf::from(entry.map_err(failed)?.file_name());
            if name.extension().is_some_and(|is| is == PROCESS_EXTENSION) {
                names.push(name);
            }
        }
        let run_path = opened.path.join(RunInfo::FILE_NAME);
        let run = match open_regular(&run_path) {
            Ok(file) => Some(read_run(&run_path, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => Some(Err(cannot_open(&run_path, source))),
        };
        if run.is_none() && names.is_empty() {
            return Err(SourceError::NotARecording { path: opened.path });
        }
        opened.take_run(run, salvage)?;
        for name in names {
            let file = ProcessFile::whole(&opened.path.join(name))?;
            opened.processes.push(file);
        }
        opened.sort();
        Ok(opened)
    }

    fn packed(path: PathBuf, file: File, salvage: bool) -> Result<Self, SourceError> {
        let mut opened = Self::empty(path);
        let file = Arc::new(file);
        let mut end = 0;
        let mut run = None;
        let listed = list(&file, |name, start, length| {
            end = start + length;
            let is_run = name == RunInfo::FILE_NAME;
            let is_process = Path::new(&name)
                .extension()
                .is_some_and(|is| is == PROCESS_EXTENSION);
            let file = ProcessFile::within(&opened.path, &file, name, start, length);
            if is_run {
                run = Some(run_within(&file));
            } else if is_process {
                opened.processes.push(file);
            }
        });
        opened.take_run(run, salvage)?;
        if let Err(source) = listed {
            let path = opened.path.clone();
            opened.leave_out(
                SourceError::Packed {
                    path,
                    offset: end,
                    source,
                },
                salvage,
            )?;
        }
        if opened.run.is_none() && opened.processes.is_empty() {
            return Err(SourceError::NotARecording { path: opened.path });
        }
        opened.sort();
        Ok(opened)
    }

    fn empty(path: PathBuf) -> Self {
        Self {
            path,
            run: None,
            processes: Vec::new(),
            left_out: Vec::new(),
        }
    }

    fn take_run(
        &mut self,
        run: Option<Result<RunInfo, SourceError>>,
        salvage: bool,
    ) -> Result<(), SourceError> {
        match run.transpose() {
            Ok(run) => {
                self.run = run;
                Ok(())
            }
            Err(error) => self.leave_out(error, salvage),
        }
    }

    fn leave_out(&mut self, error: SourceError, salvage: bool) -> Result<(), SourceError> {
        if salvage && error.is_damage() {
            self.left_out.push(error);
            return Ok(());
        }
        Err(error)
    }

    fn sort(&mut self) {
        let main = self.run.as_ref().and_then(|run| run.pid);
        self.processes.sort_by_cached_key(|file| {
            let pid = pid(&file.name);
            (pid != main || main.is_none(), pid, file.name.clone())
        });
    }
}

/// The process id in a process file's name.
pub fn pid(name: &str) -> Option<u32> {
    name.split('-').next()?.parse().ok()
}

fn cannot_open(path: &Path, source: io::Error) -> SourceError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        return SourceError::Missing { path };
    }
    SourceError::Read {
        path,
        offset: 0,
        source,
    }
}

/// The path in a reference's bytes.
fn reference(start: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(start).ok()?;
    let target = text.strip_prefix(REFERENCE_LINE)?.strip_prefix('\n')?;
    Some(PathBuf::from(target.strip_suffix('\n').unwrap_or(target)))
}

/// Reads `run.json` out of a packed recording without moving the place that [`list`] reads at.
fn run_within(file: &ProcessFile) -> Result<RunInfo, SourceError> {
    let mut bytes = vec![0; file.length.min(MAX_RUN_LEN) as usize];
    let length = file.read(0, &mut bytes)?;
    read_run(file.path(), &bytes[..length])
}

fn read_run(path: &Path, from: impl Read) -> Result<RunInfo, SourceError> {
    let mut bytes = Vec::new();
    from.take(MAX_RUN_LEN)
        .read_to_end(&mut bytes)
        .map_err(|source| cannot_open(path, source))?;
    let run = RunInfo::from_json(&bytes).map_err(|source| SourceError::Run {
        path: path.to_owned(),
        source,
    })?;
    if run.format > FORMAT_VERSION {
        return Err(SourceError::Format {
            path: path.to_owned(),
            source: FormatError::Newer {
                found: run.format,
                supported: FORMAT_VERSION,
            },
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
#[path = "opened_tests.rs"]
mod tests;
