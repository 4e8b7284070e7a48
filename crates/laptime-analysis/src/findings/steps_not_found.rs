//! A program whose steps nobody saw: a plain loop around a compiled function has no lap.

use laptime_core::PhaseName;

use super::evidence::Evidence;
use crate::summarize::wall_time::{AFTER, OTHER};
use crate::summary::finding::Finding;
use crate::summary::span_row::RowKind;

/// The least share of the run that must be outside of laps.
const OUTSIDE_RATIO: f64 = 0.05;

/// Finds a program that worked outside of its only laps, which are compilations. In a notebook, somebody reads or types
/// there.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let compile = PhaseName::Compile.text();
    let outermost = || summary.rows.iter().filter(|row| row.depth() == 0);
    let mut spans = outermost().filter(|row| row.kind == RowKind::Span);
    let (only, None) = (spans.next()?, spans.next()) else {
        return None;
    };
    let outside = outermost().filter(|row| row.is_leftover(OTHER) || row.is_leftover(AFTER));
    let outside_ns = outside.fold(0_u64, |sum, row| sum.saturating_add(row.total_ns));
    let is_much = !summary.is_notebook()
        && outside_ns as f64 >= OUTSIDE_RATIO * summary.measured_ns.max(1) as f64;
    (only.path == compile && is_much).then(|| Finding::NoSteps {
        count: only.count.unwrap_or(0),
        total_ns: only.total_ns,
        outside_ns,
    })
}

#[cfg(test)]
#[path = "tests/steps_not_found.rs"]
mod tests;
