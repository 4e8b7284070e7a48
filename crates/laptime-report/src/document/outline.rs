//! Selection and order of the rows of a table: the tree as the reader asked for it.
//!
//! Siblings are sorted, leftovers stand last, ancestors of matching rows stay. A long table loses its smallest rows,
//! and says how many.

use std::cmp::Reverse;
use std::collections::HashMap;

use laptime_analysis::{Pattern, RowKind, SpanRow, is_observed_unit};
use laptime_core::PhaseName;

use crate::document::filter;
use crate::document::view::{Sort, View};

/// Longest table that is shown whole, in rows.
const LONG_TABLE: usize = 60;
/// Share of the wall time below which a row of a longer table is left out.
const SMALL_RATIO: f64 = 0.001;

/// A row in its place.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// The row.
    pub row: &'a SpanRow,
    /// Number of rows around it.
    pub depth: usize,
    /// The row around it; `None` for an outermost one.
    pub around: Option<&'a SpanRow>,
}

/// Rows in order.
#[derive(Debug, Clone)]
pub struct Outline<'a> {
    /// Rows that are shown.
    pub lines: Vec<Line<'a>>,
    /// Number of small rows that are not shown.
    pub hidden: usize,
    /// Number of rows that come after those that were asked for.
    pub beyond: usize,
}

/// Puts rows in order.
pub fn outline<'a>(rows: &'a [SpanRow], view: &View) -> Outline<'a> {
    let is_hidden = |row: &SpanRow| is_inside_counted(row) && !is_compiling(row, rows);
    let is_shown =
        |row: &&SpanRow| row.kind == RowKind::Span && (view.filter.is_some() || !is_hidden(row));
    let spans = rows.iter().filter(is_shown);
    let index_of: HashMap<&[String], usize> = spans
        .clone()
        .enumerate()
        .map(|(index, row)| (row.names.as_slice(), index))
        .collect();
    let spans: Vec<&SpanRow> = spans.collect();
    let parent_of = |row: &SpanRow| index_of.get(&row.names[..row.depth()]).copied();

    let mut is_kept = vec![view.filter.is_none(); spans.len()];
    if let Some(pattern) = view.filter.as_deref().map(Pattern::new) {
        for index in 0..spans.len() {
            if pattern.matches(&spans[index].names) {
                keep(index, &mut is_kept, |at| parent_of(spans[at]));
            }
        }
    }
    let mut hidden = 0;
    if view.filter.is_none() && view.top.is_none() && spans.len() > LONG_TABLE {
        let is_small = |row: &SpanRow| row.share_ratio.is_some_and(|ratio| ratio < SMALL_RATIO);
        is_kept.fill(false);
        for index in 0..spans.len() {
            if !is_small(spans[index]) {
                keep(index, &mut is_kept, |at| parent_of(spans[at]));
            }
        }
        hidden = is_kept.iter().filter(|kept| !**kept).count();
    }

    let beyond = view.top.map_or(0, |top| {
        let mut first: Vec<usize> = (0..spans.len()).filter(|index| is_kept[*index]).collect();
        sort(&mut first, &spans, view.sort);
        is_kept.fill(false);
        for index in first.iter().take(top) {
            keep(*index, &mut is_kept, |at| parent_of(spans[at]));
        }
        first.iter().filter(|index| !is_kept[**index]).count()
    });

    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for index in (0..spans.len()).filter(|index| is_kept[*index]) {
        children
            .entry(parent_of(spans[index]))
            .or_default()
            .push(index);
    }
    for siblings in children.values_mut() {
        sort(siblings, &spans, view.sort);
    }
    let leftovers = filter::wanted(rows, view).filter(|row| row.kind == RowKind::Leftover);
    let mut lines = Vec::new();
    let inside = |index: Option<usize>, depth: usize| {
        let inside = children.get(&index).into_iter().flatten().rev();
        inside.map(move |index| (*index, depth))
    };
    let mut waiting: Vec<(usize, usize)> = inside(None, 0).collect();
    while let Some((index, depth)) = waiting.pop() {
        waiting.extend(inside(Some(index), depth + 1));
        lines.push(Line {
            row: spans[index],
            depth,
            around: parent_of(spans[index]).map(|around| spans[around]),
        });
    }
    lines.extend(leftovers.map(|row| Line {
        row,
        depth: 0,
        around: None,
    }));
    Outline {
        lines,
        hidden,
        beyond,
    }
}

/// Keeps a row with its ancestors.
fn keep(index: usize, is_kept: &mut [bool], parent_of: impl Fn(usize) -> Option<usize>) {
    let mut at = Some(index);
    while let Some(index) = at.filter(|index| !is_kept[*index]) {
        is_kept[index] = true;
        at = parent_of(index);
    }
}

fn sort(siblings: &mut [usize], spans: &[&SpanRow], by: Sort) {
    match by {
        Sort::Total => sort_by_total(siblings, spans),
        Sort::SelfTime => siblings.sort_by_key(|index| Reverse(spans[*index].self_ns)),
        Sort::Count => siblings.sort_by_key(|index| Reverse(spans[*index].count)),
        Sort::Mean => siblings.sort_by_key(|index| Reverse(spans[*index].mean_ns)),
        Sort::Median => siblings.sort_by_key(|index| Reverse(spans[*index].p50_ns)),
        Sort::Max => siblings.sort_by_key(|index| Reverse(spans[*index].max_ns)),
        Sort::KeptMemory => {
            siblings.sort_by_key(|index| Reverse(spans[*index].memory.host_memory_kept_bytes));
        }
        Sort::PeakMemory => {
            siblings.sort_by_key(|index| Reverse(spans[*index].memory.host_memory_peak_max_bytes));
        }
        Sort::Name => siblings.sort_by(|a, b| spans[*a].names.last().cmp(&spans[*b].names.last())),
        Sort::Appearance => {}
    }
}

/// Sorts siblings by their total time, the largest first: the device's where all of them have it, as it did the
/// work, else the host's.
fn sort_by_total(siblings: &mut [usize], spans: &[&SpanRow]) {
    let device_ns = |index: &usize| spans[*index].device.device_ns;
    if siblings.iter().all(|index| device_ns(index).is_some()) {
        siblings.sort_by_key(|index| Reverse(device_ns(index)));
    } else {
        siblings.sort_by_key(|index| Reverse(spans[*index].total_ns));
    }
}

/// Tells whether a row lies inside a unit whose operations were counted as it ran, so that its time means nothing.
fn is_inside_counted(row: &SpanRow) -> bool {
    let around = &row.names[..row.depth()];
    row.kind == RowKind::Span && around.iter().any(|name| is_observed_unit(name))
}

/// Tells whether a graph was compiled in a row: counting doesn't make that longer, and it may be most of the time of
/// a counted unit.
fn is_compiling(row: &SpanRow, rows: &[SpanRow]) -> bool {
    let is_compile = |other: &&SpanRow| {
        let last = other.names.last().map(String::as_str);
        last == Some(PhaseName::Compile.text()) && other.names.starts_with(&row.names)
    };
    rows.iter().any(|other| is_compile(&other))
}
