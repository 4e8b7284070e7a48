//! Time in which a thread was ready and had no CPU: the part of a difference that a busy machine made.

use super::recording::Run;
use super::sides::{PathRows, Sides};
use crate::summary::span_row::SpanRow;

/// Part of the difference from which on such time explains it.
const EXPLAINED_RATIO: f64 = 0.5;

/// Returns how much more of such time a step of the new side has in a path; `None` where it isn't known.
pub fn difference_ns(sides: &Sides<'_>, paths: &PathRows<'_>) -> Option<f64> {
    Some(per_step(sides, &paths.new)? - per_step(sides, &paths.base)?)
}

/// Returns such time as a share of a difference, where it is most of it.
pub fn ratio(sides: &Sides<'_>, paths: &PathRows<'_>, difference_ns: f64) -> Option<f64> {
    let ratio = self::difference_ns(sides, paths)? / difference_ns;
    Some(ratio).filter(|ratio| ratio.is_finite() && *ratio >= EXPLAINED_RATIO)
}

/// Tells whether such time is most of a difference that one run tells. Several runs a side show how much it varies.
pub fn explains(sides: &Sides<'_>, paths: &PathRows<'_>, difference_ns: f64) -> bool {
    let is_single = sides.base.len() == 1 || sides.new.len() == 1;
    is_single && ratio(sides, paths, difference_ns).is_some()
}

/// Returns such time in a step. A row inside of the steps has its share of it: the kernel counts such time of a thread,
/// not of its laps.
fn per_step(sides: &Sides<'_>, side: &[(&Run, &SpanRow)]) -> Option<f64> {
    let each = side.iter().map(|(run, row)| {
        let kept_ratio = run.summary.steady.as_ref()?.kept_ratio?;
        Some(kept_ratio * row.total_ns as f64 / sides.steps(run))
    });
    let each: Vec<f64> = each.collect::<Option<_>>()?;
    Some(each.iter().sum::<f64>() / each.len().max(1) as f64)
}
