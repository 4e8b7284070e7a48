//! Where the difference of a step lies: the innermost path that makes most of it, or the largest parts.
//!
//! By medians, as the verdict is: a few steps that take far longer move the means of a step and of what
//! is inside it, and say nothing about all others. Medians hardly add up, so parts are no shares.

use super::comparison::{Cause, CausePart};
use super::comparison_row::ComparisonRow;

/// From this part of the difference on, a path inside is where it lies.
const MOST_RATIO: f64 = 0.6;
/// Below this part a path is not named.
const LEAST_RATIO: f64 = 0.15;
/// Paths that are named at most.
const MOST_PARTS: usize = 3;

/// By how much something is longer through a row.
type Size = fn(&ComparisonRow) -> f64;

/// Where the difference of the step, or the run, lies; `None` where nothing inside tells it.
pub fn of(whole: &ComparisonRow, rows: &[ComparisonRow]) -> Option<Cause> {
    let is_of_run = !rows.iter().any(|row| row.path == whole.path);
    // A run is the sum of what is in it: there the means are right.
    let (around, size): (&[String], Size) = if is_of_run {
        (&[], |row| row.difference_ns)
    } else {
        (&whole.names, ComparisonRow::typical_difference_ns)
    };
    let difference_ns = size(whole);
    if difference_ns == 0.0 {
        return None;
    }
    let share = |row: &ComparisonRow| size(row) / difference_ns;
    let own_ns = own(whole, rows, difference_ns).filter(|_| !is_of_run);
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
    })
}

/// What the step takes longer outside of the paths inside, where there are some and that is enough to be named.
fn own(whole: &ComparisonRow, rows: &[ComparisonRow], difference_ns: f64) -> Option<f64> {
    let is_split = rows
        .iter()
        .any(|row| row.depth() > whole.depth() && row.names.starts_with(&whole.names));
    let own_ns = whole.own_median_difference_ns;
    // Medians hardly add up: what they leave counts where the means, which do, leave it too.
    let is_enough = |own_ns: f64, all_ns: f64| own_ns / all_ns >= LEAST_RATIO;
    let is_told =
        is_enough(own_ns, difference_ns) && is_enough(whole.own_difference_ns, whole.difference_ns);
    (is_split && is_told).then_some(own_ns)
}

/// The parts directly inside that are to be named: one that has most of it, or the largest few.
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

/// The innermost path of those that have most of the difference.
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
#[path = "cause_tests.rs"]
mod tests;
