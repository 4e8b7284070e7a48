//! The time after the last lap, until the process ended.

use laptime_core::RunInfo;

use super::evidence::Evidence;
use super::main_function;
use super::startup::is_long;
use crate::summarize::wall_time::{AFTER, EXIT};
use crate::summary::finding::Finding;
use crate::summary::{Summary, WallSource};

/// Finds an end that is a large part of the run.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let leftover_ns = |name| {
        let mut rows = summary.rows.iter();
        rows.find(|row| row.is_leftover(name))
            .map_or(0, |row| row.total_ns)
    };
    // The script's own end or, where it is told apart from that, the interpreter's: the longer one.
    let (after_ns, of_interpreter_ns) = (leftover_ns(AFTER), leftover_ns(EXIT));
    let (exit_ns, place) = if after_ns > of_interpreter_ns {
        (after_ns, AFTER)
    } else {
        (of_interpreter_ns, EXIT)
    };
    let closing_ns = (evidence.clues.handlers_ended_ns)
        .filter(|_| place == EXIT)
        .zip(ended_ns(summary))
        .and_then(|(from, to)| to.checked_sub(from));
    is_long(summary, exit_ns).then(|| Finding::Exit {
        exit_ns,
        wall_ns: summary.measured_ns,
        closing_ns: closing_ns.map(|ns| ns.min(exit_ns)),
        function: main_function::of_leftover(summary.functions.as_ref(), place, exit_ns),
    })
}

/// Returns when the run ended, `CLOCK_MONOTONIC` ns: as its launcher saw it, else as its main process did.
fn ended_ns(summary: &Summary) -> Option<u64> {
    let of_run = |run: &RunInfo| run.started_monotonic_ns.saturating_add(summary.wall_ns);
    let main = || summary.processes.iter().find(|process| process.is_main);
    match summary.wall_source {
        WallSource::Launcher => summary.run.as_ref().map(of_run),
        _ => main().map(|main| main.ended_monotonic_ns),
    }
}
