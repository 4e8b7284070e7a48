//! How counts are shown to Python: options by their names, text by the report crate.

use laptime_report::tables::operations::{self, By, OperationsSort, OperationsView};
use laptime_report::{Format, html};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::counts::OpCounts;
use crate::report::{stdout_takes_utf8, stdout_width};

/// A view from what was typed.
///
/// **Errors** on a name that is none, and levels that are none.
pub fn view(
    by: Option<&str>,
    depth: Option<i64>,
    sort: Option<&str>,
    exact: bool,
) -> PyResult<OperationsView> {
    let by = by.map(|name| named("by", name, &By::NAMES)).transpose()?;
    if depth.is_some() && by == Some(By::Operator) {
        let why = "depth is for the table of modules: operators have no levels, leave it out";
        return Err(PyValueError::new_err(why));
    }
    let levels = |depth: i64| {
        u32::try_from(depth).map_err(|_| {
            let why = format!("depth is a number of levels from 0 (the model alone), not {depth}");
            PyValueError::new_err(why)
        })
    };
    Ok(OperationsView {
        by,
        depth: depth.map(levels).transpose()?,
        sort: sort
            .map(|name| named("sort", name, &OperationsSort::NAMES))
            .transpose()?,
        exact,
        ..OperationsView::default()
    })
}

fn named<T: Copy>(option: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        PyValueError::new_err(format!("{option} is one of {names}, not {name:?}"))
    })
}

/// What `print` shows.
pub fn printed(counts: &OpCounts, python: Python<'_>) -> String {
    let view = OperationsView {
        width: stdout_width(python),
        utf8: stdout_takes_utf8(python),
        ..OperationsView::default()
    };
    rendered(counts, Format::Text, &view)
}

/// In any format.
pub fn rendered(counts: &OpCounts, format: Format, view: &OperationsView) -> String {
    operations::render(&counts.counts, &counts.subject, None, format, view).into_string()
}

/// A piece of a notebook.
pub fn fragment(counts: &OpCounts) -> String {
    let view = OperationsView::default();
    html::fragment(&operations::document(
        &counts.counts,
        &counts.subject,
        None,
        &view,
    ))
}
