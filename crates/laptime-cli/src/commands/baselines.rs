//! Baselines: recordings or files of benchmarks, kept beside a project under a name, to compare later ones
//! with.
//!
//! They are packed recordings, or copies of the files, in `.laptime/baselines/<name>/`, in the nearest folder above that has
//! baselines or begins a project. A baseline is written aside and then renamed: whoever reads it, or
//! saves another under the same name at the same time, sees one of them whole. What a job that was killed
//! left aside goes with a later save.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use laptime_reader::OtherFile;
use tempfile::Builder;

use super::pack;
use crate::error::CliError;

/// The folder, beside the project.
const FOLDER: &str = ".laptime/baselines";
/// What a project's own folder has. `.laptime` alone says nothing: a run makes it wherever it is started.
const MARKS: [&str; 5] = [
    FOLDER,
    ".laptime/benchmarks",
    ".git",
    "pyproject.toml",
    "Cargo.toml",
];
/// How often another job may be a moment quicker.
const MOST_TRIES: usize = 100;
/// What is written aside, and what had the name before.
const ASIDE: [&str; 2] = [".new-", ".old-"];
/// From this age on nobody writes there any more. By age, not by the process: jobs in other containers have
/// processes that can't be asked for from here.
const LEFT_AFTER: Duration = Duration::from_hours(1);
/// What kept files end in.
const ENDINGS: [&str; 2] = ["lap", "json"];

/// Keeps recordings, or files of benchmarks, under a name, and says where. What had that name goes.
pub fn save(name: &str, recordings: &[PathBuf]) -> Result<PathBuf, CliError> {
    let folder = folder(name)?;
    let failed = |source| CliError::Output {
        target: folder.display().to_string(),
        source,
    };
    let target = folder.join(name);
    if target.symlink_metadata().is_ok() && !is_baseline(&target) {
        let what = format!("{name} is there and no baseline, so it is never replaced");
        return Err(failed(io::Error::other(what)));
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    remove_left(&folder);
    let aside = |what: &str| Builder::new().prefix(what).tempdir_in(&folder);
    let draft = aside(ASIDE[0]).map_err(failed)?;
    let digits = recordings.len().to_string().len();
    for (at, recording) in recordings.iter().enumerate() {
        let own = recording.file_stem().unwrap_or_default().display();
        let file = |ending| {
            let file = format!("{:0digits$}-{own}.{ending}", at + 1);
            draft.path().join(file)
        };
        if OtherFile::of_schema(recording) == Some(OtherFile::Benchmarks) {
            fs::copy(recording, file("json")).map_err(failed)?;
        } else {
            pack::pack(recording, &file("lap"))?;
        }
    }
    let old = aside(ASIDE[1]).map_err(failed)?;
    for at in 0..MOST_TRIES {
        // Another job may have put its own there in between: that one goes as well.
        let _ = fs::rename(&target, old.path().join(at.to_string()));
        match fs::rename(draft.path(), &target) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) => return Err(failed(error)),
            Ok(()) => {
                // It has another name now: there is nothing to be removed.
                let _ = draft.keep();
                return Ok(target);
            }
        }
    }
    Err(failed(io::ErrorKind::ResourceBusy.into()))
}

/// Removes what jobs left that were killed. What can't be removed is in nobody's way.
fn remove_left(folder: &Path) {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_aside = ASIDE
            .iter()
            .any(|prefix| name.to_string_lossy().starts_with(prefix));
        if is_aside && is_old(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder and all that is in it were last written long ago.
fn is_old(folder: &Path) -> bool {
    let inside = folder.read_dir().into_iter().flatten().flatten();
    let all = std::iter::once(folder.to_owned()).chain(inside.map(|entry| entry.path()));
    let now = SystemTime::now();
    all.into_iter().all(|path| {
        let written = path.symlink_metadata().and_then(|file| file.modified());
        written.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > LEFT_AFTER))
    })
}

/// The recordings that are kept under a name, in the order in which they were named.
pub fn load(name: &str) -> Result<Vec<PathBuf>, CliError> {
    let folder = folder(name)?;
    let mut found = recordings(&folder.join(name));
    for _ in 0..MOST_TRIES {
        if !found.is_empty() || !folder.exists() {
            break;
        }
        // It may be on its way: between two names for a moment.
        std::thread::yield_now();
        found = recordings(&folder.join(name));
    }
    if found.is_empty() {
        return Err(CliError::NoBaseline {
            name: name.to_owned(),
            known: names(&folder),
            folder,
        });
    }
    Ok(found)
}

/// The folder of all baselines of the project that this folder is in.
fn folder(name: &str) -> Result<PathBuf, CliError> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_plain) {
        return Err(CliError::NoBaselineName {
            name: name.to_owned(),
        });
    }
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let has = |above: &&Path| MARKS.iter().any(|mark| above.join(mark).exists());
    let project = here.ancestors().find(has).unwrap_or(&here);
    Ok(project.join(FOLDER))
}

/// Whether a folder holds what is kept under a name, and nothing else.
fn is_baseline(folder: &Path) -> bool {
    let is_kept = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| ENDINGS.contains(&ending)) && path.is_file()
    };
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let mut entries = folder.read_dir().into_iter().flatten();
    is_folder && entries.all(|entry| entry.is_ok_and(|entry| is_kept(&entry.path())))
}

fn recordings(baseline: &Path) -> Vec<PathBuf> {
    let entries = baseline.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let ending = path.extension();
            ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
        })
        .collect();
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_one = |name: &String| {
        let path = folder.join(name);
        !name.starts_with('.') && is_baseline(&path) && !recordings(&path).is_empty()
    };
    let mut names: Vec<String> = names.filter(is_one).collect();
    names.sort();
    names
}
