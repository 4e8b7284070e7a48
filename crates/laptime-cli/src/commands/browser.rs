//! Showing a file in the user's browser, and only when asked to.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::CliError;

/// Tells whether a page that is opened can be seen by nobody: nothing shows pages of a desktop, and no other program is
/// named for it. Only Linux says so.
pub fn is_without_display() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let names = ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY"];
    cfg!(target_os = "linux") && !names.into_iter().any(is_set)
}

/// Starts the program that `BROWSER` names, else the desktop's own.
pub fn open(path: &Path) -> Result<(), CliError> {
    let failed = |source| CliError::Browser {
        path: path.to_owned(),
        source,
    };
    let program = env::var_os("BROWSER")
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| OsString::from("xdg-open"));
    let status = Command::new(program)
        .arg(path.canonicalize().map_err(failed)?)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(failed(io::Error::other(format!(
        "the browser ended with {status}"
    ))))
}
