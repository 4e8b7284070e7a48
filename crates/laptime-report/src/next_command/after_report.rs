//! The command to type after a report, which shows more than it did.

use laptime_analysis::{Finding, RowKind, Summary};
use laptime_core::PhaseName;

use super::after_finding::{TORCH, after_finding};
use super::command::Command;
use crate::document::view::{By, View};

/// The part of a step that must be forward and backward for its layers to be what matters.
const NETWORK_RATIO: f64 = 0.7;

/// Returns the command to type next: how to learn who keeps memory where the first finding is that it grows; what was
/// asked for when the program ran, which is functions where calls were counted, operators where steps were profiled and
/// modules where they were timed; what tells more about the first finding that has such a command; how to time modules
/// where a step is little else; then the calls below each lap, or the timeline. Of a program without laps, whose tree of
/// calls is shown, it is the functions by themselves.
///
/// `None` comes of a program that failed before anything was measured or of which there is no more to show, and where the
/// view names no recording.
pub fn after_report(summary: &Summary, view: &View) -> Option<Command> {
    if is_empty_failure(summary) {
        return None;
    }
    let origin = &view.origin;
    let functions = summary.functions.as_ref();
    if view.by != By::Path {
        return origin.page();
    }
    if let Some(first) = summary.findings.first()
        && is_growth(first)
        && let Some(next) = after_finding(first, summary, origin)
    {
        return Some(next);
    }
    if functions.is_some_and(|functions| functions.exact.is_some()) {
        return origin.report(&["--functions"]);
    }
    if summary.operators.is_some() && !view.kernels {
        return origin.report(&["--kernels"]);
    }
    if has_modules(summary) {
        return origin.report(&["--by", "module"]);
    }
    // Of a program without laps the tree is shown already.
    let has_laps = summary.rows.iter().any(|row| row.kind == RowKind::Span);
    let is_shown = |next: &Command| is_shown(next, view, has_laps);
    let findings = summary.findings.iter().enumerate();
    let mut after = findings.filter_map(|(at, finding)| {
        let next = after_finding(finding, summary, origin)?;
        // The same run again answers the first finding only.
        (at == 0 || Some(&next) != origin.run(&[]).as_ref()).then_some(next)
    });
    if let Some(next) = after.find(|next| !is_shown(next)) {
        return Some(next);
    }
    if is_of_layers(summary)
        && let Some(run) = origin.run(&["--modules"])
    {
        return Some(run.remarked("names the layer"));
    }
    if has_laps {
        return match functions {
            Some(_) if !view.tree => origin.report(&["--tree"]),
            _ => origin.page(),
        };
    }
    // The functions alone, the longest first, are not in the tree.
    origin
        .report(&["--functions"])
        .filter(|_| functions.is_some())
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

/// Whether memory is found to grow.
fn is_growth(finding: &Finding) -> bool {
    matches!(
        finding,
        Finding::MemoryGrowth { .. }
            | Finding::MemoryRise { .. }
            | Finding::ResidentGrowth { .. }
            | Finding::DeviceGrowth { .. }
    )
}

/// Whether a view shows already what a command reports.
fn is_shown(command: &Command, view: &View, has_laps: bool) -> bool {
    let asks_for = |option: &str| command.argv.iter().any(|word| word == option);
    let has_tree = view.tree || !has_laps;
    asks_for("report") && (has_tree && asks_for("--tree") || view.kernels && asks_for("--kernels"))
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
#[path = "tests/after_report.rs"]
mod tests;
