//! `laptime pack`: makes one file of a recording's folder, to send or to keep.
//!
//! The file is a tar archive, so that any tool can look inside. Times and owners are left
//! out: packing the same recording twice gives the same bytes.

use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_core::RunInfo;
use laptime_reader::{OpenFile, ReadError, RecordedProcess, RecordingFiles};
use laptime_recorder::draft::Draft;

use crate::args::PackArgs;
use crate::error::{CliError, OK};
use crate::launch::folder::claim;
use crate::messages::say;

/// What is said of a recording whose files are not as they were written.
const OF_FILES: [&str; 6] = [
    "damaged",
    "unreadable-file",
    "truncated",
    "empty-windows",
    "copied-process",
    "doubtful-run",
];

/// Packs the recording, damage and all, and says where.
pub fn run(args: &PackArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, CliError> {
    let mut files = RecordingFiles::open(&args.recording, true)?;
    let processes = files.begin()?;
    let summary = Recorded {
        salvage: true,
        ..Recorded::new(&args.recording)
    }
    .summary()?;
    let damage = summary.warnings.iter();
    for warning in damage.filter(|warning| OF_FILES.contains(&&*warning.code)) {
        say(err, format!("laptime: warning: {}", warning.message));
    }
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| default_target(&args.recording));
    claim(&target, args.force)?;
    write(files.run.as_ref(), &processes, &target).map_err(|source| CliError::Output {
        target: target.display().to_string(),
        source,
    })?;
    writeln!(out, "{}", target.display()).map_err(CliError::from_output)?;
    Ok(OK)
}

/// Packs a recording to where nothing is, and says nothing of it.
pub fn pack(recording: &Path, target: &Path) -> Result<(), CliError> {
    let mut files = RecordingFiles::open(recording, true)?;
    let processes = files.begin()?;
    write(files.run.as_ref(), &processes, target).map_err(|source| CliError::Output {
        target: target.display().to_string(),
        source,
    })
}

/// `train-1.packed.lap` for `train-1.lap`.
fn default_target(recording: &Path) -> PathBuf {
    recording.with_extension("packed.lap")
}

/// Writes the archive, which takes its name when it is whole.
fn write(run: Option<&RunInfo>, processes: &[RecordedProcess], target: &Path) -> io::Result<()> {
    let draft = Draft::of(target, 0o600)?;
    let mut archive = tar::Builder::new(BufWriter::new(draft.file()));
    if let Some(run) = run {
        let bytes = run.to_json();
        let mut header = header(bytes.len() as u64);
        archive.append_data(&mut header, RunInfo::FILE_NAME, bytes.as_slice())?;
    }
    for RecordedProcess { file, .. } in processes {
        let mut reader = Reader {
            file: file.open().map_err(as_io)?,
            at: 0,
        };
        archive.append_data(&mut header(file.length), &file.name, &mut reader)?;
        if reader.at != file.length {
            return Err(io::Error::other(format!(
                "{} changed while it was packed: {} bytes of {}",
                file.name, reader.at, file.length
            )));
        }
    }
    archive.into_inner()?.flush()?;
    draft.finish()
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_size(length);
    header.set_mode(0o600);
    header
}

/// A process's file, read from start to end.
struct Reader<'a> {
    file: OpenFile<'a>,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(self.at, bytes).map_err(as_io)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn as_io(error: ReadError) -> io::Error {
    match error {
        ReadError::Read { source, .. } => source,
        other => io::Error::other(other),
    }
}
