//! Finds a lap inside of a step that surely got slower or faster, where the step itself can't tell.
//!
//! The time of all other laps differs from run to run, and hides in the step's time the one that changed. The time of that
//! one is known better. It is told where its row says so, which holds against how many rows there are, and where the laps
//! that surely changed, slower and faster ones together, add the threshold or more to a step. It decides unless the step
//! seems to be faster: another lap that got faster may just not be known so well. A faster lap is treated alike, with longer
//! and shorter exchanged.

use super::comparison::{CausePart, Pair};
use super::comparison_row::ComparisonRow;
use crate::benchmark::verdict::Verdict;

/// Part of a lap's change from which on a lap inside of it is named in its place.
const MOST_RATIO: f64 = 0.6;
/// The fewest runs of a side that tell how much runs differ.
const LEAST_RUNS: usize = 2;

/// Finds the lap, and lets it decide where nothing else did and the step doesn't seem to say the opposite.
pub fn decide(pair: &mut Pair, base_runs: usize, new_runs: usize) {
    let is_open = pair.verdict == Verdict::Inconclusive
        && pair.whole.verdict == Some(Verdict::Inconclusive)
        && base_runs.min(new_runs) >= LEAST_RUNS;
    let found = if is_open { find_lap(pair) } else { None };
    if let Some((verdict, part)) = found {
        let agrees = |ratio: f64| ratio.ln() * part.difference_ns >= 0.0;
        if pair.whole.ratio.is_some_and(agrees) {
            pair.verdict = verdict;
        }
        pair.changed_lap = Some(part);
    }
}

/// Finds the lap that changed most, in the direction of all laps together that surely changed.
fn find_lap<'p>(pair: &'p Pair) -> Option<(Verdict, CausePart)> {
    let whole = &pair.whole;
    let step_ns = whole.base.as_ref()?.median_ns?;
    let inside = || {
        let rows = pair.rows.iter();
        rows.filter(|row| row.depth() > whole.depth() && row.names.starts_with(&whole.names))
    };
    let is_sure =
        |row: &&ComparisonRow| matches!(row.verdict, Some(Verdict::Slower | Verdict::Faster));
    let sure: Vec<&'p ComparisonRow> = inside().filter(is_sure).collect();
    let size = |row: &ComparisonRow| row.typical_difference_ns().abs();
    let is_within = |row: &ComparisonRow, around: &ComparisonRow| {
        row.depth() > around.depth()
            && row.names.starts_with(&around.names)
            && row.verdict == around.verdict
    };
    // What is inside of one that changed is a part of its change.
    let is_outermost = |row: &&&ComparisonRow| !sure.iter().any(|around| is_within(row, around));
    let outermost: Vec<&ComparisonRow> = sure.iter().filter(is_outermost).copied().collect();
    let changes = outermost.iter().map(|row| row.typical_difference_ns());
    let sum: f64 = changes.sum();
    let verdict = if sum < 0.0 {
        Verdict::Faster
    } else {
        Verdict::Slower
    };
    let largest = |rows: &mut dyn Iterator<Item = &&'p ComparisonRow>| {
        let one = rows.max_by(|one, other| size(one).total_cmp(&size(other)));
        one.copied()
    };
    let mut same = outermost.iter().filter(|row| row.verdict == Some(verdict));
    let mut named = largest(&mut same)?;
    // A lap is slower through the one inside of it that makes most of that.
    while let Some(inner) = largest(&mut sure.iter().filter(|row| is_within(row, named)))
        && size(inner) >= MOST_RATIO * size(named)
    {
        named = inner;
    }
    let part = || CausePart {
        path: named.path.clone(),
        difference_ns: named.typical_difference_ns(),
    };
    (sum.abs() >= pair.threshold_ratio * step_ns).then(|| (verdict, part()))
}

#[cfg(test)]
#[path = "tests/changed_lap.rs"]
mod tests;
