//! When an interpreter begins to end, and how long it waits for its threads then.

use std::collections::HashMap;

use laptime_core::StackFrame;

use super::function_sums::{FunctionSums, LEAST_SAMPLES, program_function};
use crate::functions::stack_records::Stacks;
use crate::reading::process::Process;
use crate::summary::finding::ThreadsWait;

/// The function in which the interpreter waits for its threads, and the end of its file's name.
const SHUTDOWN: (&str, &str) = ("_shutdown", "/threading.py");

/// Returns when the exit handlers of a process had run, if it said so.
pub fn handlers_ended_ns(process: &Process) -> Option<u64> {
    let ticks = process.features.notes.exits_at()?;
    Some(process.facts.anchors.timeline().monotonic_ns(ticks))
}

/// Returns how long the interpreter waited for its threads at its end, and the function that these mostly were in then.
pub fn wait_for_threads(process: &Process) -> Option<ThreadsWait> {
    let stacks = &process.features.stacks;
    // Most programs have no such stack, and a long recording many others.
    if !stacks
        .frames
        .values()
        .any(|frame| frame.parent == 0 && is_shutdown_frame(stacks, frame))
    {
        return None;
    }
    let ticks = |ns: u64| (ns as f64 / process.facts.anchors.mean_ns_per_tick()) as u64;
    let mut waits: HashMap<u64, (u64, u64, u64)> = HashMap::new();
    for sample in stacks
        .samples
        .iter()
        .filter(|one| is_ending(stacks, one.frame))
    {
        let began = sample.ticks.saturating_sub(ticks(sample.stands_for_ns));
        let wait = waits
            .entry(sample.thread)
            .or_insert((began, sample.ticks, 0));
        *wait = (
            wait.0.min(began),
            wait.1.max(sample.ticks),
            wait.2.saturating_add(sample.stands_for_ns),
        );
    }
    let (thread, (from, to, total_ns)) = waits.into_iter().max_by_key(|(_, wait)| wait.2)?;
    let mut sums = FunctionSums::default();
    let mut all_ns = 0.0;
    let others = stacks.samples.iter().filter(|one| one.thread != thread);
    for sample in others.filter(|one| one.ticks > from && one.ticks <= to) {
        if let Some(place) = program_function(stacks, sample.frame) {
            sums.samples += 1;
            sums.add(place, sample.stands_for_ns as f64);
            all_ns += sample.stands_for_ns as f64;
        }
    }
    // A thread that waits is looked at less often: then its few samples are all that there is to see.
    sums.samples = sums.samples.max(usize::from(all_ns > 0.0) * LEAST_SAMPLES);
    Some(ThreadsWait {
        total_ns,
        wall_ns: 0,
        function: sums.main_function(all_ns),
    })
}

/// Whether a stack is that of an interpreter that waits for its threads.
fn is_ending(stacks: &Stacks, innermost: u32) -> bool {
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        if frame.parent == 0 {
            return is_shutdown_frame(stacks, frame);
        }
        at = frame.parent;
    }
    false
}

fn is_shutdown_frame(stacks: &Stacks, frame: &StackFrame) -> bool {
    let function = stacks.functions.get(&frame.function);
    function.is_some_and(|one| is_shutdown(&one.name, &one.file))
}

/// Whether a function is the one in which the interpreter waits for its threads at its end.
pub fn is_shutdown(name: &str, file: &str) -> bool {
    name == SHUTDOWN.0 && file.ends_with(SHUTDOWN.1)
}
