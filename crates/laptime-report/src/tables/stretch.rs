//! The table of spans under the line that says which stretch of the run it is of: the steady state where there is one,
//! else the whole run. The rest of the run is a note below it, so that nothing of the run goes without a word.

use std::collections::HashMap;

use laptime_analysis::{Doubt, Finding, RowKind, SpanRow, Steady, Summary};
use laptime_core::Unavailable;

use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Section};
use crate::quantity::{self, plural};
use crate::sentences::doubts::in_words;
use crate::sentences::leftovers::in_words as leftover;
use crate::sentences::nouns::nouns;
use crate::tables::spans;
use crate::text::wrap;

/// The least part of the run that the note on its rest names.
const LEAST_RATIO: f64 = 0.001;

/// A whole run, or a whole process.
pub struct Whole<'s> {
    /// Its rows.
    pub rows: &'s [SpanRow],
    /// The time that their shares are of.
    pub wall_ns: u64,
    /// Its steady state.
    pub steady: Option<&'s Steady>,
    /// Why there is none.
    pub steady_why: Option<&'s Unavailable>,
    /// Whether it is of a notebook.
    pub is_notebook: bool,
}

/// Makes the section of the one table: of the steady state where there is one and nobody asks for the whole run.
pub fn section(summary: &Summary, whole: &Whole<'_>, view: &View) -> Section {
    match view.steady(whole.steady) {
        Some(steady) => of_steady(summary, whole, steady, view),
        None => of_whole(summary, whole, view),
    }
}

/// Makes the section of a whole run, and says why there is no steady state where somebody may look for it.
pub fn of_whole(summary: &Summary, whole: &Whole<'_>, view: &View) -> Section {
    // Of a report that is of the steady state alone, nobody knows why there is none.
    let is_part = whole.steady.is_none() && whole.steady_why.is_none();
    let what = if is_part { "steady state" } else { "whole run" };
    let section = Section::headed(
        format!("{what}: {}", quantity::exact(whole.wall_ns)),
        Content::Table(spans::table(summary, whole.rows, view)),
    );
    let is_step = |row: &SpanRow| row.names.last().is_some_and(|name| name == "step");
    let why = whole.steady_why.filter(|_| !view.whole);
    // Without steps nobody asked for a steady state.
    match why.filter(|_| whole.rows.iter().any(is_step)) {
        Some(why) => section.remarked(format!("no steady state: {why}")),
        None => section,
    }
}

fn of_steady(summary: &Summary, whole: &Whole<'_>, steady: &Steady, view: &View) -> Section {
    let mut table = spans::table(summary, &steady.rows, view);
    table.notes.extend(rest(whole, steady));
    let section = Section::headed(heading(whole, steady), Content::Table(table));
    // Those of the run stand above all tables, as a finding.
    let is_unsteady = |finding: &Finding| matches!(finding, Finding::Unsteady { .. });
    let is_found = summary.by_process.is_empty() && summary.findings.iter().any(is_unsteady);
    if is_found || steady.warnings.is_empty() {
        return section;
    }
    let doubts: Vec<String> = steady.warnings.iter().map(doubt).collect();
    section.remarked(doubts.join(" "))
}

/// Writes which stretch it is: `after warm-up: 380 of 400 steps, 2.83 s`.
fn heading(whole: &Whole<'_>, steady: &Steady) -> String {
    let noun = steady.noun();
    let time = quantity::exact(steady.wall_ns);
    let count = |rows: &[SpanRow]| {
        let row = rows.iter().find(|row| row.path == steady.step_path)?;
        row.count
    };
    let (some, all) = (count(&steady.rows), count(whole.rows));
    let steps = some.map_or_else(String::new, |some| {
        format!("{}, ", plural(some, noun, &nouns(noun)))
    });
    if steady.skipped_count > 0 {
        let steps = match (some, all) {
            (Some(some), Some(all)) => format!(
                "{} of {}, ",
                quantity::thousands(some),
                plural(all, noun, &nouns(noun))
            ),
            _ => steps,
        };
        return format!("after warm-up: {steps}{time}");
    }
    match steady.from_step {
        0 => format!("from the first {noun} on: {steps}{time} (no warm-up found)"),
        1 => format!("from {noun} 1 on: {steps}{time} ({noun} 0 was counted or profiled)"),
        from => format!(
            "from {noun} {from} on: {steps}{time} ({} 0 {} {} were counted or profiled)",
            nouns(noun),
            if from == 2 { "and" } else { "to" },
            from - 1
        ),
    }
}

/// Writes what the run did outside of its steady state, by outermost rows; nothing where that is next to nothing.
fn rest(whole: &Whole<'_>, steady: &Steady) -> Option<String> {
    let is_leftover = |row: &SpanRow| row.kind == RowKind::Leftover;
    let inside: HashMap<(bool, &str), u64> = outermost(&steady.rows)
        .map(|row| ((is_leftover(row), row.path.as_str()), row.total_ns))
        .collect();
    let mut parts: Vec<(String, u64)> = Vec::new();
    for row in outermost(whole.rows) {
        let is_steps = row.path == steady.step_path;
        let name = match row.kind {
            RowKind::Leftover => leftover(&row.path, whole.is_notebook).to_owned(),
            RowKind::Span if is_steps && steady.skipped_count > 0 => {
                let noun = steady.noun();
                let steps = plural(steady.skipped_count, noun, &nouns(noun));
                format!("{steps} of warm-up")
            }
            RowKind::Span => names::short(&row.path),
        };
        let inside_ns = inside.get(&(is_leftover(row), row.path.as_str()));
        let rest_ns = row.total_ns.saturating_sub(inside_ns.copied().unwrap_or(0));
        if rest_ns as f64 >= LEAST_RATIO * whole.wall_ns as f64 && rest_ns > 0 {
            parts.push((name, rest_ns));
        }
    }
    parts.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    let parts = parts.iter();
    let parts: Vec<String> = parts
        .map(|(name, ns)| format!("{name} {}", quantity::exact(*ns)))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "the rest of the run: {} (`laptime report --whole` has all of it)",
            parts.join(", ")
        )
    })
}

/// Returns the rows that stand in no other.
fn outermost(rows: &[SpanRow]) -> impl Iterator<Item = &SpanRow> {
    rows.iter().filter(|row| row.depth() == 0)
}

/// Writes a reason to doubt the steady state.
fn doubt(doubt: &Doubt) -> String {
    let warning = in_words(doubt);
    let hint = warning.hint.as_deref().unwrap_or_default();
    format!(
        "{}. {}",
        wrap::capitalised(&warning.message),
        wrap::capitalised(hint)
    )
}

#[cfg(test)]
#[path = "tests/stretch.rs"]
mod tests;
