//! Paths of files as Python takes them: text, bytes, and whatever has `__fspath__`.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;

use crate::errors;

/// A path of a file. What is none is refused in the words of `os.fspath`.
pub struct FilePath(pub PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let decode = given.py().import("os")?.getattr("fsdecode")?;
        Ok(Self(decode.call1((given,))?.extract()?))
    }
}

/// Writes a text to a path, replacing what is there, or returns it where there is none.
pub fn written(text: String, path: Option<FilePath>) -> PyResult<Option<String>> {
    let Some(FilePath(path)) = path else {
        return Ok(Some(text));
    };
    write(&text, &path)?;
    Ok(None)
}

fn write(text: &str, path: &Path) -> PyResult<()> {
    laptime_recorder::output::write(path, text).map_err(|error| errors::from_io(&error, path))
}
