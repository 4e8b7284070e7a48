//! The folder of a recording: its name, its making, `run.json` in it, and references to it.
//!
//! The recorder and the launcher both make recordings, and both do it here. Folders are 0700 and
//! files 0600, since names of spans may tell what a program does. `run.json` is replaced by
//! renaming, so that a reader never sees half of it.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use laptime_core::RunInfo;
use laptime_core::run::{FORMAT_VERSION, PROCESS_EXTENSION, REFERENCE_LINE};

use crate::clock;
use crate::draft::Draft;
use crate::found_file;
use crate::keeper;

/// Extension of recordings.
const EXTENSION: &str = "lap";
/// Where `run.json` is written before it gets its name.
const UNFINISHED: &str = ".run.json.new";
/// Ends the name of a folder that is being deleted.
const DOOMED: &str = ".deleted";
/// Tries for a default name that nobody else takes at the same moment.
const MAX_TRIES: u32 = 1_000;

/// Makes an empty folder.
pub fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes something at a path, or at the first `-<n>` of it that is not taken. Where it was made.
pub fn at_first_free(wanted: &Path, make: impl Fn(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (text(wanted.file_stem()), text(wanted.extension()));
    let dot = if extension.is_empty() { "" } else { "." };
    let numbered = (1_u64..).map(|n| wanted.with_file_name(format!("{stem}-{n}{dot}{extension}")));
    first_free(std::iter::once(wanted.to_owned()).chain(numbered), make)
}

/// Makes something at `<stem>-<n>.lap` in a folder, with an `n` above every one there and in another
/// folder: a name without its folder then says which one it is. Where it was made.
pub fn at_next(
    place: &Path,
    other: &Path,
    stem: &str,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let first = highest(place, stem).max(highest(other, stem));
    let numbers = (1..=MAX_TRIES).map(|at| first.saturating_add(at));
    let names = numbers.map(|n| place.join(format!("{stem}-{n}.{EXTENSION}")));
    first_free(names, make)
}

fn first_free(
    names: impl Iterator<Item = PathBuf>,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    for path in names {
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The highest `n` of `<stem>-<n>.lap` in a folder, 0 without any.
fn highest(place: &Path, stem: &str) -> u32 {
    let number = |name: &str| {
        let number = name.strip_prefix(stem)?.strip_prefix('-')?;
        number
            .strip_suffix(EXTENSION)?
            .strip_suffix('.')?
            .parse()
            .ok()
    };
    remove_left(place);
    let entries = fs::read_dir(or_here(place)).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| number(entry.file_name().to_str()?));
    numbers.max().unwrap_or(0)
}

/// A folder as the system takes it: the current one has no name otherwise.
fn or_here(folder: &Path) -> &Path {
    if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    }
}

/// A run that starts now, kept open by this process.
pub fn new_run(program: String) -> RunInfo {
    let now = clock::anchor();
    RunInfo {
        format: FORMAT_VERSION,
        laptime: env!("CARGO_PKG_VERSION").to_owned(),
        program,
        started_monotonic_ns: now.monotonic_ns,
        started_realtime_ns: now.realtime_ns,
        boot_id: keeper::boot_id(),
        pid: None,
        keeper: Some(keeper::this_process()),
        end: None,
        unrecorded: Vec::new(),
        processes: None,
    }
}

/// Writes `run.json`, or replaces it.
pub fn write_run(folder: &Path, run: &RunInfo) -> io::Result<()> {
    let bytes = run.to_json();
    let unfinished = folder.join(UNFINISHED);
    let target = folder.join(RunInfo::FILE_NAME);
    // Made anew: a link that stands in its place must not lead the bytes elsewhere.
    let _ = fs::remove_file(&unfinished);
    new_file(&unfinished)
        .and_then(|mut file| file.write_all(&bytes))
        .and_then(|()| fs::rename(&unfinished, &target))
        .or_else(|error| {
            let _ = fs::remove_file(&unfinished);
            // A full disk has no room for a second file, but the first one's block is there.
            write_over(&target, &bytes).map_err(|_| error)
        })
}

/// Whether a folder holds the `run.json` of another recording than this run's, which took its place.
pub fn is_of_another(folder: &Path, run: &RunInfo) -> bool {
    let found = found_file::read(&folder.join(RunInfo::FILE_NAME)).ok();
    let found = found.and_then(|bytes| RunInfo::from_json(&bytes).ok());
    found.is_some_and(|found| {
        (found.pid, found.started_monotonic_ns) != (run.pid, run.started_monotonic_ns)
    })
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)
}

fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// Leaves a new file that refers to the recording `outer`.
pub fn refer(path: &Path, outer: &Path) -> io::Result<()> {
    writeln!(new_file(path)?, "{REFERENCE_LINE}\n{}", outer.display())
}

/// Takes back a folder in which nothing was recorded.
pub fn discard(folder: &Path) {
    // What is left if this fails too is an empty recording.
    let _ = fs::remove_file(folder.join(UNFINISHED));
    let _ = fs::remove_file(folder.join(RunInfo::FILE_NAME));
    let _ = fs::remove_dir(folder);
}

/// Whether another process records into a folder right now.
pub fn is_busy(path: &Path) -> bool {
    let run = found_file::read(&path.join(RunInfo::FILE_NAME)).ok();
    let run = run.and_then(|bytes| RunInfo::from_json(&bytes).ok());
    run.is_some_and(|run| {
        let own = keeper::this_process();
        let is_own = run
            .keeper
            .as_ref()
            .is_some_and(|keeper| (keeper.pid, keeper.namespace) == (own.pid, own.namespace));
        !is_own && keeper::is_in_progress(&run)
    })
}

/// Deletes the recording at a path; false, and nothing is deleted, where something else is there.
///
/// **Errors** with `ResourceBusy` when another process records there.
pub fn remove(path: &Path) -> io::Result<bool> {
    let Ok(found) = path.symlink_metadata() else {
        return Ok(true);
    };
    if !is_recording(path) {
        return Ok(false);
    }
    if is_busy(path) {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    if !found.is_dir() {
        fs::remove_file(path)?;
        return Ok(true);
    }
    remove_left(path.parent().unwrap_or(Path::new(".")));
    // Under a name of its own first: somebody else may do the same, or begin to record there.
    match put_aside(path) {
        Ok(doomed) => delete(&doomed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => delete(path)?,
    }
    Ok(true)
}

/// Puts a packed recording in the place of the recording that may be there: that one is deleted once this one is whole.
pub fn replace(path: &Path, whole: Draft) -> io::Result<()> {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let doomed = if is_folder {
        Some(put_aside(path)?)
    } else {
        None
    };
    let finished = whole.finish();
    match (doomed, finished) {
        (Some(doomed), Err(error)) => {
            fs::rename(&doomed, path)?;
            Err(error)
        }
        (Some(doomed), Ok(())) => delete(&doomed),
        (None, finished) => finished,
    }
}

/// Gives a recording's folder a name that says that it is to be deleted.
fn put_aside(path: &Path) -> io::Result<PathBuf> {
    let nonce = clock::monotonic_ns() ^ u64::from(std::process::id()) << 40;
    let doomed = path.with_file_name(format!(".laptime-{nonce:016x}{DOOMED}"));
    fs::rename(path, &doomed)?;
    Ok(doomed)
}

/// Deletes what somebody left who was killed while deleting a recording there.
fn remove_left(folder: &Path) {
    for entry in fs::read_dir(or_here(folder))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name();
        let nonce = name
            .to_str()
            .and_then(|name| name.strip_prefix(".laptime-")?.strip_suffix(DOOMED));
        let is_doomed =
            nonce.is_some_and(|nonce| nonce.len() == 16 && u64::from_str_radix(nonce, 16).is_ok());
        if is_doomed && is_recording(&entry.path()) {
            let _ = delete(&entry.path());
        }
    }
}

/// Deletes a folder, also one in which a recording that is just ending still makes a file.
fn delete(folder: &Path) -> io::Result<()> {
    for _ in 1..MAX_TRIES {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => return other,
        }
    }
    fs::remove_dir_all(folder)
}

/// Whether a path holds a recording and nothing else: what may be deleted for another one.
pub fn is_recording(path: &Path) -> bool {
    if let Ok(mut entries) = fs::read_dir(path) {
        return entries.all(|entry| {
            entry.is_ok_and(|entry| {
                entry.file_type().is_ok_and(|kind| kind.is_file()) && is_part(&entry.path())
            })
        });
    }
    // A pipe is none, and opening it would wait for who writes into it.
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let mut start = [0; 8];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| {
            start == *b"LAPTIME\0"
                || start == *b"run.json"
                || REFERENCE_LINE.as_bytes().starts_with(&start)
        })
}

/// Whether a file of a folder is one that recordings have, by its name and by what it holds.
fn is_part(path: &Path) -> bool {
    let name = Path::new(path.file_name().unwrap_or_default());
    if name == Path::new(RunInfo::FILE_NAME) || name == Path::new(UNFINISHED) {
        // Empty where its writer was killed just then.
        return found_file::read(path)
            .is_ok_and(|bytes| bytes.is_empty() || RunInfo::from_json(&bytes).is_ok());
    }
    if name.extension().is_some_and(|is| is == PROCESS_EXTENSION) {
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut start));
        return read.is_ok() && (start == b"LAPTIME\0" || start.is_empty());
    }
    is_draft(name)
}

/// Whether a name is that of a process file before it has its header: `<process>-<nonce>.new`. A
/// process that was killed just then leaves it.
fn is_draft(name: &Path) -> bool {
    let parts = name
        .to_str()
        .and_then(|name| name.strip_suffix(".new")?.split_once('-'));
    parts.is_some_and(|(process, nonce)| {
        process.parse::<u32>().is_ok() && nonce.len() == 8 && u32::from_str_radix(nonce, 16).is_ok()
    })
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
