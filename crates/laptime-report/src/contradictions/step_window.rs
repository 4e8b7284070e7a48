//! Windows of steps: neither mean nor percentile is above the longest.

use laptime_analysis::StepWindow;

/// Returns all contradictions of a window of steps.
pub fn all(window: &StepWindow) -> Vec<String> {
    let StepWindow {
        mean_ns,
        p95_ns,
        max_ns,
        ..
    } = window;
    let mut found = Vec::new();
    if mean_ns > max_ns {
        found.push(format!(
            "a mean of {mean_ns} ns above the longest, {max_ns}"
        ));
    }
    if p95_ns.is_some_and(|p95_ns| p95_ns > *max_ns) {
        found.push(format!(
            "a percentile of {p95_ns:?} ns above the longest, {max_ns}"
        ));
    }
    found
}
