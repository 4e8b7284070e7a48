//! Which rows a reader asked for, the same in every format.

use std::borrow::Cow;

use laptime_analysis::{Pattern, SpanRow, Summary};
use laptime_core::Unavailable;

use crate::view::View;

/// Rows that the view's filter lets through.
pub fn wanted<'a>(rows: &'a [SpanRow], view: &View) -> impl Iterator<Item = &'a SpanRow> {
    let pattern = view.filter.as_deref().map(Pattern::new);
    rows.iter().filter(move |row| {
        let pattern = pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.matches(&row.names))
    })
}

/// Whether a report of the summary would show any row.
pub fn has_rows(summary: &Summary, view: &View) -> bool {
    wanted(&summary.rows, view).next().is_some()
}

/// The summary with no more than what the view asks for.
pub fn narrowed<'a>(summary: &'a Summary, view: &View) -> Cow<'a, Summary> {
    if view.filter.is_none() && view.steady {
        return Cow::Borrowed(summary);
    }
    let mut summary = summary.clone();
    summary.rows = wanted(&summary.rows, view).cloned().collect();
    if !view.steady {
        summary.steady = None;
        summary.steady_why = Some(Unavailable("left out as asked".to_owned()));
    }
    if let Some(steady) = &mut summary.steady {
        steady.rows = wanted(&steady.rows, view).cloned().collect();
    }
    Cow::Owned(summary)
}
