//! The one map from the library crates' errors to Python's exceptions.
//!
//! File errors become the built-in ones (`FileNotFoundError`, `PermissionError`, …), with
//! their number; everything else stands under `LaptimeError`.

use std::io;

use laptime::{ExportError, ExportFormat};
use laptime_reader::ReadError;
use laptime_recorder::RecorderError;
use laptime_report::visible;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    laptime,
    LaptimeError,
    PyException,
    "The root of Laptime's own errors."
);
create_exception!(
    laptime,
    DamagedRecordingError,
    LaptimeError,
    "A recording cannot be read: it is damaged, empty, foreign or newer; the message says where."
);
create_exception!(
    laptime,
    NotAvailableError,
    LaptimeError,
    "Asked for something that this version does not do; the message names what exists."
);

/// Adds the classes to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("LaptimeError", python.get_type::<LaptimeError>())?;
    module.add(
        "DamagedRecordingError",
        python.get_type::<DamagedRecordingError>(),
    )?;
    module.add("NotAvailableError", python.get_type::<NotAvailableError>())
}

/// A file error, as the built-in exception of its number.
pub fn from_io(error: &io::Error, path: &std::path::Path) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let text = io::Error::from_raw_os_error(number).to_string();
            let text = text
                .split(" (os error")
                .next()
                .unwrap_or_default()
                .to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(visible(&format!("{}: {error}", path.display()))),
    }
}

/// The recorder's errors.
pub fn from_recorder(error: &RecorderError) -> PyErr {
    match error {
        RecorderError::Create { folder, source } => from_io(source, folder),
        RecorderError::Write { path, source } => from_io(source, path),
        other => LaptimeError::new_err(other.to_string()),
    }
}

/// The errors of opening and reading a recording.
pub fn from_reading(error: &ReadError) -> PyErr {
    match error {
        ReadError::Missing { path } => {
            let text = "No such file or directory";
            PyFileNotFoundError::new_err((2, text, path.as_os_str().to_owned()))
        }
        ReadError::Read { path, source, .. } => from_io(source, path),
        // Names in the file are foreign, and a traceback goes to a terminal.
        other => DamagedRecordingError::new_err(visible(&other.to_string())),
    }
}

/// The errors of exporting to `path`.
pub fn from_export(error: ExportError, path: &std::path::Path) -> PyErr {
    match error {
        ExportError::Reading(error) => from_reading(&error),
        ExportError::Output(source) | ExportError::File { source, .. } => from_io(&source, path),
        other => PyValueError::new_err(visible(&other.to_string())),
    }
}

/// No format of an export is known by that name or ending.
pub fn no_export(path: &std::path::Path) -> PyErr {
    let names = ExportFormat::NAMES.map(|(name, _)| name).join(", ");
    let endings = ExportFormat::ENDINGS.map(|(ending, _)| ending).join(", ");
    PyValueError::new_err(visible(&format!(
        "{}: unknown format; formats are {names}, and endings {endings}",
        path.display()
    )))
}
