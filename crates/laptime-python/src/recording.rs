//! `lt.open()`: a recording on disk, read when asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use laptime::{ExportFormat, Recorded};
use laptime_analysis::Summary;
use laptime_python_macros::guarded;
use laptime_report::{Format, View, render};
use once_cell::race::OnceBox;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::arrow::ArrowTable;
use crate::entry::{asked, asked_at_length};
use crate::errors;
use crate::file_path::FilePath;
use crate::notebook;
use crate::report::Report;
use crate::spans::SpanBatches;

/// A recording on disk.
#[pyclass(frozen, module = "laptime", name = "Recording")]
pub struct OpenedRecording {
    recorded: Recorded,
    summary: OnceBox<Summary>,
}

impl OpenedRecording {
    fn summary<'a>(&'a self, python: Python<'_>) -> PyResult<&'a Summary> {
        let read = || self.recorded.summary();
        self.summary.get_or_try_init(|| {
            asked_at_length(self.bytes(), || {
                let read = python.detach(read);
                read.map(Box::new)
                    .map_err(|error| errors::from_reading(&error))
            })
        })
    }

    /// What it takes to read it.
    fn bytes(&self) -> usize {
        read_bytes(&self.recorded.path)
    }

    fn reported(&self, python: Python<'_>) -> PyResult<Report> {
        let summary = self.summary(python)?.clone();
        Ok(Report::of_recording(summary, self.recorded.clone()))
    }
}

#[guarded]
#[pymethods]
impl OpenedRecording {
    /// Where the recording is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.recorded.path.clone()
    }

    /// The summary.
    fn report(&self, python: Python<'_>) -> PyResult<Report> {
        self.reported(python)
    }

    /// Shows the page below a notebook's cell; prints the table elsewhere.
    fn show(&self, python: Python<'_>) -> PyResult<()> {
        notebook::show(&Bound::new(python, self.reported(python)?)?)
    }

    /// What notebooks show: the report.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.reported(python)?.mime_bundle(python, include, exclude)
    }

    /// Every span, for anything that reads Arrow's C stream interface.
    fn spans(&self) -> PyResult<ArrowTable> {
        let recorded = self.recorded.clone();
        let repr = format!(
            "<laptime.ArrowTable of the spans of {:?}>",
            recorded.path.display().to_string()
        );
        asked_at_length(self.bytes(), || SpanBatches::open(&recorded))?;
        Ok(ArrowTable::new(repr, move || {
            Ok(Box::new(asked(|| SpanBatches::open(&recorded))?))
        }))
    }

    /// Writes the recording in the format of another tool; what `path` ends in says which, unless
    /// `format` does. Replaces what is there.
    #[pyo3(signature = (path, format=None))]
    fn export(&self, python: Python<'_>, path: FilePath, format: Option<&str>) -> PyResult<()> {
        let path = path.path()?;
        let format = match format {
            Some(name) => named(name),
            None => ExportFormat::of_file(&path.to_string_lossy()),
        };
        let format = format.ok_or_else(|| errors::no_export(&path))?;
        let write = || self.recorded.export_file(format, &path);
        asked_at_length(self.bytes(), || {
            let exported = python.detach(write);
            exported.map_err(|error| errors::from_export(error, &path))?;
            Ok(())
        })
    }

    /// The paths as an indented tree with their times.
    fn tree(&self, python: Python<'_>) -> PyResult<String> {
        let summary = self.summary(python)?;
        let view = View {
            tree: true,
            ..View::default()
        };
        asked_at_length(self.bytes(), || {
            Ok(python.detach(|| render(summary, Format::Tree, &view).into_string()))
        })
    }

    /// Metrics by path: pairs of nanoseconds since the start and value, in time order.
    fn metrics(&self, python: Python<'_>) -> PyResult<Py<PyDict>> {
        let metrics = PyDict::new(python);
        for metric in &self.summary(python)?.metrics {
            let series = metric.series.iter();
            let points: Vec<(u64, Option<f64>)> =
                series.map(|point| (point.at_ns, point.value)).collect();
            metrics.set_item(&metric.path, points)?;
        }
        Ok(metrics.unbind())
    }

    /// What the recording says about its surroundings.
    #[getter]
    fn environment(&self, python: Python<'_>) -> PyResult<BTreeMap<String, String>> {
        Ok(self.summary(python)?.environment.clone())
    }

    /// Read again where the copy is.
    fn __reduce__<'py>(&self, python: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&Path,))> {
        let open = python.import("laptime")?.getattr("open")?;
        let path = self.recorded.path.as_path();
        if !self.recorded.salvage {
            return Ok((open, (path,)));
        }
        let keywords = [("salvage", true)].into_py_dict(python)?;
        let partial = python.import("functools")?.getattr("partial")?;
        Ok((partial.call((open,), Some(&keywords))?, (path,)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<laptime.Recording {:?}>",
            self.recorded.path.display().to_string()
        )
    }
}

/// The format of a name that users type.
fn named(name: &str) -> Option<ExportFormat> {
    let mut names = ExportFormat::NAMES.iter();
    let found = names.find(|(known, _)| *known == name);
    found.map(|(_, format)| *format)
}

/// Bytes that it takes to read a recording: a multiple of those on the disk.
pub fn read_bytes(path: &Path) -> usize {
    let length = |path: &Path| path.metadata().map_or(0, |found| found.len());
    let inside = std::fs::read_dir(path).ok().map(|folder| {
        let parts = folder.filter_map(|part| Some(part.ok()?.path()));
        parts.map(|part| length(&part)).sum()
    });
    let bytes = inside.unwrap_or_else(|| length(path));
    usize::try_from(bytes)
        .unwrap_or(usize::MAX)
        .saturating_mul(READ)
}

/// What a byte of a file becomes.
const READ: usize = 8;

/// Opens a recording: a folder, a packed file, or one process file of it. With `salvage`, damage
/// becomes a warning of the report, and what is intact is read.
#[guarded]
#[pyfunction]
#[pyo3(signature = (path, *, salvage=false))]
pub fn open(python: Python<'_>, path: FilePath, salvage: bool) -> PyResult<OpenedRecording> {
    let path = path.path()?;
    let recording = OpenedRecording {
        recorded: Recorded {
            salvage,
            ..Recorded::new(&path)
        },
        summary: OnceBox::new(),
    };
    recording.summary(python)?;
    Ok(recording)
}
