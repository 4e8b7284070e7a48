//! How many times faster than a baseline.

/// The index of the longest time, the first of equals: the baseline when none is named.
pub fn slowest(seconds: &[f64]) -> Option<usize> {
    let all = seconds.iter().enumerate();
    let longest = all.reduce(|best, next| if next.1 > best.1 { next } else { best });
    longest.map(|(index, _)| index)
}

/// The baseline's time over another's: 2.0 is twice as fast.
///
/// `None` when either is zero, as a clock too coarse for the work may give: the ratio would
/// say nothing.
pub fn speedup(baseline_seconds: f64, seconds: f64) -> Option<f64> {
    (baseline_seconds > 0.0 && seconds > 0.0).then(|| baseline_seconds / seconds)
}
