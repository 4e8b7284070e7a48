//! `lt.compare()` on recordings, and what it returns.

use std::path::PathBuf;
use std::sync::Arc;

use laptime::Compared;
use laptime_analysis::benchmark::verdict::{LEAST_THRESHOLD, Verdict};
use laptime_analysis::compare::{
    ChangedPart, Comparison as Compare, ComparisonRow as Row, FunctionRow, Options, Pair, Presence,
};
use laptime_python_macros::guarded;
use laptime_report::tables::comparison;
use laptime_report::{Format, View};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::entry::asked_at_length;
use crate::errors;
use crate::file_path::{FilePath, written};
use crate::notebook;
use crate::recording::read_bytes;
use crate::report::{stdout_takes_utf8, stdout_width};

/// Recordings of two sides, compared.
#[pyclass(frozen, module = "laptime")]
pub struct Comparison(Arc<Compare>);

/// Recordings of one side: a path, or a list of them.
pub struct SidePaths(Vec<FilePath>);

impl SidePaths {
    /// The paths.
    ///
    /// **Errors** as [`FilePath::path`].
    pub fn paths(self) -> PyResult<Vec<PathBuf>> {
        self.0.into_iter().map(FilePath::path).collect()
    }
}

impl<'py> FromPyObject<'_, 'py> for SidePaths {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
            return Ok(Self(vec![given.extract()?]));
        }
        let each = given.try_iter()?;
        let paths: Vec<FilePath> = each.map(|one| one?.extract()).collect::<PyResult<_>>()?;
        if paths.is_empty() {
            return Err(PyValueError::new_err("an empty list holds no recording"));
        }
        Ok(Self(paths))
    }
}

impl Comparison {
    /// There is always one: a base and what is compared with it.
    fn pair(&self) -> &Pair {
        &self.0.pairs[0]
    }

    fn render(&self, python: Python<'_>, format: Format, view: &View) -> PyResult<String> {
        let text = || comparison::render(&self.0, format, view, false).into_string();
        asked_at_length(self.pair().rows.len() * 8_192, || Ok(python.detach(text)))
    }
}

#[guarded]
#[pymethods]
impl Comparison {
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
            "<laptime.Comparison: {}, {} paths>",
            self.pair().verdict.code(),
            self.pair().rows.len()
        )
    }

    /// On a step or, where what passes between the steps changed, on the time from step to step; where the
    /// recordings have no steps, on the whole run.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.pair().verdict.code()
    }

    /// What a step takes now, how much that changed, and where, in words.
    #[getter]
    fn headline(&self) -> String {
        comparison::headline(self.pair()).replace('\u{a0}', " ")
    }

    /// Every path of either side, in tree order.
    #[getter]
    fn rows(&self) -> Vec<ComparisonRow> {
        let rows = self.pair().rows.iter();
        rows.map(|row| ComparisonRow(row.clone())).collect()
    }

    /// The functions, those first that changed most: of the program or, with steps, of the lap that changed. Empty where a
    /// recording has no samples of them.
    #[getter]
    fn functions(&self) -> Vec<ComparedFunction> {
        let functions = self.pair().functions.iter();
        let rows = functions.flat_map(|functions| &functions.rows);
        rows.map(|row| ComparedFunction(row.clone())).collect()
    }

    /// The row that the verdict is on: the step's, or the whole run's.
    #[getter]
    fn whole(&self) -> ComparisonRow {
        ComparisonRow(self.pair().whole.clone())
    }

    /// From the start of one step to that of the next; None where next to nothing is between them.
    #[getter]
    fn step_to_step(&self) -> Option<ComparisonRow> {
        self.pair().step_to_step.clone().map(ComparisonRow)
    }

    /// The path of the lap that surely changed, where the step can't tell whether it did.
    #[getter]
    fn inside(&self) -> Option<&str> {
        self.pair()
            .changed_lap
            .as_ref()
            .map(|part| part.path.as_str())
    }

    /// What makes the sides hard to compare: another machine, say.
    #[getter]
    fn differs(&self) -> Vec<String> {
        let differences = self.pair().differences.iter();
        differences.map(comparison::difference).collect()
    }

    /// What there is to know before the numbers are believed.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = comparison::warnings(self.pair()).into_iter();
        warnings.map(|warning| warning.message).collect()
    }

    /// All numbers, as `docs/comparison.schema.json` describes them.
    #[pyo3(signature = (path=None))]
    fn to_json(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Json, &View::default())?, path)
    }

    /// The tables for a pull request.
    #[pyo3(signature = (path=None))]
    fn to_markdown(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(
            self.render(python, Format::Markdown, &View::default())?,
            path,
        )
    }

    /// A page to open in a browser.
    #[pyo3(signature = (path=None))]
    fn to_html(&self, python: Python<'_>, path: Option<FilePath>) -> PyResult<Option<String>> {
        written(self.render(python, Format::Html, &View::default())?, path)
    }

    /// What notebooks show: the tables.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let plain = self.render(python, Format::Text, &View::default())?;
        let markdown = self.render(python, Format::Markdown, &View::default())?;
        let html = comparison::fragment(&self.0);
        let bundle = notebook::bundle(python, plain, html, Some(markdown))?;
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
            "a laptime.Comparison cannot be pickled: pickle what you need of it, such as its to_json()",
        ))
    }
}

/// A function on both sides of a comparison. Times are nanoseconds for each step or run.
#[pyclass(frozen, module = "laptime")]
pub struct ComparedFunction(FunctionRow);

#[guarded]
#[pymethods]
impl ComparedFunction {
    fn __repr__(&self) -> String {
        let own = &self.0.own;
        format!(
            "<laptime.ComparedFunction {}: {:+.0} ± {:.0} ns>",
            comparison::function_name(&self.0.call),
            own.difference_ns,
            own.within_ns
        )
    }

    /// Qualified name; of a package's function as it is called, and of a script's code outside of functions empty.
    #[getter]
    fn name(&self) -> String {
        comparison::function_name(&self.0.call)
    }

    /// The file of a function of the program.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.0.call.own().map(|(_, file)| file)
    }

    /// The line in which most of its time went by.
    #[getter]
    fn line(&self) -> Option<u32> {
        let side = self.0.new.as_ref().or(self.0.base.as_ref())?;
        (side.line > 0).then_some(side.line)
    }

    /// The time below which it is on a side without a sample of it; None where both have samples.
    #[getter]
    fn unsampled_below_ns(&self) -> Option<f64> {
        self.0.unsampled_below_ns
    }

    /// The base's time in it and in what it calls of packages; 0 where it has no sample of it.
    #[getter]
    fn base_self_ns(&self) -> f64 {
        self.0.self_ns()[0]
    }

    /// The other side's.
    #[getter]
    fn new_self_ns(&self) -> f64 {
        self.0.self_ns()[1]
    }

    /// The base's time in it and in all that it calls.
    #[getter]
    fn base_total_ns(&self) -> f64 {
        self.0.total_ns()[0]
    }

    /// The other side's.
    #[getter]
    fn new_total_ns(&self) -> f64 {
        self.0.total_ns()[1]
    }

    /// The self time that is added.
    #[getter]
    fn difference_ns(&self) -> f64 {
        self.0.own.difference_ns
    }

    /// Half the width of the difference's interval; of many functions one wider than of 95 %.
    #[getter]
    fn within_ns(&self) -> f64 {
        self.0.own.within_ns
    }

    /// What surely changed, `self` or `total`; None where that isn't sure.
    #[getter]
    fn changed(&self) -> Option<&'static str> {
        Some(match self.0.changed? {
            ChangedPart::Own => "self",
            ChangedPart::Total => "total",
        })
    }
}

/// One path on both sides of a comparison. Times are nanoseconds.
#[pyclass(frozen, module = "laptime")]
pub struct ComparisonRow(Row);

#[guarded]
#[pymethods]
impl ComparisonRow {
    fn __repr__(&self) -> String {
        let ratio = self
            .0
            .ratio
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
        let verdict = self.0.verdict.map(Verdict::code);
        let verdict = verdict.unwrap_or_else(|| presence(self.0.presence));
        format!(
            "<laptime.ComparisonRow {}: {ratio}, {verdict}>",
            self.0.path
        )
    }

    /// The path.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// `both`, `added` or `removed`.
    #[getter]
    fn presence(&self) -> &'static str {
        presence(self.0.presence)
    }

    /// The base's median.
    #[getter]
    fn base_ns(&self) -> Option<f64> {
        self.0.base.as_ref()?.median_ns
    }

    /// The other side's median.
    #[getter]
    fn new_ns(&self) -> Option<f64> {
        self.0.new.as_ref()?.median_ns
    }

    /// New over base.
    #[getter]
    fn ratio(&self) -> Option<f64> {
        self.0.ratio
    }

    /// The ratio's 95 % interval.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        Some((self.0.ratio_low?, self.0.ratio_high?))
    }

    /// Mean time for each step that is added.
    #[getter]
    fn difference_ns(&self) -> f64 {
        self.0.difference_ns
    }

    /// The same, without what the paths inside take.
    #[getter]
    fn own_difference_ns(&self) -> f64 {
        self.0.own_difference_ns
    }

    /// By how much a typical step is longer through it: of medians, as the verdict is.
    #[getter]
    fn median_difference_ns(&self) -> f64 {
        self.0.median_difference_ns
    }

    /// The same, without what the paths inside take.
    #[getter]
    fn own_median_difference_ns(&self) -> f64 {
        self.0.own_median_difference_ns
    }

    /// What came of it; None for a path of one side.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.0.verdict.map(Verdict::code)
    }

    /// Why, as a sentence.
    #[getter]
    fn reason(&self) -> String {
        comparison::reason(&self.0)
    }
}

fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Both => "both",
        Presence::Added => "added",
        Presence::Removed => "removed",
    }
}

/// Tells whether recordings of a program show it faster or slower than others, and where.
#[guarded]
#[pyfunction]
#[pyo3(signature = (base, new, *, threshold=LEAST_THRESHOLD, allow_different=false, salvage=false))]
pub fn compare(
    python: Python<'_>,
    base: SidePaths,
    new: SidePaths,
    threshold: f64,
    allow_different: bool,
    salvage: bool,
) -> PyResult<Comparison> {
    if !(LEAST_THRESHOLD..=10.0).contains(&threshold) {
        let message = format!("threshold is a part of the base from 0.01, not {threshold}");
        return Err(PyValueError::new_err(message));
    }
    let compared = Compared {
        base: base.paths()?,
        others: vec![new.paths()?],
        salvage,
        options: Options {
            threshold_ratio: threshold,
            allow_different,
            gates: Vec::new(),
        },
    };
    let paths = compared.base.iter().chain(compared.others.iter().flatten());
    let bytes = paths.map(|path| read_bytes(path)).sum();
    asked_at_length(bytes, || {
        let found = python.detach(|| compared.comparison());
        let found = found.map_err(|error| errors::from_reading(&error))?;
        Ok(Comparison(Arc::new(found)))
    })
}
