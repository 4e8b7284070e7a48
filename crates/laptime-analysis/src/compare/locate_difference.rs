//! Finds where the difference of a step lies: the innermost path that makes most of it, or the largest parts.
//!
//! Medians count, as for the verdict: a few steps that take far longer move the means of a step and of what is inside it,
//! and say nothing about all others. But medians need not add up: laps that take turns at being slow leave each other's
//! medians as they were, and move that of the step. The means show that, by the time that they leave outside of the laps
//! inside: where the medians leave much more or less, the parts are of means.

use std::ops::RangeInclusive;

use super::comparison::{Average, Cause, CausePart};
use super::comparison_row::ComparisonRow;

/// Least share of the difference for one inner path to be its place.
const MOST_RATIO: f64 = 0.6;
/// Part of the difference below which a path is not named.
const LEAST_RATIO: f64 = 0.15;
/// Part of the difference by which the time that medians leave outside of the paths inside may differ from that of the
/// means, if medians are to add up.
const ADDS_UP_RATIO: f64 = 0.15;
/// Ratios of the mean's to the median's difference at which parts may be of means.
const ALIKE: RangeInclusive<f64> = 0.5..=2.0;
/// The most paths that are named.
const MOST_PARTS: usize = 3;

/// Reads the time that a row adds.
type Size = fn(&ComparisonRow) -> f64;

/// Finds where the difference of the step, or of the run, lies; `None` where nothing inside tells it.
pub fn find_cause(whole: &ComparisonRow, rows: &[ComparisonRow]) -> Option<Cause> {
    let is_of_run = !rows.iter().any(|row| row.path == whole.path);
    let around: &[String] = if is_of_run { &[] } else { &whole.names };
    // A run is the sum of what is in it: there the means are right.
    let shares_of = if is_of_run {
        Some(Average::Means)
    } else {
        adding_up(whole, rows)
    };
    let size: Size = match shares_of {
        Some(Average::Means) => |row| row.difference_ns,
        _ => ComparisonRow::typical_difference_ns,
    };
    let difference_ns = size(whole);
    if difference_ns == 0.0 {
        return None;
    }
    let share = |row: &ComparisonRow| size(row) / difference_ns;
    let own_ns = match shares_of {
        Some(Average::Medians) => Some(whole.own_median_difference_ns),
        Some(Average::Means) if !is_of_run => Some(whole.own_difference_ns),
        _ => None,
    };
    let own_ns =
        own_ns.filter(|own_ns| own_ns / difference_ns >= LEAST_RATIO && is_split(whole, rows));
    let mut parts = largest(rows, around, share);
    if own_ns.is_some_and(|own_ns| own_ns / difference_ns >= MOST_RATIO) {
        parts.clear();
    }
    if let [first] = parts[..]
        && share(first) >= MOST_RATIO
    {
        parts = vec![innermost(first, rows, share)];
    }
    let parts = parts.into_iter().map(|row| CausePart {
        path: row.path.clone(),
        difference_ns: size(row),
    });
    let parts: Vec<CausePart> = parts.collect();
    (own_ns.is_some() || !parts.is_empty()).then_some(Cause {
        difference_ns,
        parts,
        own_ns,
        shares_of,
    })
}

/// Returns the average whose parts add up to a step's difference; `None` where those of neither do.
fn adding_up(whole: &ComparisonRow, rows: &[ComparisonRow]) -> Option<Average> {
    let (typical_ns, mean_ns) = (whole.typical_difference_ns(), whole.difference_ns);
    let left = whole.own_median_difference_ns / typical_ns;
    let left_by_means = whole.own_difference_ns / mean_ns;
    if !is_split(whole, rows) || (left - left_by_means).abs() <= ADDS_UP_RATIO {
        return Some(Average::Medians);
    }
    // Where a few steps make the means, they say nothing of the usual ones.
    let is_alike = ALIKE.contains(&(mean_ns / typical_ns));
    is_alike.then_some(Average::Means)
}

/// Tells whether there are paths inside the step.
fn is_split(whole: &ComparisonRow, rows: &[ComparisonRow]) -> bool {
    rows.iter()
        .any(|row| row.depth() > whole.depth() && row.names.starts_with(&whole.names))
}

/// Lists the parts directly inside that are to be named: one that has most of it, or the largest few.
fn largest<'r>(
    rows: &'r [ComparisonRow],
    around: &[String],
    share: impl Fn(&ComparisonRow) -> f64,
) -> Vec<&'r ComparisonRow> {
    let inside = rows
        .iter()
        .filter(|row| row.names.len() == around.len() + 1 && row.names.starts_with(around));
    let mut parts: Vec<&ComparisonRow> = inside.filter(|row| share(row) >= LEAST_RATIO).collect();
    parts.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let has_most = parts
        .first()
        .is_some_and(|first| share(first) >= MOST_RATIO);
    parts.truncate(if has_most { 1 } else { MOST_PARTS });
    parts
}

/// Finds the innermost path of those that have most of the difference.
fn innermost<'r>(
    from: &'r ComparisonRow,
    rows: &'r [ComparisonRow],
    share: impl Fn(&ComparisonRow) -> f64 + Copy,
) -> &'r ComparisonRow {
    let mut at = from;
    loop {
        match largest(rows, &at.names, share)[..] {
            [inner] if share(inner) >= MOST_RATIO => at = inner,
            _ => return at,
        }
    }
}

#[cfg(test)]
#[path = "tests/locate_difference.rs"]
mod tests;
