//! What the checker of reports refused, for the tests: they ask after each of them. A program that nobody asks says it.

use laptime_analysis::Summary;
use laptime_python_macros::guarded;
use laptime_report::{View, contradictions};
use pyo3::prelude::*;

/// The command's exit code where it refused a report: as where a program panics.
const REFUSED: i32 = 101;

/// Holds a report against itself.
pub fn check(summary: &Summary) {
    let view = View::default();
    let found = contradictions::of_summary(summary, &view);
    if !found.is_empty() {
        laptime_recorder::warn(&format!(
            "this report contradicts itself: {}",
            found.join("; ")
        ));
        contradictions::refuse(summary, &view);
    }
}

/// What was refused since this was last asked.
#[guarded]
#[pyfunction]
#[pyo3(name = "_contradictions")]
pub fn take() -> Vec<String> {
    contradictions::take()
}

/// Says what the command refused; its exit code then.
pub fn end(code: i32) -> i32 {
    let found = contradictions::take();
    for one in &found {
        laptime_recorder::warn(one);
    }
    if found.is_empty() { code } else { REFUSED }
}
