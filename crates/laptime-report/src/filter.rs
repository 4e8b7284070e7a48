//! Which rows a reader asked for, the same in every format.

use std::borrow::Cow;

use laptime_analysis::{Pattern, SpanRow, Steady, Summary};
use laptime_core::Unavailable;

use crate::view::{By, View};

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
    // The names of modules are another table's, which says itself when it is empty.
    matches!(view.by, By::Module | By::Class | By::Function)
        || wanted(&summary.rows, view).next().is_some()
}

/// The summary with no more than what the view asks for.
pub fn narrowed<'a>(summary: &'a Summary, view: &View) -> Cow<'a, Summary> {
    if view.filter.is_none() && view.steady {
        return Cow::Borrowed(summary);
    }
    let mut summary = summary.clone();
    narrow(&mut summary.rows, view);
    narrow_steady(&mut summary.steady, &mut summary.steady_why, view);
    for one in &mut summary.by_process {
        narrow(&mut one.rows, view);
        narrow_steady(&mut one.steady, &mut one.steady_why, view);
    }
    Cow::Owned(summary)
}

fn narrow(rows: &mut Vec<SpanRow>, view: &View) {
    *rows = wanted(rows, view).cloned().collect();
}

fn narrow_steady(steady: &mut Option<Steady>, why: &mut Option<Unavailable>, view: &View) {
    if !view.steady {
        *steady = None;
        *why = Some(Unavailable("left out as asked".to_owned()));
    }
    if let Some(steady) = steady {
        narrow(&mut steady.rows, view);
    }
}
