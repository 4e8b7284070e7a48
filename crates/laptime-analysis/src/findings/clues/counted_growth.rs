//! By how much counted allocations grew while resident memory rose: the same memory, or other memory.

use crate::reading::recorder_samples::RecorderSamples;

/// The most of a time at either end that levels may leave open.
const OPEN_RATIO: f64 = 0.1;

/// Returns the growth between two ticks; `None` where levels don't cover the time, as of a process that nothing was counted
/// in, or no longer.
pub fn between(readings: &RecorderSamples, from: u64, to: u64) -> Option<u64> {
    let open = (to.saturating_sub(from) as f64 * OPEN_RATIO) as u64;
    let levels = || readings.levels().filter(|(at, _)| (from..=to).contains(at));
    let (begin, first) = levels().min_by_key(|(at, _)| *at)?;
    let (end, last) = levels().max_by_key(|(at, _)| *at)?;
    let is_covered = begin - from <= open && to - end <= open;
    is_covered.then(|| u64::try_from(last.saturating_sub(first)).unwrap_or(0))
}

#[cfg(test)]
#[path = "tests/counted_growth.rs"]
mod tests;
