//! Showing a file in the user's browser, and only when asked to.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::CliError;

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
