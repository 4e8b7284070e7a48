//! Compiling, wherever it happens: outside of all laps, in an evaluation, in a phase of a step, in a lap of the program's
//! own. It is one kind of time, and none of what it stands in.

use laptime_core::{PhaseName, Total};

use super::evidence::Evidence;
use crate::summary::finding::{CompiledIn, Finding};
use crate::summary::span_row::{RowKind, SpanRow};

/// The least share of the run that compiling must take.
const COMPILING_RATIO: f64 = 0.3;
/// The least time that it must take: less bothers nobody.
const COMPILING_NS: u64 = 1_000_000_000;
/// Most places that are named; the sum has the time of all.
const MOST_PLACES: usize = 3;

/// Whether a row is the compiling of a graph, and no part of another's.
pub fn is_outermost(row: &SpanRow) -> bool {
    let is_compile = |name: &String| name == PhaseName::Compile.text();
    let [around @ .., last] = &row.names[..] else {
        return false;
    };
    row.kind == RowKind::Span && is_compile(last) && !around.iter().any(is_compile)
}

/// Finds all compiling of a run, if it is much.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let rows = summary.rows.iter().filter(|row| is_outermost(row));
    let places = rows.map(|row| CompiledIn {
        path: row.path.clone(),
        count: row.count.unwrap_or(0) + row.partial_count,
        total_ns: row.total_ns,
    });
    let mut places: Vec<CompiledIn> = places.filter(|place| place.count > 0).collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.total_ns));
    let count = places.iter().map(|place| place.count).total();
    let times = places.iter().map(|place| place.total_ns);
    let total_ns = times.fold(0, u64::saturating_add);
    places.truncate(MOST_PLACES);
    // Graphs that several threads compile at once are no share of the run.
    let is_much = total_ns >= COMPILING_NS
        && total_ns as f64 >= COMPILING_RATIO * summary.measured_ns as f64
        && total_ns <= summary.measured_ns;
    is_much.then_some(Finding::Compiling {
        count,
        total_ns,
        wall_ns: summary.measured_ns,
        places,
    })
}

#[cfg(test)]
#[path = "tests/compile_time.rs"]
mod tests;
