//! `laptime pack`: makes one file of a recording's folder, to send or to keep.
//!
//! The file is a tar archive, so that any tool can look inside. Times and owners are left
//! out: packing the same recording twice gives the same bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use laptime_core::RunInfo;

use crate::args::PackArgs;
use crate::error::{CliError, OK};
use crate::launch::folder::claim;
use crate::source::{Opened, ProcessFile, SourceError};

/// Packs the recording and says where.
pub fn run(args: &PackArgs, out: &mut dyn Write) -> Result<i32, CliError> {
    let opened = Opened::open(&args.recording, false)?;
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| default_target(&args.recording));
    claim(&target, args.force)?;
    let draft = target.with_extension("new");
    let written = create(&draft)
        .and_then(|file| write(&opened, file))
        .and_then(|()| fs::rename(&draft, &target));
    if let Err(source) = written {
        // What is left is half an archive under a name that nobody asked for.
        let _ = fs::remove_file(&draft);
        return Err(CliError::Output {
            target: target.display().to_string(),
            source,
        });
    }
    writeln!(out, "{}", target.display()).map_err(CliError::from_output)?;
    Ok(OK)
}

/// `train-1.packed.lap` for `train-1.lap`.
fn default_target(recording: &Path) -> PathBuf {
    recording.with_extension("packed.lap")
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

fn write(opened: &Opened, file: File) -> io::Result<()> {
    let mut archive = tar::Builder::new(BufWriter::new(file));
    if let Some(run) = &opened.run {
        let bytes = run.to_json();
        let mut header = header(bytes.len() as u64);
        archive.append_data(&mut header, RunInfo::FILE_NAME, bytes.as_slice())?;
    }
    for file in &opened.processes {
        let mut reader = Reader { file, at: 0 };
        archive.append_data(&mut header(file.length), &file.name, &mut reader)?;
        if reader.at != file.length {
            return Err(io::Error::other(format!(
                "{} changed while it was packed: {} bytes of {}",
                file.name, reader.at, file.length
            )));
        }
    }
    archive.into_inner()?.flush()
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_size(length);
    header.set_mode(0o600);
    header
}

/// A process file, read from start to end.
struct Reader<'a> {
    file: &'a ProcessFile,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self
            .file
            .read(self.at, bytes)
            .map_err(|error| match error {
                SourceError::Read { source, .. } => source,
                other => io::Error::other(other),
            })?;
        self.at += count as u64;
        Ok(count)
    }
}
