//! The command to type after a report, which shows more than it did.

use std::ffi::OsString;
use std::path::Path;

use laptime_analysis::{Finding, Summary};
use laptime_core::PhaseName;
use laptime_report::By;

use crate::messages::quoted;

/// The part of a step that must be forward and backward for its layers to be what matters.
const NETWORK_RATIO: f64 = 0.7;
/// Noted where `PyTorch` was there, whose modules can be timed.
const TORCH: &str = "threads";

/// The functions where stacks were sampled, operators where steps were profiled, the modules of a network where they were timed, or how to
/// time them where a step is little else; then the timeline. `again`: the words that ran the program.
pub fn after(
    recording: &Path,
    summary: &Summary,
    (by, shows_kernels): (By, bool),
    again: &[OsString],
) -> String {
    let shown = quoted(recording);
    if summary.functions.is_some() && by == By::Path {
        return format!("next: laptime report {shown} --functions");
    }
    if summary.operators.is_some() && by == By::Path && !shows_kernels {
        return format!("next: laptime report {shown} --kernels");
    }
    if has_modules(summary) && by == By::Path {
        return format!("next: laptime report {shown} --by module");
    }
    if by == By::Path && !again.is_empty() && is_of_layers(summary) {
        let words: Vec<String> = again.iter().map(|word| quoted(Path::new(word))).collect();
        return format!(
            "next: laptime run --modules {}  # names the layer",
            words.join(" ")
        );
    }
    let page = recording.with_extension("html");
    format!("next: laptime report {shown} -o {} --open", quoted(&page))
}

fn has_modules(summary: &Summary) -> bool {
    summary.rows.iter().any(|row| !row.module_class.is_empty())
}

/// Whether a step is mostly a network's forward and backward, and no finding says what takes long.
fn is_of_layers(summary: &Summary) -> bool {
    let Some((step, rows)) = summary.repeated() else {
        return false;
    };
    let network = [PhaseName::Forward, PhaseName::Backward];
    let parts = rows.iter().filter(|row| {
        row.is_child_of(&step.names)
            && row
                .names
                .last()
                .is_some_and(|name| network.iter().any(|phase| name == phase.text()))
    });
    let network_ns: u64 = parts.map(|row| row.total_ns).sum();
    let is_explained = |finding: &Finding| {
        matches!(
            finding,
            Finding::DataWait { .. }
                | Finding::HotSpot { .. }
                | Finding::Occasional { .. }
                | Finding::OutsideSteps { .. }
                | Finding::Recompilation { .. }
        )
    };
    summary.environment.contains_key(TORCH)
        && network_ns as f64 >= NETWORK_RATIO * step.total_ns as f64
        && !summary.findings.iter().any(is_explained)
}

#[cfg(test)]
#[path = "next_tests.rs"]
mod tests;
