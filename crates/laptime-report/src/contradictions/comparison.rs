//! Comparisons: a ratio within its interval and on the side of its verdict, and no row that says more than the first line.

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Basis, Comparison, ComparisonRow, Pair};

/// Least number of runs on either side that shows how much runs differ.
const LEAST_RUNS: usize = 2;

/// Returns all contradictions of a comparison.
pub fn all(found: &Comparison) -> Vec<String> {
    let each = found.pairs.iter();
    each.flat_map(|pair| of_pair(found.base.recordings.len(), pair))
        .collect()
}

fn of_pair(base_runs: usize, pair: &Pair) -> Vec<String> {
    let rows = pair
        .rows
        .iter()
        .chain([&pair.whole])
        .chain(&pair.step_to_step);
    let mut found: Vec<String> = rows.filter_map(of_row).collect();
    let is_open = pair.basis == Basis::Step
        && pair.verdict == Verdict::Inconclusive
        && pair.whole.verdict == Some(Verdict::Inconclusive)
        && base_runs.min(pair.new.recordings.len()) >= LEAST_RUNS;
    let step_ns = pair.whole.base.as_ref().and_then(|side| side.median_ns);
    let is_much = |row: &ComparisonRow| {
        let least_ns = step_ns.map(|ns| ns * pair.threshold_ratio);
        least_ns.is_some_and(|least_ns| row.typical_difference_ns().abs() >= least_ns)
    };
    let is_inside = |row: &&ComparisonRow| {
        row.depth() > pair.whole.depth() && row.names.starts_with(&pair.whole.names)
    };
    let sure: Vec<&ComparisonRow> = pair
        .rows
        .iter()
        .filter(is_inside)
        .filter(|row| matches!(row.verdict, Some(Verdict::Slower | Verdict::Faster)))
        .collect();
    // Slower and faster ones may make up for each other.
    let are_alike = sure.windows(2).all(|two| two[0].verdict == two[1].verdict);
    let unsaid = sure.iter().find(|row| is_much(row));
    if let Some(row) = unsaid.filter(|_| is_open && are_alike && pair.changed_lap.is_none()) {
        found.push(format!(
            "{} is surely another, and the first line names none",
            row.path
        ));
    }
    found
}

fn of_row(row: &ComparisonRow) -> Option<String> {
    let ratio = row.ratio?;
    let is_within = row.ratio_low.is_none_or(|low| low <= ratio)
        && row.ratio_high.is_none_or(|high| ratio <= high);
    let agrees = match row.verdict {
        Some(Verdict::Slower) => ratio > 1.0,
        Some(Verdict::Faster) => ratio < 1.0,
        _ => true,
    };
    let (low, high) = (row.ratio_low, row.ratio_high);
    let (path, verdict) = (&row.path, row.verdict);
    (!is_within || !agrees)
        .then(|| format!("{path}: a ratio of {ratio} in {low:?} to {high:?}, {verdict:?}"))
}
