//! Time in which a thread was ready and had no CPU: what of a difference the machine made.

use super::matched::{Matched, Paths};
use super::run::Run;
use crate::summary::span_row::SpanRow;

/// From this part of the difference on, such time explains it.
const EXPLAINED_RATIO: f64 = 0.5;

/// How much more of such time a step of the new side has in a path; `None` where it isn't known.
pub fn difference_ns(matched: &Matched<'_>, paths: &Paths<'_>) -> Option<f64> {
    Some(per_step(matched, &paths.new)? - per_step(matched, &paths.base)?)
}

/// The part of a difference that it is, where it is most.
pub fn ratio(matched: &Matched<'_>, paths: &Paths<'_>, difference_ns: f64) -> Option<f64> {
    let ratio = self::difference_ns(matched, paths)? / difference_ns;
    Some(ratio).filter(|ratio| ratio.is_finite() && *ratio >= EXPLAINED_RATIO)
}

/// Whether it is most of what one run tells about a path. Several runs a side show how much it varies.
pub fn explains(matched: &Matched<'_>, paths: &Paths<'_>, difference_ns: f64) -> bool {
    let is_single = matched.base.len() == 1 || matched.new.len() == 1;
    is_single && ratio(matched, paths, difference_ns).is_some()
}

/// Of a row inside of the steps, its share: the kernel counts such time of a thread, not of its laps.
fn per_step(matched: &Matched<'_>, side: &[(&Run, &SpanRow)]) -> Option<f64> {
    let each = side.iter().map(|(run, row)| {
        let kept_ratio = run.summary.steady.as_ref()?.kept_ratio?;
        Some(kept_ratio * row.total_ns as f64 / matched.steps(run))
    });
    let each: Vec<f64> = each.collect::<Option<_>>()?;
    Some(each.iter().sum::<f64>() / each.len().max(1) as f64)
}
