//! `lt.ranks()`, and what it returns.

use laptime::{Job, JobError};
use laptime_analysis::ranks::{JobAnswer, Share, SlowPart};
use laptime_python_macros::guarded;
use laptime_report::tables::job;
use laptime_report::{Format, View};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::comparison::SidePaths;
use crate::entry::asked_at_length;
use crate::errors;
use crate::file_path::{FilePath, written};
use crate::notebook;
use crate::recording::read_bytes;
use crate::report::{stdout_takes_utf8, stdout_width};

/// Bytes of text for each rank, about.
const TEXT_BYTES: usize = 512;

/// Ranks of a job, compared step by step.
#[pyclass(frozen, module = "laptime")]
pub struct Ranks(JobAnswer);

impl Ranks {
    fn render(&self, python: Python<'_>, format: Format, view: &View) -> PyResult<String> {
        let text = || job::render(&self.0, &[], format, view).into_string();
        asked_at_length(self.0.means.len() * TEXT_BYTES, || Ok(python.detach(text)))
    }
}

#[guarded]
#[pymethods]
impl Ranks {
    fn __str__(&self, python: Python<'_>) -> PyResult<String> {
        let view = View {
            width: stdout_width(python),
            utf8: stdout_takes_utf8(python),
            ..View::default()
        };
        self.render(python, Format::Text, &view)
    }

    fn __repr__(&self) -> String {
        format!(
            "<laptime.Ranks: {} ranks, {} steps, {} slow>",
            self.0.means.len(),
            self.0.step_count,
            self.0.diagnosis.slow.len()
        )
    }

    /// Who holds the others up, since when, and what it costs, in words.
    #[getter]
    fn headline(&self) -> String {
        job::headline(&self.0).replace('\u{a0}', " ")
    }

    /// The ranks that hold the others up, each with the part of a step in which it is slow; the most costly first.
    #[getter]
    fn culprits(&self) -> Vec<SlowRank> {
        self.0
            .diagnosis
            .slow
            .iter()
            .copied()
            .map(SlowRank)
            .collect()
    }

    /// What single ranks do and their peers don't: saving, logging, an evaluation.
    #[getter]
    fn of_their_own(&self) -> Vec<SlowRank> {
        let alone = self.0.diagnosis.of_their_own.iter();
        alone.copied().map(SlowRank).collect()
    }

    /// Share of the job's time for which slow ranks hold the others up.
    #[getter]
    fn held_up_ratio(&self) -> f64 {
        self.0.diagnosis.held_up.ratio
    }

    /// Its 95 % interval; None of few steps.
    #[getter]
    fn held_up_interval(&self) -> Option<(f64, f64)> {
        let Share { interval, .. } = self.0.diagnosis.held_up;
        interval
    }

    /// Share of the job's time that goes to whoever happens to be last.
    #[getter]
    fn jitter_ratio(&self) -> f64 {
        self.0.diagnosis.jitter.ratio
    }

    /// Steps that all ranks took.
    #[getter]
    fn step_count(&self) -> u64 {
        self.0.step_count
    }

    /// All numbers, as `docs/ranks.schema.json` describes them.
    #[pyo3(signature = (path=None))]
    fn to_json(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Json, &View::default())?, path)
    }

    /// A line for each rank.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Csv, &View::default())?, path)
    }

    /// The answer and the table for a pull request.
    #[pyo3(signature = (path=None))]
    fn to_markdown(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        let text = self.render(python, Format::Markdown, &View::default())?;
        written(text, path)
    }

    /// A page to open in a browser.
    #[pyo3(signature = (path=None))]
    fn to_html(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Html, &View::default())?, path)
    }

    /// What notebooks show: the answer and the table.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let plain = self.render(python, Format::Text, &View::default())?;
        let markdown = self.render(python, Format::Markdown, &View::default())?;
        let bundle = notebook::bundle(python, plain, job::fragment(&self.0), Some(markdown))?;
        notebook::only(bundle, include, exclude)
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
            "a laptime.Ranks cannot be pickled: pickle what you need of it, such as its to_json()",
        ))
    }
}

/// A rank that takes longer than its peers, in a part of its steps. Times are nanoseconds.
#[pyclass(frozen, module = "laptime")]
pub struct SlowRank(SlowPart);

#[guarded]
#[pymethods]
impl SlowRank {
    fn __repr__(&self) -> String {
        format!(
            "<laptime.SlowRank {}: {} {}, {} ns above {} ns>",
            self.0.rank,
            self.0.part.name(),
            self.0.pattern.name(),
            self.0.excess_ns,
            self.0.expected_ns
        )
    }

    /// Its number.
    #[getter]
    fn rank(&self) -> u32 {
        self.0.rank
    }

    /// The part of a step.
    #[getter]
    fn part(&self) -> &'static str {
        self.0.part.name()
    }

    /// In which steps.
    #[getter]
    fn when(&self) -> &'static str {
        self.0.pattern.name()
    }

    /// The first of these steps; None where that is the job's first one, or they have no order.
    #[getter]
    fn first_step(&self) -> Option<u64> {
        self.0.pattern.first_step()
    }

    /// Steps from one of them to the next, where they come in equal distances.
    #[getter]
    fn period(&self) -> Option<u64> {
        self.0.pattern.period()
    }

    /// The part's time on the peers in one of these steps.
    #[getter]
    fn expected_ns(&self) -> i64 {
        self.0.expected_ns
    }

    /// The rank's time above that.
    #[getter]
    fn excess_ns(&self) -> i64 {
        self.0.excess_ns
    }

    /// The same in all of these steps.
    #[getter]
    fn total_ns(&self) -> i64 {
        self.0.total_ns
    }
}

/// Tells which rank of a job holds the others up, since when, and why.
#[guarded]
#[pyfunction]
#[pyo3(signature = (recordings, *, salvage=false))]
pub fn ranks(python: Python<'_>, recordings: SidePaths, salvage: bool) -> PyResult<Ranks> {
    let job = Job {
        recordings: recordings.paths()?,
        salvage,
    };
    let bytes = job.recordings.iter().map(|path| read_bytes(path)).sum();
    asked_at_length(bytes, || {
        let found = python.detach(|| job.answer());
        found.map(Ranks).map_err(|error| {
            if let JobError::Read(error) = &error {
                return errors::from_reading(error);
            }
            let hint = error.hint();
            let hint = hint.map_or_else(String::new, |hint| format!(": {hint}"));
            PyValueError::new_err(format!("{error}{hint}"))
        })
    })
}
