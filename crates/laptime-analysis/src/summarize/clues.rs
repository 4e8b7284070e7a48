//! Clues for findings: what processes tell beside the summary, looked at while they are whole.

use crate::doubts::busy_machine;
use crate::findings::{self, Clues, Rise, between};
use crate::reading::process::Process;
use crate::summarize::memory_growth;
use crate::summarize::steady_state::{self, Start};

/// Finds what findings ask about beside the summary.
pub fn find(processes: &[Process], measured: &[usize], start: Option<&Start>) -> Clues {
    let main = || measured.first().map(|index| &processes[*index]);
    Clues {
        busy: busy_machine::of_main(processes, measured),
        busy_before: start.and_then(|start| start.busy_before.clone()),
        growth: start.and_then(|start| start.growth),
        inside: start.map_or_else(
            || main().and_then(steady_state::inside_of_all),
            |start| start.inside,
        ),
        risen_bytes: start.map_or_else(
            || main().and_then(steady_state::risen_in_all),
            |start| start.risen_bytes,
        ),
        rise: main().and_then(rise),
        threads: main().and_then(findings::sampled::waited_for_threads),
        between: main().and_then(between::of_process),
        handlers_ended_ns: main().and_then(handlers_ended_ns),
        ..Clues::default()
    }
}

/// How its memory grows over time, until the interpreter ends and frees it.
fn rise(process: &Process) -> Option<Rise> {
    let to = handlers_ended_ns(process).map(|ns| process.facts.anchors.timeline().ticks_at(ns));
    let rise =
        memory_growth::over_time(&process.features.recorder_samples, to.unwrap_or(u64::MAX))?;
    let ns = rise.ticks as f64 * process.facts.anchors.mean_ns_per_tick();
    Some(Rise {
        growth: rise.growth,
        during_ns: ns as u64,
        function: findings::sampled::rose_in(process, rise.from, rise.from + rise.ticks),
        is_sampled: !process.features.stacks.is_empty(),
    })
}

/// Returns when the exit handlers of a process had run, if it said so.
fn handlers_ended_ns(process: &Process) -> Option<u64> {
    let ticks = process.features.notes.exits_at()?;
    Some(process.facts.anchors.timeline().monotonic_ns(ticks))
}
