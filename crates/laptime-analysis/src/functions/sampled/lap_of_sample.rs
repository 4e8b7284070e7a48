//! The place where a sample counts: in a lap, or outside of laps, by when and where it was taken.

use laptime_core::{PathId, Runner, SampledStack};

use crate::functions::stack_records::{InLap, Stacks};
use crate::reading::process::Process;
use crate::summarize::wall_cover::exits_at;
use crate::summarize::wall_time::{AFTER, EXIT, OTHER, STARTUP};
use crate::summary::functions::{EVENT_LOOP, OTHER_PROCESSES, OTHER_THREADS, PROGRAM};

/// Files in which asyncio's event loop stands, and the code that starts it or one of another make.
const LOOPS: [&str; 2] = ["asyncio/base_events.py", "asyncio/runners.py"];

/// The place where a sample counts: in a lap of its process, or outside of laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    Lap(PathId),
    Outside(&'static str),
}

/// A place of all processes: a lap by its names, or outside of laps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedPlace {
    Lap(Vec<String>),
    Outside(&'static str),
}

impl Place {
    /// Returns the place with the names that its process gave it.
    pub fn named(self, process: &Process) -> NamedPlace {
        match self {
            Self::Outside(outside) => NamedPlace::Outside(outside),
            Self::Lap(path) => {
                let names = process.paths.names(path).into_iter();
                NamedPlace::Lap(names.map(str::to_owned).collect())
            }
        }
    }
}

/// Returns the place where a sample counts.
pub fn place_of_sample(
    process: &Process,
    is_measured: bool,
    sample: &SampledStack,
    lap: InLap,
) -> Place {
    if lap.path != PathId::ROOT {
        return Place::Lap(lap.path);
    }
    let stacks = &process.features.stacks;
    if !is_measured {
        return Place::Outside(OTHER_PROCESSES);
    }
    if sample.thread != main_thread(process) {
        return Place::Outside(OTHER_THREADS);
    }
    Place::Outside(match stacks.lapped {
        None => PROGRAM,
        Some((first, _)) if sample.ticks < first => STARTUP,
        Some((_, last)) if sample.ticks >= last => {
            let is_after = exits_at(process).is_some_and(|at| sample.ticks < at);
            if is_after { AFTER } else { EXIT }
        }
        // Laps of tasks are open meanwhile, so it is no time outside of laps.
        Some(_) if is_event_loop(stacks, sample) => EVENT_LOOP,
        Some(_) => OTHER,
    })
}

/// Returns the thread that a process began with: it has the process's number, unless its track says another.
pub fn main_thread(process: &Process) -> u64 {
    let own = &process.features.stacks.tracks;
    let own = own.get(&process.facts.header.main_track);
    own.map_or(u64::from(process.facts.header.pid), |(thread, _)| *thread)
}

/// Tells whether a sample is of asyncio's loop itself, and of none of its tasks.
fn is_event_loop(stacks: &Stacks, sample: &SampledStack) -> bool {
    if sample.runner != Runner::Thread {
        return false;
    }
    let mut at = sample.frame;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function);
        let is_in = |file: &str| function.is_some_and(|function| function.file.ends_with(file));
        if LOOPS.into_iter().any(is_in) {
            return true;
        }
        at = frame.parent;
    }
    false
}
