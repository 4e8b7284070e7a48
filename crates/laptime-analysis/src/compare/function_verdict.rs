//! Compares the functions of two sides, and lets them decide where there is one run a side and no step.
//!
//! Whole runs of one program differ, and one run a side doesn't tell by how much. Its samples tell more: a function that
//! surely got slower, and makes most of what the run takes longer, is why the run takes longer.

use laptime_core::path;

use super::comparison::Pair;
use super::difference_unit::Basis;
use super::functions::{self, Laps, run_times};
use super::row_reason::RowReason;
use super::sides::Sides;
use crate::benchmark::verdict::Verdict;

/// Part of the base's time by which a run must differ, for functions to decide.
const LEAST_RATIO: f64 = 0.05;
/// Part of a run's difference that functions must make to decide on it.
const MOST_RATIO: f64 = 0.5;

/// Compares the functions, and decides on single runs.
pub fn decide(pair: &mut Pair, sides: &Sides<'_>) {
    if pair.verdict == Verdict::NotComparable {
        return;
    }
    let names = named_lap(pair, sides);
    let laps = match (&names, sides.step()) {
        (Some(names), Some(step)) => Laps::Inside { names, step },
        _ => Laps::All,
    };
    let times = |runs: &[_]| -> Option<Vec<_>> {
        let each = runs.iter().map(|run| run_times(run, laps));
        each.collect()
    };
    let (Some(base), Some(new)) = (times(sides.base), times(sides.new)) else {
        return;
    };
    if base.is_empty() || new.is_empty() {
        return;
    }
    let within = names
        .as_ref()
        .map(|names| path::join(names.iter().map(String::as_str)));
    let found = functions::compare(within, &base, &new, pair.threshold_ratio);
    let whole = &mut pair.whole;
    let is_open = pair.basis == Basis::Run && whole.reason == Some(RowReason::OneRunASide);
    let decides = found.sure_ns() / whole.difference_ns >= MOST_RATIO;
    let is_much = whole
        .ratio
        .is_some_and(|ratio| (ratio - 1.0).abs() >= LEAST_RATIO);
    if is_open && decides && is_much {
        let verdict = if whole.difference_ns < 0.0 {
            Verdict::Faster
        } else {
            Verdict::Slower
        };
        whole.verdict = Some(verdict);
        whole.reason = Some(RowReason::ChangedFunctions);
        pair.verdict = verdict;
    }
    pair.functions = Some(found);
}

/// Returns the names of the lap that makes the change of a step, or of the step; `None` without steps.
fn named_lap(pair: &Pair, sides: &Sides<'_>) -> Option<Vec<String>> {
    let step = sides.find(sides.step()?)?;
    let cause = pair.cause.as_ref().filter(|cause| cause.own_ns.is_none());
    let part = match cause.map(|cause| &cause.parts[..]) {
        Some([only]) => Some(only),
        _ => None,
    };
    let path = pair.changed_lap.as_ref().or(part).map(|part| &part.path);
    let row = path.and_then(|path| pair.rows.iter().find(|row| row.path == *path));
    let names = row.map(|row| row.names.clone());
    Some(names.unwrap_or_else(|| step.names.to_vec()))
}

#[cfg(test)]
#[path = "tests/function_verdict.rs"]
mod tests;
