//! Where a report goes: a file, perhaps shown in a browser, or the standard output.

use std::io;
use std::path::Path;

use laptime_recorder::output::is_inside;
use laptime_report::Shown;
use rustix::fs::{Access, access};

use super::browser;
use crate::error::CliError;
use crate::messages::say;
use crate::outlet::Outlet;

/// Writes a report; whether it went to the standard output. Where it is to be opened and there is no display, it is said
/// where it lies.
pub fn write(
    text: &Shown,
    file: Option<&Path>,
    open: bool,
    (out, err): (&mut Outlet<'_>, &mut Outlet<'_>),
) -> Result<bool, CliError> {
    let Some(path) = file else {
        out.show(text).map_err(CliError::from_output)?;
        return Ok(true);
    };
    laptime_recorder::output::write(path, &**text).map_err(|source| CliError::Output {
        target: path.display().to_string(),
        source,
    })?;
    if open && browser::is_without_display() {
        say(
            err,
            format_args!("page: {} (no display to open it on)", path.display()),
        );
    } else if open {
        browser::open(path)?;
    }
    Ok(false)
}

/// Refuses to write over the recording that is read, into its folder, or over the folder of a file that is read.
pub fn not_over_a_recording(output: Option<&Path>, recording: &Path) -> Result<(), CliError> {
    let over = |path: &&Path| is_inside(path, recording) || is_inside(recording, path);
    match output.filter(over) {
        Some(path) => Err(CliError::IsRecording {
            path: path.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Whether a file can be written later, as far as that can be told without touching it.
///
/// **Errors** with the system's reason.
pub fn may_write(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => return allowed(path),
        Err(_) => {}
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    allowed(folder)
}

/// Asks the system whether a file, or the entries of a folder, may be written.
fn allowed(path: &Path) -> io::Result<()> {
    Ok(access(path, Access::WRITE_OK)?)
}
