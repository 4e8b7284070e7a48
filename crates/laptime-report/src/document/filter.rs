//! Selection of the rows that a reader asked for, alike in every format.

use std::borrow::Cow;

use laptime_analysis::{Pattern, SpanRow, Steady, Summary, nearest, nearest_name, nearest_path};
use laptime_core::path;

use crate::document::view::{By, View};
use crate::sentences::leftovers;

/// Returns the rows that the view's filter lets through.
pub fn wanted<'a>(rows: &'a [SpanRow], view: &View) -> impl Iterator<Item = &'a SpanRow> {
    let pattern = view.filter.as_deref().map(Pattern::new);
    rows.iter().filter(move |row| {
        let pattern = pattern.as_ref();
        pattern.is_none_or(|pattern| {
            let shown = [false, true].map(|is_notebook| leftovers::of_row(row, is_notebook));
            let mut shown = shown.into_iter().flatten();
            // As data call it, or as tables do.
            pattern.matches(&row.names) || shown.any(|name| pattern.matches(&[name.to_owned()]))
        })
    })
}

/// Tells whether a report of the summary would show any row.
pub fn has_rows(summary: &Summary, view: &View) -> bool {
    match view.by {
        // The names of modules are another table's, which says itself when it is empty.
        By::Module | By::Class => true,
        By::Function => {
            let pattern = view.filter.as_deref().map(Pattern::new);
            let mut laps = laps_of_functions(summary).peekable();
            // Where nothing was sampled the table says so.
            laps.peek().is_none()
                || pattern.is_none_or(|pattern| laps.any(|names| pattern.matches(names)))
        }
        By::Path | By::Process => wanted(&summary.rows, view).next().is_some(),
    }
}

/// Returns the name in the view's tables that is most like the one asked for, or its path where a path was asked for.
pub fn near(summary: &Summary, view: &View) -> Option<String> {
    let wanted = view.filter.as_deref()?;
    if view.by == By::Function {
        let names = laps_of_functions(summary).filter_map(|names| names.last());
        return nearest_name(names.map(String::as_str), wanted).map(str::to_owned);
    }
    let names = path::split(wanted);
    let is_path = names.len() > 1 && !names.contains(&"**".to_owned());
    is_path
        .then(|| nearest_path(&summary.rows, &names))
        .flatten()
        .or_else(|| nearest(&summary.rows, wanted))
        .map(str::to_owned)
}

/// Returns the names of each lap that has functions.
fn laps_of_functions(summary: &Summary) -> impl Iterator<Item = &[String]> {
    let functions = summary.functions.iter();
    functions.flat_map(|functions| {
        let sampled = functions.laps.iter().map(|lap| lap.names.as_slice());
        let counted = functions.exact.iter().flat_map(|exact| &exact.laps);
        sampled.chain(counted.map(|lap| lap.names.as_slice()))
    })
}

/// Returns the summary with no more than what the view asks for.
pub fn narrowed<'a>(summary: &'a Summary, view: &View) -> Cow<'a, Summary> {
    if view.filter.is_none() {
        return Cow::Borrowed(summary);
    }
    let mut summary = summary.clone();
    narrow(&mut summary.rows, view);
    narrow_steady(&mut summary.steady, view);
    for one in &mut summary.by_process {
        narrow(&mut one.rows, view);
        narrow_steady(&mut one.steady, view);
    }
    Cow::Owned(summary)
}

fn narrow(rows: &mut Vec<SpanRow>, view: &View) {
    *rows = wanted(rows, view).cloned().collect();
}

fn narrow_steady(steady: &mut Option<Steady>, view: &View) {
    if let Some(steady) = steady {
        narrow(&mut steady.rows, view);
    }
}
