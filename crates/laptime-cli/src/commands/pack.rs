//! `laptime pack`: makes one file of a recording's folder, to send or to keep.
//!
//! The file is a tar archive, so that any tool can look inside. Times and owners are left
//! out: packing the same recording twice gives the same bytes. Holes stay holes: the archive takes the room on the disk that
//! the recording takes.

use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_core::RunInfo;
use laptime_reader::{OpenFile, ProcessFile, ReadError, RecordedProcess, RecordingFiles};
use laptime_recorder::draft::Draft;
use laptime_recorder::folder;
use laptime_report::sentences::doubts::in_words;

use laptime_report::Shown;

use super::output;
use crate::args::PackArgs;
use crate::error::{CliError, OK};
use crate::launch::folder::may_claim;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::runs::folder::holds;

/// Bytes that an archive's members fill up to.
const BLOCK_LEN: u64 = 512;
/// Bytes copied at once.
const PIECE_LEN: usize = 1 << 16;

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
pub fn run(args: &PackArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| default_target(&args.recording));
    output::not_over_a_recording(Some(&target), &args.recording)?;
    let mut files = RecordingFiles::open(&args.recording, true)?;
    let processes = files.begin()?;
    let summary = Recorded {
        salvage: true,
        ..Recorded::new(&args.recording)
    }
    .summary()?;
    let damage = summary.warnings.iter();
    for doubt in damage.filter(|doubt| OF_FILES.contains(&doubt.code())) {
        let message = in_words(doubt).message;
        say(err, format!("laptime: warning: {message}"));
    }
    may_claim(&target, args.force)?;
    write(files.run.as_ref(), &processes, &target).map_err(|source| CliError::Output {
        target: target.display().to_string(),
        source,
    })?;
    let shown = Shown::lines(&format!("{}\n", target.display()));
    out.show(&shown).map_err(CliError::from_output)?;
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

/// `train-1.packed.lap` for `train-1.lap`; here for a run, since what lies beside it is for nobody else.
fn default_target(recording: &Path) -> PathBuf {
    let target = recording.with_extension("packed.lap");
    match target.file_name() {
        Some(name) if holds(recording) => PathBuf::from(name),
        _ => target,
    }
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
        let opened = file.open().map_err(as_io)?;
        // The header alone: its content has holes.
        archive.append_data(&mut header(file.length), &file.name, io::empty())?;
        copy(&opened, file, archive.get_mut())?;
    }
    archive.into_inner()?.flush()?;
    draft.file().sync_all()?;
    folder::replace(target, draft)
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_size(length);
    header.set_mode(0o600);
    header
}

/// Copies a process's file, and fills up its last block. What is a hole of it stays one.
fn copy(opened: &OpenFile<'_>, file: &ProcessFile, to: &mut (impl Write + Seek)) -> io::Result<()> {
    let changed = |at: u64| {
        io::Error::other(format!(
            "{} changed while it was packed: {at} bytes of {}",
            file.name, file.length
        ))
    };
    let mut piece = vec![0; PIECE_LEN];
    let mut at = 0;
    while at < file.length {
        let data = opened.data_from(at).max(at);
        to.seek_relative((data - at).cast_signed())?;
        at = data;
        let end = opened.hole_from(at).max(at);
        while at < end {
            let wanted = piece.len().min((end - at) as usize);
            let count = opened.read(at, &mut piece[..wanted]).map_err(as_io)?;
            if count == 0 {
                return Err(changed(at));
            }
            to.write_all(&piece[..count])?;
            at += count as u64;
        }
    }
    // What was cut off looks like a hole.
    let last = file.length.saturating_sub(1);
    if opened.read(last, &mut piece[..1]).map_err(as_io)? as u64 != file.length - last {
        return Err(changed(last));
    }
    let rest = at.next_multiple_of(BLOCK_LEN) - at;
    to.write_all(&[0; BLOCK_LEN as usize][..rest as usize])
}

fn as_io(error: ReadError) -> io::Error {
    match error {
        ReadError::Read { source, .. } => source,
        other => io::Error::other(other),
    }
}
