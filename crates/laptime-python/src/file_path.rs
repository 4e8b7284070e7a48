//! Paths of files as Python takes them: text, bytes, and whatever has `__fspath__`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use laptime_python_macros::guarded;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::entry::raised;
use crate::errors;
use crate::fast::name::Text;

/// A path of a file. What is none is refused in the words of `os.fspath`.
///
/// Where there is no memory for it, that is told when it is asked for: the bindings panic where there is none
/// for a note on a refused argument.
pub struct FilePath(PyResult<PathBuf>);

impl FilePath {
    /// The path.
    ///
    /// **Errors** `MemoryError`.
    pub fn path(self) -> PyResult<PathBuf> {
        self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let python = given.py();
        let mut bytes: *mut ffi::PyObject = null_mut();
        // SAFETY: a live object, and room for one that is made.
        let done = unsafe { ffi::PyUnicode_FSConverter(given.as_ptr(), (&raw mut bytes).cast()) };
        if done == 0 {
            let error = raised(python);
            return if error.is_instance_of::<PyMemoryError>(python) {
                Ok(Self(Err(error)))
            } else {
                Err(error)
            };
        }
        // SAFETY: the call made an object of bytes, which is ours.
        let bytes =
            unsafe { Bound::from_owned_ptr(python, bytes).cast_into_unchecked::<PyBytes>() };
        Ok(Self(Ok(
            OsString::from_vec(bytes.as_bytes().to_vec()).into()
        )))
    }
}

/// Writes a text to a path, replacing what is there, or returns it where there is none.
pub fn written(text: String, path: Option<FilePath>) -> PyResult<Option<String>> {
    let Some(path) = path else {
        return Ok(Some(text));
    };
    write(&text, &path.path()?)?;
    Ok(None)
}

/// Writes a text to a path: whole, or what is there stays.
#[guarded]
#[pyfunction]
pub fn write_output(python: Python<'_>, path: FilePath, text: Text) -> PyResult<()> {
    let path = path.path()?;
    python.detach(|| write(&text.0, &path))
}

fn write(text: &str, path: &Path) -> PyResult<()> {
    laptime_recorder::output::write(path, text).map_err(|error| errors::from_io(&error, path))
}
