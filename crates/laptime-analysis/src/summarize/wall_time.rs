//! The wall time of a run, and of each of its processes.
//!
//! The launcher's clock counts when it saw start and end; otherwise the main process's own start and last sign of life.
//! [`crate::summarize::wall_cover`] tells what of it spans cover.

use laptime_core::RunInfo;

use crate::reading::process::Process;
use crate::summary::WallSource;

pub use crate::summarize::leftovers::{AFTER, EXIT, OTHER, STARTUP};

/// Resolution of a process's start, 10 ms, and the little longer that a launcher needs.
const START_RESOLUTION_NS: u64 = 20_000_000;

/// Start and end of a run, `CLOCK_MONOTONIC` ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// Start of the wall time, `CLOCK_MONOTONIC` ns.
    pub start_ns: u64,
    /// End of the wall time, `CLOCK_MONOTONIC` ns.
    pub end_ns: u64,
    /// Origin of both moments.
    pub source: WallSource,
}

impl Wall {
    /// Returns the length of the wall time.
    pub fn ns(self) -> u64 {
        self.end_ns - self.start_ns
    }
}

/// Returns a process's last sign of life.
pub fn ended_ns(process: &Process, run: Option<&RunInfo>) -> u64 {
    if let Some(closed) = process.facts.header.closed {
        return closed.monotonic_ns;
    }
    if let Some(replaced_ns) = process.facts.replaced_ns {
        return replaced_ns;
    }
    let launched = run.filter(|run| run.pid == Some(process.facts.header.pid));
    if let Some(end) = launched.and_then(|run| run.end.as_ref()) {
        return end
            .monotonic_ns
            .max(process.facts.header.anchor.monotonic_ns);
    }
    let last_ns = match process
        .spans
        .last_end
        .max(process.features.host_memory.last_noted)
    {
        0 => 0,
        ticks => process.facts.anchors.timeline().monotonic_ns(ticks),
    };
    process.facts.anchors.last().monotonic_ns.max(last_ns)
}

/// Tells whether the run began before this process, rather than the process describing its own run later.
fn is_launched(process: &Process, run: &RunInfo) -> bool {
    run.started_monotonic_ns <= process.facts.started_ns.saturating_add(START_RESOLUTION_NS)
}

/// Returns the wall time of the run.
///
/// The main process comes first.
pub fn wall(processes: &[Process], run: Option<&RunInfo>) -> Wall {
    let main = processes.first();
    let last_ns = processes.iter().map(|process| ended_ns(process, run)).max();
    if let Some(run) = run {
        let stated_end = run.end.as_ref().map(|end| end.monotonic_ns);
        let end_ns = stated_end.or(last_ns).unwrap_or(run.started_monotonic_ns);
        let is_own = main
            .is_some_and(|main| run.pid == Some(main.facts.header.pid) && !is_launched(main, run));
        return Wall {
            start_ns: run.started_monotonic_ns,
            end_ns: end_ns.max(run.started_monotonic_ns),
            source: if is_own {
                WallSource::Recording
            } else {
                WallSource::Launcher
            },
        };
    }
    let Some(main) = main else {
        return Wall {
            start_ns: 0,
            end_ns: 0,
            source: WallSource::Recording,
        };
    };
    let start_ns = main.facts.started_ns;
    Wall {
        start_ns,
        end_ns: ended_ns(main, run).max(start_ns),
        source: if main.facts.header.process_started_boottime_ns.is_some() {
            WallSource::Process
        } else {
            WallSource::Recording
        },
    }
}

/// Returns the wall time of one process alone.
pub fn lifetime(process: &Process, end_ns: u64) -> Wall {
    let start_ns = process.facts.started_ns;
    Wall {
        start_ns,
        end_ns: end_ns.max(start_ns),
        source: WallSource::Process,
    }
}
