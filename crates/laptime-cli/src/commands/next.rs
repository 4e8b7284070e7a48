//! The command to type after a report, which shows more than it did.

use std::ffi::OsString;
use std::path::Path;

use laptime_analysis::{Finding, RowKind, Summary};
use laptime_core::PhaseName;
use laptime_report::By;

use crate::messages::quoted;
use crate::runs::folder::holds;
use crate::runs::names::shortest;

/// The part of a step that must be forward and backward for its layers to be what matters.
const NETWORK_RATIO: f64 = 0.7;
/// Noted where `PyTorch` was there, whose modules can be timed.
const TORCH: &str = "threads";

/// The functions where calls were counted, operators where steps were profiled, the modules of a network where they were
/// timed, or how to time them where a step is little else; then the calls below each lap, or the timeline. `again`: the words that ran the program.
///
/// A recording that is `None` is the last one here, which needs no name. `None` comes of a program that failed before
/// anything was measured: there is nothing more to show.
pub fn after(
    recording: Option<&Path>,
    summary: &Summary,
    (by, shows_kernels): (By, bool),
    again: &[OsString],
) -> Option<String> {
    if is_empty_failure(summary) {
        return None;
    }
    Some(command(recording, summary, (by, shows_kernels), again))
}

fn command(
    recording: Option<&Path>,
    summary: &Summary,
    (by, shows_kernels): (By, bool),
    again: &[OsString],
) -> String {
    let report = match recording {
        Some(path) => format!("laptime report {}", shortest(path)),
        None => "laptime report".to_owned(),
    };
    let functions = summary.functions.as_ref();
    if functions.is_some_and(|functions| functions.exact.is_some()) && by == By::Path {
        return format!("next: {report} --functions");
    }
    if summary.operators.is_some() && by == By::Path && !shows_kernels {
        return format!("next: {report} --kernels");
    }
    if has_modules(summary) && by == By::Path {
        return format!("next: {report} --by module");
    }
    if by == By::Path && !again.is_empty() && is_of_layers(summary) {
        let words: Vec<String> = again.iter().map(|word| quoted(Path::new(word))).collect();
        return format!(
            "next: laptime run --modules {}  # names the layer",
            words.join(" ")
        );
    }
    // Of a program without laps the tree is shown already.
    let has_laps = summary.rows.iter().any(|row| row.kind == RowKind::Span);
    if functions.is_some() && has_laps && by == By::Path {
        return format!("next: {report} --tree");
    }
    match recording.filter(|path| !holds(path)) {
        Some(path) => {
            let page = quoted(&path.with_extension("html"));
            format!("next: {report} -o {page} --open")
        }
        // The page of a run lies beside it.
        None => format!("next: {report} --open"),
    }
}

/// Whether a program failed and nothing of it was measured but its time as a whole.
fn is_empty_failure(summary: &Summary) -> bool {
    let end = summary.run.as_ref().and_then(|run| run.end.as_ref());
    let has_failed =
        end.is_some_and(|end| end.signal.is_some() || end.code.is_some_and(|code| code != 0));
    let has_spans = summary.rows.iter().any(|row| row.kind == RowKind::Span);
    has_failed
        && !has_spans
        && summary.functions.is_none()
        && summary.operators.is_none()
        && summary.marks.is_empty()
        && summary.metrics.is_empty()
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
                | Finding::GrowingInputs { .. }
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
