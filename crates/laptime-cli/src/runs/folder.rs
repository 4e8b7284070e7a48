//! `.laptime/runs` in the working folder: made by the first run, ignored by git, and used only where nobody else put it.
//!
//! Where it can't be had, a run is recorded in the working folder itself: where recordings lie is never a reason to
//! have none.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use laptime_recorder::folder;
use rustix::fs::{Access, access};
use rustix::process::geteuid;

/// What it lies in. Baselines lie there too, which are shared.
const ABOVE: &str = ".laptime";
/// The folder itself.
pub const RUNS: &str = ".laptime/runs";
/// What git is told to ignore: the runs and this file, so that a run alone changes nothing that git shows.
const IGNORED: &str = "/runs/\n/.gitignore\n";

/// What was made for a run.
#[derive(Debug)]
pub struct Made {
    /// Where, from the working folder.
    pub path: PathBuf,
    /// Why it isn't in `.laptime/runs`.
    pub elsewhere_why: Option<io::Error>,
}

/// Makes something at `<stem>-<n>.lap` in `.laptime/runs`, or in the working folder where that can't be.
///
/// **Errors** with the reason why it isn't in `.laptime/runs`, where the working folder takes nothing either.
pub fn make_next(stem: &str, make: impl Fn(&Path) -> io::Result<()>) -> io::Result<Made> {
    let (runs, here) = (Path::new(RUNS), Path::new(""));
    let why = match made().and_then(|()| folder::at_next(runs, here, stem, &make)) {
        Ok(path) => {
            return Ok(Made {
                path,
                elsewhere_why: None,
            });
        }
        Err(why) => why,
    };
    match folder::at_next(here, runs, stem, make) {
        Ok(path) => Ok(Made {
            path,
            elsewhere_why: Some(why),
        }),
        Err(_) => Err(why),
    }
}

/// Makes the folder where it isn't there.
///
/// **Errors** with the system's reason, and where something else has its name, or it is somebody else's.
fn made() -> io::Result<()> {
    let (above, runs) = (Path::new(ABOVE), Path::new(RUNS));
    if runs.symlink_metadata().is_err() {
        one(above)?;
        // Before it: a run that is killed in between leaves nothing that git shows.
        ignore(&above.join(".gitignore"));
        return one(runs);
    }
    is_usable(above)?;
    is_usable(runs)
}

fn one(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        // Another run may have been a moment quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => other?,
    }
    is_usable(path)
}

/// Leaves a file for git where there is none. Without it there are files more that git shows, and that is all.
fn ignore(path: &Path) {
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    if let Ok(mut file) = new
        && file.write_all(IGNORED.as_bytes()).is_err()
    {
        let _ = fs::remove_file(path);
    }
}

/// **Errors** where it is no folder, or was put there by a user who isn't this one, root, or the owner of the working
/// folder: that user could read what is recorded there.
fn is_usable(path: &Path) -> io::Result<()> {
    let found = path.metadata();
    if !found.as_ref().is_ok_and(fs::Metadata::is_dir) {
        let why = format!("{} is not a folder", path.display());
        return Err(io::Error::new(io::ErrorKind::NotADirectory, why));
    }
    let here = Path::new(".").metadata()?.uid();
    let is_trusted = |uid| [geteuid().as_raw(), 0, here].contains(&uid);
    if is_trusted(found?.uid()) && is_trusted(path.symlink_metadata()?.uid()) {
        return Ok(());
    }
    let why = format!("{} is another user's", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Why nothing may be deleted in it: a link leads elsewhere, another user's recordings are theirs, and of one in a folder
/// that is protected only the content would go. `None` where nothing is against it, or it isn't there.
pub fn protection() -> Option<String> {
    let user = geteuid().as_raw();
    let not_own = [ABOVE, RUNS].iter().find_map(|path| {
        let found = Path::new(path).symlink_metadata().ok()?;
        if found.is_symlink() {
            return Some(format!("{path} is a link"));
        }
        if !found.is_dir() {
            return Some(format!("{path} is not a folder"));
        }
        (found.uid() != user).then(|| format!("{path} is another user's"))
    });
    let is_writable = !Path::new(RUNS).exists() || access(RUNS, Access::WRITE_OK).is_ok();
    not_own.or_else(|| (!is_writable).then(|| format!("{RUNS} is write-protected")))
}

/// Whether a recording lies in a folder of this kind, of this working folder or of another.
pub fn holds(recording: &Path) -> bool {
    let above = recording.parent();
    above.is_some_and(|above| above.ends_with(RUNS))
}
