//! `lt.open()`: a recording on disk, read when asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use laptime_analysis::Summary;
use laptime_cli::source::{self, SourceOptions};
use laptime_report::{Format, View, render};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict};

use crate::arrow::ArrowTable;
use crate::entry::asked;
use crate::errors;
use crate::report::Report;
use crate::spans::SpanReader;

/// A recording on disk.
#[pyclass(frozen, module = "laptime")]
struct Recording {
    path: PathBuf,
    salvage: bool,
    summary: PyOnceLock<Summary>,
}

impl Recording {
    fn options(&self) -> SourceOptions {
        SourceOptions {
            salvage: self.salvage,
            ..SourceOptions::default()
        }
    }

    fn summary<'a>(&'a self, python: Python<'_>) -> PyResult<&'a Summary> {
        let options = self.options();
        let read = || source::summarize(&self.path, &options);
        self.summary.get_or_try_init(python, || {
            asked(|| {
                python
                    .detach(read)
                    .map_err(|error| errors::from_source(&error))
            })
        })
    }
}

#[pymethods]
impl Recording {
    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The summary.
    fn report(&self, python: Python<'_>) -> PyResult<Report> {
        let summary = self.summary(python)?.clone();
        let path = self.path.clone();
        Ok(Report::of_recording(summary, path, self.options()))
    }

    /// Every span, for anything that reads Arrow's C stream interface.
    fn spans(&self) -> PyResult<ArrowTable> {
        let path = self.path.clone();
        let repr = format!(
            "<laptime.ArrowTable of the spans of {:?}>",
            path.display().to_string()
        );
        asked(|| SpanReader::open(&path))?;
        Ok(ArrowTable::new(repr, move || {
            Ok(Box::new(asked(|| SpanReader::open(&path))?))
        }))
    }

    /// The paths as an indented tree with their times.
    fn tree(&self, python: Python<'_>) -> PyResult<String> {
        let summary = self.summary(python)?;
        let view = View {
            tree: true,
            ..View::default()
        };
        asked(|| Ok(python.detach(|| render(summary, Format::Tree, &view))))
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
        if !self.salvage {
            return Ok((open, (&self.path,)));
        }
        let keywords = [("salvage", true)].into_py_dict(python)?;
        let partial = python.import("functools")?.getattr("partial")?;
        Ok((partial.call((open,), Some(&keywords))?, (&self.path,)))
    }

    fn __repr__(&self) -> String {
        format!("<laptime.Recording {:?}>", self.path.display().to_string())
    }
}

/// Opens a recording: a folder, a packed file, or one process file of it. With `salvage`, damage
/// becomes a warning of the report, and what is intact is read.
#[pyfunction]
#[pyo3(signature = (path, *, salvage=false))]
fn open(python: Python<'_>, path: PathBuf, salvage: bool) -> PyResult<Recording> {
    let recording = Recording {
        path,
        salvage,
        summary: PyOnceLock::new(),
    };
    recording.summary(python)?;
    Ok(recording)
}

/// Adds the class and the function to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Recording>()?;
    module.add_function(wrap_pyfunction!(open, module)?)
}
