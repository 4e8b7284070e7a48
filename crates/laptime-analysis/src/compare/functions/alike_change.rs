//! Tells whether all of a program changed by one ratio, as on a busy machine or with more work to do.
//!
//! The sides' times are held against that ratio, function by function: most of the time must be in functions that
//! surely changed by about as much, and no function may surely have changed otherwise.

use super::function_row::FunctionRow;

/// Part of the base's time that must be in functions that surely changed.
const MOST_RATIO: f64 = 0.5;
/// Fewest functions that must have changed: one alone is its own reason.
const LEAST_FUNCTIONS: usize = 2;

/// Returns the ratio by which all functions changed, whose intervals are those that are shown; `None` where they did not
/// change alike.
pub fn alike_ratio(rows: &[FunctionRow], whole_ns: [f64; 2]) -> Option<f64> {
    let ratio = whole_ns[1] / whole_ns[0];
    if !ratio.is_finite() || ratio <= 0.0 {
        return None;
    }
    let is_beside = |row: &FunctionRow| {
        let [before, now] = row.self_ns();
        // A difference of times has an interval; that of one time and a multiple of the other has at most this one.
        let within_ns = row.own.within_ns * ratio.max(1.0);
        (now - before * ratio).abs() > within_ns
    };
    if rows.iter().any(is_beside) {
        return None;
    }
    let is_along = |row: &&FunctionRow| {
        let change_ns = row.own.difference_ns;
        change_ns.abs() > row.own.within_ns && (change_ns > 0.0) == (ratio > 1.0)
    };
    let along: Vec<f64> = (rows.iter().filter(is_along))
        .map(|row| row.self_ns()[0])
        .collect();
    let is_most = along.iter().sum::<f64>() >= MOST_RATIO * whole_ns[0];
    (along.len() >= LEAST_FUNCTIONS && is_most).then_some(ratio)
}

#[cfg(test)]
#[path = "tests/alike_change.rs"]
mod tests;
