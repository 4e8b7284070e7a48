//! Where a report goes: a file, perhaps shown in a browser, or the standard output.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::browser;
use crate::error::CliError;

/// Writes a report; whether it went to the standard output.
pub fn write(
    text: &str,
    file: Option<&Path>,
    open: bool,
    out: &mut dyn Write,
) -> Result<bool, CliError> {
    let Some(path) = file else {
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .map_err(CliError::from_output)?;
        return Ok(true);
    };
    fs::write(path, text).map_err(|source| CliError::Output {
        target: path.display().to_string(),
        source,
    })?;
    if open {
        browser::open(path)?;
    }
    Ok(false)
}
