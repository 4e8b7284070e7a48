//! What notebooks show: a static table for a cell's result, and the whole page in a frame.
//!
//! A table has no script and no style, so it is what the notebook makes of tables, light or dark, and
//! changes nothing around it; its bars are characters. The page comes in a frame without the
//! notebook's rights: neither sees the other.

use std::ffi::OsString;

use laptime_python_macros::guarded;
use laptime_report::html;
use laptime_report::text::notebook_cell;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::rate;
use crate::report::Report;

/// Larger pages slow the notebook down that keeps them.
const MOST_BYTES: usize = 24 << 20;
/// Height of a page's frame, in CSS pixels.
const HEIGHT: u32 = 720;
/// What Visual Studio Code calls the notebook's path among the names of its cells.
const EDITORS_NAME: &str = "__vsc_ipynb_file__";

/// The formats of a cell's result, by their media types.
pub fn bundle(
    python: Python<'_>,
    plain: String,
    html: String,
    markdown: Option<String>,
) -> PyResult<Bound<'_, PyDict>> {
    let bundle = [("text/plain", plain), ("text/html", html)].into_py_dict(python)?;
    if let Some(markdown) = markdown {
        bundle.set_item("text/markdown", markdown)?;
    }
    Ok(bundle)
}

/// What is left of a cell's result where only some media types are asked for.
pub fn only<'py>(
    bundle: Bound<'py, PyDict>,
    include: Option<&Bound<'py, PyAny>>,
    exclude: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    for kind in bundle.keys() {
        let is_in = |given: Option<&Bound<'py, PyAny>>| {
            given.map(|kinds| kinds.contains(&kind)).transpose()
        };
        let (included, excluded) = (is_in(include)?, is_in(exclude)?);
        if included == Some(false) || excluded == Some(true) {
            bundle.del_item(kind)?;
        }
    }
    Ok(bundle)
}

/// Shows a report's page below the running cell, or prints the report where there is no notebook.
pub fn show(report: &Bound<'_, Report>) -> PyResult<()> {
    let python = report.py();
    if let Some(display) = display(python)? {
        let page = report.get().page_text()?;
        if page.len() <= MOST_BYTES {
            let shown = [
                ("text/html", frame(&page)),
                ("text/plain", report.str()?.to_string()),
            ];
            let raw = [("raw", true)].into_py_dict(python)?;
            display.call((shown.into_py_dict(python)?,), Some(&raw))?;
            return Ok(());
        }
        let print = python.import("builtins")?.getattr("print")?;
        print.call1((format!(
            "The page has {} MiB, too much for a notebook. report.to_html(\"report.html\") writes it \
             to a file.",
            page.len() >> 20
        ),))?;
        display.call1((report,))?;
        return Ok(());
    }
    python
        .import("builtins")?
        .getattr("print")?
        .call1((report,))?;
    Ok(())
}

/// A page in a frame that may run the page's own script and nothing else.
fn frame(page: &str) -> String {
    format!(
        "<iframe title=\"Laptime\" sandbox=\"allow-scripts\" \
         style=\"width: 100%; height: {HEIGHT}px; border: 0\" srcdoc=\"{}\"></iframe>",
        html::attribute(page),
    )
}

/// What shows things below a cell; `None` where no kernel runs, such as in a script.
fn display(python: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let modules = python.import("sys")?.getattr("modules")?;
    let shell = modules.call_method1("get", ("IPython",))?;
    if shell.is_none() {
        return Ok(None);
    }
    let running = shell.call_method0("get_ipython")?;
    if running.is_none() || !running.hasattr("kernel")? {
        return Ok(None);
    }
    Ok(Some(python.import("IPython.display")?.getattr("display")?))
}

/// The options after `%%laptime`: name, output, force, memory, phases, modules, ops, stacks, calls.
#[guarded]
#[pyfunction]
pub fn cell_options(python: Python<'_>, words: Vec<OsString>) -> PyResult<Bound<'_, PyDict>> {
    let options = laptime_cli::cell_options(words).map_err(PyValueError::new_err)?;
    let told = PyDict::new(python);
    told.set_item("name", options.name)?;
    told.set_item("output", options.output)?;
    told.set_item("force", options.force)?;
    told.set_item("memory", options.memory)?;
    told.set_item("phases", options.phases)?;
    told.set_item("modules", options.modules)?;
    told.set_item("ops", options.ops)?;
    told.set_item("stacks", options.stacks)?;
    told.set_item("calls", options.calls)?;
    Ok(told)
}

/// The line of a measured cell.
#[guarded]
#[pyfunction]
pub fn cell_line(name: &str, ticks: u64, is_stopped: bool, peak_bytes: Option<u64>) -> String {
    notebook_cell::line(&notebook_cell::NotebookCell {
        name,
        wall_ns: rate::nanoseconds(ticks) as u64,
        is_stopped,
        peak_bytes,
    })
}

/// The line of a long cell that ended at a time of day.
#[guarded]
#[pyfunction]
pub fn finished_line(ticks: u64, at: &str, is_stopped: bool, peak_bytes: Option<u64>) -> String {
    let wall_ns = rate::nanoseconds(ticks) as u64;
    notebook_cell::finished(wall_ns, at, is_stopped, peak_bytes)
}

/// The name of the notebook whose cells run, where the editor keeps it among their names.
///
/// Visual Studio Code does; Jupyter tells it in the environment, see the recorder.
pub fn file_name(python: Python<'_>) -> Option<String> {
    let modules = python.import("sys").ok()?.getattr("modules").ok()?;
    let cast = modules.cast::<PyDict>().ok()?;
    cast.get_item("ipykernel").ok()??;
    let names = cast.get_item("__main__").ok()??.getattr("__dict__").ok()?;
    let path = names.cast::<PyDict>().ok()?.get_item(EDITORS_NAME).ok()??;
    let path: String = path.extract().ok()?;
    let name = std::path::Path::new(&path).file_name()?;
    Some(name.to_string_lossy().into_owned())
}
