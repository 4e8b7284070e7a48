//! Starting and finishing a recording of this process.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use laptime_recorder::{self as recorder, RecordOptions, RecorderError};
use pyo3::prelude::*;

use crate::errors;

/// A recording that this process started.
#[pyclass(frozen, module = "laptime._core")]
struct Recorder {
    path: PathBuf,
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
        let _ = self.finish_once();
    }
}

#[pymethods]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are converted into owned values"
)]
impl Recorder {
    /// Starts it. Another path than the one asked for is taken when that exists.
    #[new]
    fn new(python: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let recording = python
            .detach(|| record_beside(&path))
            .map_err(|error| errors::from_recorder(&error))?;
        Ok(Self {
            path: recording.path().to_owned(),
            pid: std::process::id(),
            recording: Mutex::new(Some(recording)),
        })
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Finishes it; a second time does nothing.
    fn finish(&self, python: Python<'_>) -> PyResult<()> {
        python
            .detach(|| self.finish_once())
            .map_err(|error| errors::from_recorder(&error))
    }
}

/// Starts a recording at the path or, where that and what follows are taken, at the next free `-<n>`.
fn record_beside(path: &Path) -> Result<recorder::Recording, RecorderError> {
    let mut candidate = path.to_owned();
    let mut number = 1;
    loop {
        match recorder::record(&candidate, &RecordOptions::default()) {
            // A reference to the enclosing recording, which the recorder itself does not number.
            Err(RecorderError::Write { source, .. })
                if source.kind() == ErrorKind::AlreadyExists =>
            {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let mut name = format!("{stem}-{number}");
                if let Some(extension) = path.extension() {
                    name = format!("{name}.{}", extension.to_string_lossy());
                }
                candidate = path.with_file_name(name);
                number += 1;
            }
            result => return result,
        }
    }
}

/// Joins the recording of the program that started this one.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are converted into owned values"
)]
fn join(python: Python<'_>, folder: PathBuf) -> PyResult<()> {
    python
        .detach(|| recorder::join(&folder, &RecordOptions::default()))
        .map_err(|error| errors::from_recorder(&error))
}

/// The folder of the recording in progress.
#[pyfunction]
fn current_folder() -> Option<PathBuf> {
    recorder::current_folder()
}

/// Adds the class and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Recorder>()?;
    module.add_function(wrap_pyfunction!(join, module)?)?;
    module.add_function(wrap_pyfunction!(current_folder, module)?)
}
