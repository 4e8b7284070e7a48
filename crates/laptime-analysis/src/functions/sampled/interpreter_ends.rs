//! The time of a launched program that no sample has: before its first one, and after its interpreter began to exit.

use laptime_core::RunInfo;

use super::lap_of_sample::main_thread;
use crate::reading::process::Process;
use crate::summarize::wall_time::Wall;
use crate::summary::WallSource;
use crate::summary::functions::InterpreterEnds;

/// Returns these times of the program that a run launched; none where it launched something else, such as a shell, or
/// where nothing was sampled.
pub fn interpreter_ends(
    processes: &[Process],
    wall: Wall,
    run: Option<&RunInfo>,
) -> InterpreterEnds {
    let launched = |process: &&Process| {
        let pid = Some(process.facts.header.pid);
        wall.source == WallSource::Launcher && run.is_some_and(|run| run.pid == pid)
    };
    let Some(process) = processes.first().filter(launched) else {
        return InterpreterEnds::default();
    };
    let thread = main_thread(process);
    let samples = process.features.stacks.samples.iter();
    let samples = || samples.clone().filter(|sample| sample.thread == thread);
    let timeline = process.facts.anchors.timeline();
    let first = samples().min_by_key(|sample| sample.ticks);
    let (Some(first), Some(last)) = (first, samples().map(|sample| sample.ticks).max()) else {
        return InterpreterEnds::default();
    };
    let first_ns = timeline.monotonic_ns(first.ticks);
    let first_ns = first_ns.saturating_sub(first.stands_for_ns);
    let exits_at = process.features.notes.exits_at();
    let exits_ns = exits_at.map(|at| timeline.monotonic_ns(at.max(last)));
    InterpreterEnds {
        start_ns: first_ns.saturating_sub(wall.start_ns).min(wall.ns()),
        exit_ns: exits_ns.map_or(0, |at| wall.end_ns.saturating_sub(at).min(wall.ns())),
    }
}
