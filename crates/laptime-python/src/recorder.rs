//! Starting and finishing a recording of this process.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Mutex;

use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, RecordOptions, RecorderError};
use pyo3::exceptions::PyFileExistsError;
use pyo3::prelude::*;

use crate::entry::{asked, measuring};
use crate::errors;
use crate::file_path::FilePath;
use crate::notebook;

/// A recording that this process started.
#[pyclass(frozen, module = "laptime._core")]
pub struct Recorder {
    path: PathBuf,
    taken_path: Option<String>,
    /// The process that started it. A forked child has a file of its own, and no say in the run's end.
    pid: u32,
    recording: Mutex<Option<recorder::Recording>>,
}

impl Recorder {
    fn finish_once(&self) -> Result<(), RecorderError> {
        let recording = self.recording.lock().ok().and_then(|mut held| held.take());
        match recording {
            Some(recording) if self.pid == std::process::id() => recording.finish().map(drop),
            Some(of_the_parent) => {
                std::mem::forget(of_the_parent);
                recorder::close();
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure; readers accept a recording without its end.
        recorder::guard((), || drop(self.finish_once()));
    }
}

#[guarded]
#[pymethods]
impl Recorder {
    /// Starts it. Another path than the one asked for is taken when that exists.
    #[new]
    fn new(python: Python<'_>, path: FilePath) -> PyResult<Self> {
        let path = path.path()?;
        asked(|| {
            let options = RecordOptions {
                program: notebook::file_name(python),
                ..RecordOptions::default()
            };
            let recording = python
                .detach(|| recorder::record(&path, &options))
                .map_err(|error| errors::from_recorder(&error))?;
            Ok(Self {
                path: recording.path().to_owned(),
                taken_path: recording.taken_path(&path),
                pid: std::process::id(),
                recording: Mutex::new(Some(recording)),
            })
        })
    }

    /// Deletes the recording at a path, which another one is to have.
    #[staticmethod]
    fn make_room(path: FilePath) -> PyResult<()> {
        let path = path.path()?;
        asked(|| match recorder::folder::remove(&path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(PyFileExistsError::new_err(format!(
                "{} is no recording, so force=True does not replace it: choose another path",
                path.display()
            ))),
            // It stays, and the next free name is taken, which is said.
            Err(error) if error.kind() == ErrorKind::ResourceBusy => Ok(()),
            Err(error) => Err(errors::from_io(&error, &path)),
        })
    }

    /// Where the recording is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Says that the path asked for was taken, if so.
    #[getter]
    fn taken_path(&self) -> Option<&str> {
        self.taken_path.as_deref()
    }

    /// The recording's path as text, without the standard library's paths: nothing is imported at the start.
    #[getter]
    fn folder(&self) -> std::ffi::OsString {
        self.path.clone().into()
    }

    /// Finishes it; a second time does nothing.
    fn finish(&self, python: Python<'_>) -> PyResult<()> {
        let finish = || python.detach(|| self.finish_once());
        measuring(|| Ok(()), finish).map_err(|error| errors::from_recorder(&error))
    }
}

/// Joins the recording of the program that started this one.
#[guarded]
#[pyfunction]
pub fn join(python: Python<'_>, folder: FilePath) -> PyResult<()> {
    let folder = folder.path()?;
    let join = || python.detach(|| recorder::join(&folder, &RecordOptions::default()));
    measuring(|| Ok(()), join).map_err(|error| errors::from_recorder(&error))
}

/// Ends this process's part of the recording.
#[guarded]
#[pyfunction]
pub fn close(python: Python<'_>) {
    measuring(|| (), || python.detach(recorder::close));
}

/// The folder of the recording in progress.
#[guarded]
#[pyfunction]
pub fn current_folder() -> Option<PathBuf> {
    measuring(|| None, recorder::current_folder)
}

/// Warns on standard error in one line, where that can be written.
#[guarded]
#[pyfunction]
pub fn warn(message: &str) {
    measuring(|| (), || recorder::warn(&message));
}
