//! `lt.report()` and what it returns: a summary, addressed by path.
//!
//! The numbers are the analysis', the text is the report crate's; here stand the ways that
//! Python asks for them.

use std::sync::Arc;

use laptime::{Recorded, summarize_live};
use laptime_analysis::{Summary, by_nearness, nearest};
use laptime_python_macros::guarded;
use laptime_reader::ReadError;
use laptime_report::html::{self, Page};
use laptime_report::next_command::{Origin, after_report};
use laptime_report::sentences::doubts::all_in_words;
use laptime_report::{Document, Format, View, WordedFinding, render};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use crate::arrow::{ArrowTable, rows};
use crate::entry::asked_at_length;
use crate::errors;
use crate::file_path::{FilePath, written};
use crate::finding::Finding;
use crate::lookup::{self, Found};
use crate::notebook;
use crate::recording::read_bytes;
use crate::summary::{SpanSummary, is_number, no_number};

/// Most paths that an error names.
const MOST_PATHS: usize = 8;

/// What a whole report may lack, beside numbers of its rows.
const PARTS: [&str; 4] = ["functions", "spans", "run.end", "host_memory_peak_bytes"];

/// Bytes that a row takes in any of the formats, beside its name.
const ROW: usize = 4_096;

/// The summary of a program so far, or of a recording.
#[pyclass(frozen, module = "laptime", mapping)]
pub struct Report {
    summary: Arc<Summary>,
    /// Shown one after the other instead of the summary, each under its title.
    tables: Vec<(String, Summary)>,
    /// Where the report's spans are, and how to read them.
    recording: Option<Recorded>,
}

impl Report {
    /// The report of a summary.
    pub fn new(summary: Summary) -> Self {
        #[cfg(feature = "as-tested")]
        crate::contradictions::check(&summary);
        Self {
            summary: Arc::new(summary),
            tables: Vec::new(),
            recording: None,
        }
    }

    /// The report of a recording's summary.
    pub fn of_recording(summary: Summary, recorded: Recorded) -> Self {
        Self {
            recording: Some(recorded),
            ..Self::new(summary)
        }
    }

    /// The report of a summary that is shown as several.
    pub fn with_tables(summary: Summary, tables: Vec<(String, Summary)>) -> Self {
        Self {
            tables,
            ..Self::new(summary)
        }
    }

    /// What a command needs to ask for more of it.
    fn origin(&self) -> Origin {
        let path = self.recording.as_ref().map(|recorded| &*recorded.path);
        laptime_cli::origin_of_report(path, &self.summary)
    }

    fn view(&self) -> View {
        View {
            origin: self.origin(),
            ..View::default()
        }
    }

    fn span(&self, index: usize) -> SpanSummary {
        SpanSummary::new(self.summary.clone(), index)
    }

    /// What there is for somebody who asked for something else.
    fn paths_here(&self, wanted: &str) -> String {
        let paths = by_nearness(&self.summary.rows, wanted);
        if paths.is_empty() {
            return "(nothing was recorded)".to_owned();
        }
        let shown = paths[..paths.len().min(MOST_PATHS)].join(", ");
        match paths.len().saturating_sub(MOST_PATHS) {
            0 => format!("(paths here: {shown})"),
            more => format!("(paths here: {shown} and {more} more)"),
        }
    }

    /// What it takes to write of it.
    fn bytes(&self) -> usize {
        let tables = self.tables.iter().map(|(_, table)| table.rows.len());
        let rows = self.summary.rows.len() + tables.sum::<usize>();
        let read = self
            .recording
            .as_ref()
            .map_or(0, |recorded| read_bytes(&recorded.path));
        rows.saturating_mul(ROW).saturating_add(read)
    }

    fn find_one(&self, path: &Bound<'_, PyAny>) -> PyResult<Found> {
        asked_at_length(self.bytes(), || lookup::of_path(&self.summary.rows, path))
    }

    /// The whole page.
    pub fn page_text(&self) -> PyResult<String> {
        let page = || self.page().map_err(|error| errors::from_reading(&error));
        asked_at_length(self.bytes(), page)
    }

    fn page(&self) -> Result<String, ReadError> {
        let view = View::default();
        if let Some(recorded) = &self.recording {
            return Ok(recorded.page(&self.summary, &view)?.into_string());
        }
        if self.tables.is_empty() {
            return Ok(render(&self.summary, Format::Html, &view).into_string());
        }
        let documents = self.tables.iter().map(|(title, table)| Document {
            title: title.clone(),
            ..Document::new(table, &view)
        });
        let why = "a timer keeps how long its segments took, not when they ran";
        let page = Page::of_tables(&self.summary.program, documents.collect(), why);
        Ok(html::render(&page).into_string())
    }

    fn text(&self, python: Python<'_>) -> PyResult<String> {
        let view = View {
            width: stdout_width(python),
            utf8: stdout_takes_utf8(python),
            ..View::default()
        };
        self.render(python, Format::Text, &view)
    }

    fn markdown(&self, python: Python<'_>) -> PyResult<String> {
        self.render(python, Format::Markdown, &View::default())
    }

    fn render(&self, python: Python<'_>, format: Format, view: &View) -> PyResult<String> {
        let text = || {
            if self.tables.is_empty() || matches!(format, Format::Json | Format::Csv) {
                return render(&self.summary, format, view).into_string();
            }
            let tables = self.tables.iter();
            let shown = tables.map(|(title, table)| {
                let heading = laptime_report::heading(title, format);
                format!("{heading}\n{}", render(table, format, view))
            });
            shown.collect::<Vec<_>>().join("\n")
        };
        asked_at_length(self.bytes(), || Ok(python.detach(text)))
    }

    /// What notebooks show.
    pub fn mime_bundle<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let view = View::default();
        let html = if self.tables.is_empty() {
            html::fragment(&Document::new(&self.summary, &view))
        } else {
            let tables = self.tables.iter().map(|(title, table)| {
                let document = Document::new(table, &view);
                html::fragment(&Document {
                    title: title.clone(),
                    ..document
                })
            });
            tables.collect()
        };
        let (plain, markdown) = (self.text(python)?, self.markdown(python)?);
        let bundle = notebook::bundle(python, plain, html, Some(markdown))?;
        notebook::only(bundle, include, exclude)
    }
}

#[guarded]
#[pymethods]
impl Report {
    fn __str__(&self, python: Python<'_>) -> PyResult<String> {
        self.text(python)
    }

    fn __repr__(&self) -> String {
        let rows = self.summary.rows.len();
        format!(
            "<laptime.Report of {:?}: {rows} paths>",
            self.summary.program
        )
    }

    /// Nothing in it changes: its copy is itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        this
    }

    fn __reduce__(_this: &Bound<'_, Self>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a laptime.Report cannot be pickled: pickle what you need of it, such as its to_json()",
        ))
    }

    fn __len__(&self) -> usize {
        self.summary.rows.len()
    }

    fn __iter__<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let paths = self.summary.rows.iter().map(|row| &row.path);
        PyList::new(python, paths.collect::<Vec<_>>())?.try_iter()
    }

    fn __contains__(&self, path: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self.find_one(path) {
            Ok(found) => Ok(matches!(found, Found::One(_) | Found::Several(_))),
            Err(error) if error.is_instance_of::<PyTypeError>(path.py()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn __getitem__(&self, path: &Bound<'_, PyAny>) -> PyResult<SpanSummary> {
        match self.find_one(path)? {
            Found::One(index) => Ok(self.span(index)),
            Found::Several(indexes) => {
                let paths: Vec<&str> = indexes
                    .iter()
                    .map(|index| self.summary.rows[*index].path.as_str())
                    .collect();
                Err(PyKeyError::new_err(format!(
                    "{} paths end in {}: {}",
                    paths.len(),
                    path.repr()?,
                    paths.join(", ")
                )))
            }
            Found::None => {
                let wanted = last_name(path)?;
                let near = nearest(&self.summary.rows, &wanted);
                let near =
                    near.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
                Err(PyKeyError::new_err(format!(
                    "no path is or ends in {}{near} {}",
                    path.repr()?,
                    self.paths_here(&wanted)
                )))
            }
        }
    }

    /// All paths that match: `*` and `?` stand for characters of a name, `**` for any names.
    fn find(&self, pattern: &str) -> PyResult<Vec<SpanSummary>> {
        asked_at_length(self.bytes(), || {
            let found = lookup::all(&self.summary.rows, pattern).into_iter();
            Ok(found.map(|index| self.span(index)).collect())
        })
    }

    /// The program's name.
    #[getter]
    fn program(&self) -> &str {
        &self.summary.program
    }

    /// How long the program ran, in nanoseconds.
    #[getter]
    fn wall_ns(&self) -> u64 {
        self.summary.wall_ns
    }

    /// The report without warm-up; `None` when no steady state was found, see `why("steady")`.
    #[getter]
    fn steady(&self, python: Python<'_>) -> Option<Self> {
        let steady = self.summary.steady.as_ref()?;
        let summary = python.detach(|| Summary {
            span_count: steady.rows.iter().filter_map(|row| row.count).sum(),
            rows: steady.rows.clone(),
            wall_ns: steady.wall_ns,
            measured_ns: steady.wall_ns,
            steady: None,
            ..(*self.summary).clone()
        });
        Some(Self {
            recording: self.recording.clone(),
            ..Self::new(summary)
        })
    }

    /// Where the time went, in words: the first line of every report.
    #[getter]
    fn headline(&self) -> String {
        laptime_report::sentences::headline::in_one_line(&self.summary, true)
    }

    /// What to look at first, the weightiest first, each with what to try.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        let worded = WordedFinding::all(&self.summary, &self.origin());
        worded.iter().map(Finding::new).collect()
    }

    /// The words of the command that shows more of the run, `laptime` first; `None` without a recording.
    #[getter]
    fn next(&self) -> Option<Vec<String>> {
        after_report(&self.summary, &self.view()).map(|next| next.argv)
    }

    /// Reasons for doubt, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = all_in_words(&self.summary.warnings).into_iter();
        let sentence = |warning: laptime_core::Warning| match warning.hint {
            Some(hint) => format!("{} ({hint})", warning.message),
            None => warning.message,
        };
        warnings.map(sentence).collect()
    }

    /// Why a number is absent from all rows, or why there is no steady state.
    ///
    /// **Raises** `AttributeError` for a name that is none of a number.
    fn why(&self, field: &str) -> PyResult<Option<String>> {
        if field == "steady" {
            return Ok(self.summary.steady_why.as_ref().map(ToString::to_string));
        }
        match self.summary.unavailable.get(field) {
            Some(reason) => Ok(Some(reason.to_string())),
            None if PARTS.contains(&field) || is_number(field) => Ok(None),
            None => Err(no_number("report", field)),
        }
    }

    /// The report as markdown; with a path it is written there, replacing what is there.
    #[pyo3(signature = (path=None))]
    fn to_markdown(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.markdown(python)?, path)
    }

    /// The report as JSON, with the names of the published schema; with a path it is written there,
    /// replacing what is there.
    #[pyo3(signature = (path=None))]
    fn to_json(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Json, &self.view())?, path)
    }

    /// The report as comma-separated values, one line a path; with a path it is written there,
    /// replacing what is there.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Csv, &View::default())?, path)
    }

    /// The report as an indented tree.
    fn to_tree(&self, python: Python<'_>) -> PyResult<String> {
        let view = View {
            tree: true,
            utf8: stdout_takes_utf8(python),
            ..View::default()
        };
        self.render(python, Format::Tree, &view)
    }

    /// A page to open in a browser; a recording's has a timeline. With a path it is written there,
    /// replacing what is there.
    #[pyo3(signature = (path=None))]
    fn to_html(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        let page = || {
            python
                .detach(|| self.page())
                .map_err(|error| errors::from_reading(&error))
        };
        written(asked_at_length(self.bytes(), page)?, path)
    }

    /// The rows, for anything that reads Arrow's C stream interface.
    fn to_arrow(&self) -> PyResult<ArrowTable> {
        asked_at_length(self.bytes(), || rows(&self.summary))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        asked_at_length(self.bytes(), || {
            rows(&self.summary)?.stream(python, requested_schema)
        })
    }

    /// Shows the page below a notebook's cell; prints the table elsewhere.
    fn show(this: &Bound<'_, Self>) -> PyResult<()> {
        notebook::show(this)
    }

    /// What notebooks show.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.mime_bundle(python, include, exclude)
    }
}

/// The innermost name of what was asked for.
fn last_name(path: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(lookup::names(path)?.pop().unwrap_or_default())
}

/// Whether printing characters beyond ASCII is safe.
pub fn stdout_takes_utf8(python: Python<'_>) -> bool {
    let encoding = python
        .import("sys")
        .and_then(|sys| sys.getattr("stdout"))
        .and_then(|stdout| stdout.getattr("encoding"))
        .and_then(|encoding| encoding.extract::<String>());
    encoding.map_or(true, |name| name.to_ascii_lowercase().starts_with("utf"))
}

/// Columns that are printed to: what `COLUMNS` says, as in the command, else the terminal's; `None` where
/// neither says.
pub fn stdout_width(python: Python<'_>) -> Option<usize> {
    let environment = python.import("os").ok()?.getattr("environ").ok()?;
    let asked = environment.call_method1("get", ("COLUMNS", "")).ok()?;
    let asked: Option<usize> = asked.extract::<String>().ok()?.trim().parse().ok();
    if let Some(columns) = asked.filter(|columns| *columns > 0) {
        return Some(columns);
    }
    let stdout = python.import("sys").ok()?.getattr("stdout").ok()?;
    let is_terminal: bool = stdout.call_method0("isatty").ok()?.extract().ok()?;
    let size = || python.import("shutil")?.call_method0("get_terminal_size");
    let columns = is_terminal.then(size)?.ok()?.getattr("columns").ok()?;
    columns.extract().ok()
}

/// The report of this process so far.
#[guarded]
#[pyfunction]
pub fn report(python: Python<'_>) -> PyResult<Report> {
    let summary = || python.detach(|| summarize_live(&laptime_recorder::live()));
    asked_at_length(0, || {
        let mut summary = summary();
        if let Some(name) = notebook::file_name(python) {
            summary.program = name;
        }
        // A recording is told at its end.
        let times = python.import("laptime._device_times")?;
        let why: Option<String> = times.call_method0("why_none_so_far")?.extract()?;
        if let Some(why) = why {
            summary.explain_device(&why);
        }
        Ok(Report::new(summary))
    })
}
