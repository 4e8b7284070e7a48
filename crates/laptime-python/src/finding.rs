//! `report.findings`: what to look at first, each in words, as numbers, and with the command to type next.

use laptime_python_macros::guarded;
use laptime_report::WordedFinding;
use laptime_report::next_command::Command;
use pyo3::prelude::*;

/// Something that is worth a look.
#[pyclass(frozen, module = "laptime")]
pub struct Finding {
    kind: String,
    text: String,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    next: Option<Command>,
    evidence: String,
}

impl Finding {
    /// Takes a finding as JSON has it.
    pub fn new(found: &WordedFinding<'_>) -> Self {
        let (kind, evidence) = found.kind_and_evidence();
        Self {
            kind,
            text: found.text.clone(),
            function: found.function.map(str::to_owned),
            file: found.file.map(str::to_owned),
            line: found.line,
            next: found.next.clone(),
            evidence,
        }
    }
}

#[guarded]
#[pymethods]
impl Finding {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<laptime.Finding {}: {}>", self.kind, self.text)
    }

    /// A stable word for what was found, such as `data-wait`.
    #[getter]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// What was found and what to try, as the report prints it.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The function that most of it is in; `None` where none is known.
    #[getter]
    fn function(&self) -> Option<&str> {
        self.function.as_deref()
    }

    /// The file that the function stands in.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The line that most of the function's own time is in.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.line
    }

    /// The numbers that were seen, by the names of the published schema.
    #[getter]
    fn evidence<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python
            .import("json")?
            .call_method1("loads", (&self.evidence,))
    }

    /// The words of the command that tells more, `laptime` first; `None` where there is none.
    #[getter]
    fn next(&self) -> Option<Vec<String>> {
        self.next.as_ref().map(|next| next.argv.clone())
    }
}
