//! The wall time of a run, and what of it no span covers.
//!
//! The launcher's clock counts when it saw start and end; otherwise the main process's
//! own start and last sign of life. "startup" is the time until the first outermost span,
//! "after" that from the end of the last one until the interpreter exits, "exit" what follows, "lost" both where a recording ends early, "other" the rest that no outermost span and no
//! timer's segment covers, on whatever track. With the self times of the rows they add up to
//! the wall time, unless tracks ran side by side, or segments overlap each other or spans.
//!
//! Where several processes train, each is measured from its own start to its own end, and
//! what they leave is summed up. A process without steps that none of them started is measured
//! too where it has laps: its rows would else be shares of a time that it is no part of. While it
//! waits for those that it started, it neither starts nor ends: that is "other".

use laptime_core::{PathId, PhaseName, RunInfo};

use crate::reading::process::{Covered, Process};
use crate::reading::totals::Totals;
use crate::summary::WallSource;

/// Name of the wall time that no span covers.
pub const OTHER: &str = "other";
/// Name of the leftover before the first lap.
pub const STARTUP: &str = "startup";
/// Name of the leftover from the last lap until the interpreter begins to exit.
pub const AFTER: &str = "after";
/// Name of the leftover in which the interpreter exits; where that moment isn't known, of all after
/// the last lap.
pub const EXIT: &str = "exit";

/// Name of the leftover behind the last lap that was recorded, where later ones are missing.
pub const LOST: &str = "lost";

/// Code of the note that says when the interpreter began to exit, in ticks.
pub const EXITS: &str = "interpreter.exits";
/// A program's work after its last lap is told apart from this part of its time on.
pub const AFTER_RATIO: f64 = 0.01;

/// What the clock's rate and its anchors may differ by: one part in so many.
const ROUNDING: u64 = 100_000;
/// A process's start is known to 10 ms; a launcher needs a little longer than none.
const START_RESOLUTION_NS: u64 = 20_000_000;

/// From when to when a run went, `CLOCK_MONOTONIC` ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// When the wall time begins, `CLOCK_MONOTONIC` ns.
    pub start_ns: u64,
    /// When the wall time ends, `CLOCK_MONOTONIC` ns.
    pub end_ns: u64,
    /// Who says so.
    pub source: WallSource,
}

impl Wall {
    /// How long that is.
    pub fn ns(self) -> u64 {
        self.end_ns - self.start_ns
    }
}

/// Wall time outside of spans; `None` where it makes no sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "a number's name ends in its unit"
)]
pub struct Leftovers {
    /// Before the first outermost span, and before the process started one that is measured with it.
    pub startup_ns: Option<u64>,
    /// Between outermost spans, or everything where the process's own start and end are not part of the wall time.
    pub other_ns: Option<u64>,
    /// From the last outermost span, and the end of what it started, until the interpreter begins to exit, where that is much.
    pub after_ns: Option<u64>,
    /// The rest after the last outermost span.
    pub exit_ns: Option<u64>,
    /// In the place of both where the recording ends before the process does: what ran then isn't known.
    pub lost_ns: Option<u64>,
}

impl Leftovers {
    /// Adds those of another process.
    pub fn add(&mut self, other: Self) {
        for (sum, part) in [
            (&mut self.startup_ns, other.startup_ns),
            (&mut self.other_ns, other.other_ns),
            (&mut self.after_ns, other.after_ns),
            (&mut self.exit_ns, other.exit_ns),
            (&mut self.lost_ns, other.lost_ns),
        ] {
            *sum = match (*sum, part) {
                (Some(sum), Some(part)) => Some(sum.saturating_add(part)),
                (sum, part) => sum.or(part),
            };
        }
    }

    /// The leftovers that there are, with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            (STARTUP, self.startup_ns),
            (OTHER, self.other_ns),
            (AFTER, self.after_ns),
            (EXIT, self.exit_ns),
            (LOST, self.lost_ns),
        ];
        all.into_iter().filter_map(|(name, ns)| Some((name, ns?)))
    }
}

/// The processes whose time is shared out among the rows: those of [`trained`], then those
/// beside them that have laps of their own, such as a parent that evaluates what they trained.
///
/// What trained processes started, as a loader's workers, helps them and is not measured.
pub fn measured(processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let mut found = trained(processes, run);
    let takes_steps = |process: &Process| process.followed.steps().is_some();
    if !processes.iter().any(takes_steps) {
        // What a measured process became is no other process.
        let became = |other: &Process| found.iter().any(|one| processes[*one].became(other));
        let has_laps = |process: &Process| process.lapped_ns(ended_ns(process, run)) > 0;
        let later = (0..processes.len())
            .filter(|index| !found.contains(index))
            .filter(|index| became(&processes[*index]) && has_laps(&processes[*index]))
            .collect();
        found.extend(in_order(later, processes, run));
        return found;
    }
    let helps = |process: &Process| is_below(processes, process, takes_steps);
    let stands_beside = |process: &Process| {
        !takes_steps(process) && !helps(process) && process.lapped_ns(ended_ns(process, run)) > 0
    };
    let beside = (0..processes.len()).filter(|index| stands_beside(&processes[*index]));
    found.extend(in_order(beside.collect(), processes, run));
    found
}

/// The processes with steps, the launched one first and the others by their start; without any
/// steps [`main_index`] alone, unless it has no lap: then those that do the work for it.
pub fn trained(processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let with_steps = (0..processes.len())
        .filter(|index| processes[*index].followed.steps().is_some())
        .collect();
    let found = in_order(with_steps, processes, run);
    if !found.is_empty() {
        return found;
    }
    let Some(main) = main_index(processes, run) else {
        return Vec::new();
    };
    let has_laps = |process: &Process| process.lapped_ns(ended_ns(process, run)) > 0;
    let below = if processes[main].is_idle() {
        outermost(processes, has_laps)
    } else {
        Vec::new()
    };
    if below.is_empty() {
        return vec![main];
    }
    in_order(below, processes, run)
}

/// The processes for which something holds, and which none started for which it holds as well.
fn outermost(processes: &[Process], holds: impl Fn(&Process) -> bool) -> Vec<usize> {
    let each = 0..processes.len();
    let is_first = |process: &Process| !is_below(processes, process, &holds);
    each.filter(|index| holds(&processes[*index]) && is_first(&processes[*index]))
        .collect()
}

/// Whether a process that this holds for started another one, or what started that.
fn is_below(processes: &[Process], process: &Process, holds: impl Fn(&Process) -> bool) -> bool {
    let parent = |process: &&Process| {
        let pid = process.header.parent_pid;
        processes.iter().find(|other| other.header.pid == pid)
    };
    // Numbers are used again: a chain that is longer than there are processes runs in a circle.
    let mut parents = std::iter::successors(parent(&process), parent).take(processes.len());
    parents.any(holds)
}

/// The launched process first, the others by their start.
fn in_order(mut found: Vec<usize>, processes: &[Process], run: Option<&RunInfo>) -> Vec<usize> {
    let launched = run.and_then(|run| run.pid);
    found.sort_by_key(|index| {
        let process = &processes[*index];
        let pid = process.header.pid;
        (Some(pid) != launched, process.started_ns, pid)
    });
    found
}

/// The process that was launched or, when it did not record (a shell script), the one that ran
/// longest among those that no recorded process started.
fn main_index(processes: &[Process], run: Option<&RunInfo>) -> Option<usize> {
    let launched = run.and_then(|run| run.pid);
    let found = processes
        .iter()
        .position(|process| Some(process.header.pid) == launched);
    if found.is_some() {
        return found;
    }
    let is_root = |process: &Process| {
        let parent = process.header.parent_pid;
        !processes.iter().any(|other| other.header.pid == parent)
    };
    (0..processes.len()).max_by_key(|index| {
        let process = &processes[*index];
        let began_ns = process.started_ns;
        let ran_ns = ended_ns(process, run).saturating_sub(began_ns);
        (is_root(process), ran_ns, u64::MAX - began_ns)
    })
}

/// A process's last sign of life.
pub fn ended_ns(process: &Process, run: Option<&RunInfo>) -> u64 {
    if let Some(closed) = process.header.closed {
        return closed.monotonic_ns;
    }
    if let Some(replaced_ns) = process.replaced_ns {
        return replaced_ns;
    }
    let launched = run.filter(|run| run.pid == Some(process.header.pid));
    if let Some(end) = launched.and_then(|run| run.end.as_ref()) {
        return end.monotonic_ns.max(process.header.anchor.monotonic_ns);
    }
    let last_ns = match process.last_end.max(process.last_noted) {
        0 => 0,
        ticks => process.anchors.timeline().monotonic_ns(ticks),
    };
    process.anchors.last().monotonic_ns.max(last_ns)
}

/// Whether the run began before this process, rather than the process describing its own run later.
fn is_launched(process: &Process, run: &RunInfo) -> bool {
    run.started_monotonic_ns <= process.started_ns.saturating_add(START_RESOLUTION_NS)
}

/// The wall time of the run.
///
/// The main process comes first.
pub fn wall(processes: &[Process], run: Option<&RunInfo>) -> Wall {
    let main = processes.first();
    let last_ns = processes.iter().map(|process| ended_ns(process, run)).max();
    if let Some(run) = run {
        let stated_end = run.end.as_ref().map(|end| end.monotonic_ns);
        let end_ns = stated_end.or(last_ns).unwrap_or(run.started_monotonic_ns);
        let is_own =
            main.is_some_and(|main| run.pid == Some(main.header.pid) && !is_launched(main, run));
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
    let start_ns = main.started_ns;
    Wall {
        start_ns,
        end_ns: ended_ns(main, run).max(start_ns),
        source: if main.header.process_started_boottime_ns.is_some() {
            WallSource::Process
        } else {
            WallSource::Recording
        },
    }
}

/// Whether a process has spans where automatic phases are.
pub fn has_phases(process: &Process) -> bool {
    let mut paths = process.paths.iter();
    paths.any(|(_, entry)| entry.parent == PathId::ROOT && is_unit(&entry.name))
}

fn is_unit(name: &str) -> bool {
    PhaseName::of(name).is_some_and(PhaseName::is_unit)
}

/// The wall time of one process alone.
pub fn lifetime(process: &Process, end_ns: u64) -> Wall {
    let start_ns = process.started_ns;
    Wall {
        start_ns,
        end_ns: end_ns.max(start_ns),
        source: WallSource::Process,
    }
}

/// How the spans of one process fill its wall time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filled {
    /// What they leave.
    pub leftovers: Leftovers,
    /// By how much they exceed it.
    pub excess_ns: u64,
    /// Time in which spans of several tracks ran, counted for each but one of them.
    pub parallel_ns: u64,
    /// Time in which outermost spans of one track overlapped, counted for each but one of them.
    pub doubled_ns: u64,
}

impl Filled {
    /// Adds that of another process.
    pub fn add(&mut self, other: Self) {
        self.leftovers.add(other.leftovers);
        self.excess_ns = self.excess_ns.saturating_add(other.excess_ns);
        self.parallel_ns = self.parallel_ns.saturating_add(other.parallel_ns);
        self.doubled_ns = self.doubled_ns.saturating_add(other.doubled_ns);
    }
}

/// From when to when processes ran that another one started, `CLOCK_MONOTONIC` ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Below {
    /// When the first of them started.
    pub start_ns: u64,
    /// When the last of them ended.
    pub end_ns: u64,
}

impl Below {
    /// What each of the first processes started of the others among them: of as many as there are `ends`.
    pub fn each(processes: &[Process], ends: &[u64]) -> Vec<Option<Self>> {
        let below = |pid: u32| {
            let each = processes.iter().zip(ends);
            let is_its = |one: &Process| is_below(processes, one, |above| above.header.pid == pid);
            let its = each.filter(|(one, _)| one.header.pid != pid && is_its(one));
            its.map(|(one, end_ns)| Self {
                start_ns: one.started_ns,
                end_ns: *end_ns,
            })
            .reduce(|all, one| Self {
                start_ns: all.start_ns.min(one.start_ns),
                end_ns: all.end_ns.max(one.end_ns),
            })
        };
        let first = processes.iter().take(ends.len());
        first.map(|process| below(process.header.pid)).collect()
    }
}

/// What a process's spans and segments fill of the wall time, and what they leave: `below` ran those that it started.
pub fn filled(process: &mut Process, wall: Wall, below: Option<Below>) -> Filled {
    let wall_ns = wall.ns();
    let mut totals = std::mem::replace(&mut process.totals, Totals::new(0));
    let timeline = process.anchors.timeline();
    let (from, to) = (
        timeline.ticks_at(wall.start_ns),
        timeline.ticks_at(wall.end_ns),
    );
    let covered = process.covered(&mut totals, from, to);
    process.totals = totals;
    let Some(Covered {
        ns: covered_ns,
        is_all,
        parallel_ns,
        doubled_ns,
    }) = covered
    else {
        return Filled::default();
    };
    let segments = process.covers.segments().unwrap_or((u64::MAX, 0));
    let first_start = process.totals.first_start.min(segments.0);
    let has_ends = first_start != u64::MAX;
    let startup_ns = has_ends.then(|| {
        let first_ns = timeline.monotonic_ns(first_start);
        let first_ns = below.map_or(first_ns, |below| first_ns.min(below.start_ns));
        first_ns.saturating_sub(wall.start_ns).min(wall_ns)
    });
    let taken_ns = covered_ns.saturating_add(startup_ns.unwrap_or(0));
    // A running process has not ended yet.
    let ended = (has_ends && !process.is_live).then(|| {
        let last_ns = timeline.monotonic_ns(process.totals.last_end.max(segments.1));
        let last_ns = below.map_or(last_ns, |below| last_ns.max(below.end_ns));
        let behind_ns = wall.end_ns.saturating_sub(last_ns).min(wall_ns);
        // Durations go by the clock's rate, places by its anchors, which differ by some parts in a million.
        let left_ns = wall_ns.saturating_sub(taken_ns);
        let is_rounding = behind_ns <= left_ns.saturating_add(wall_ns / ROUNDING + 1_000);
        let behind_ns = if is_rounding {
            behind_ns.min(left_ns)
        } else {
            behind_ns
        };
        let exits_ns = process.exits_at().map(|at| timeline.monotonic_ns(at));
        let after_ns = exits_ns.map(|at| at.saturating_sub(last_ns).min(behind_ns));
        (after_ns.filter(|ns| *ns > 0), behind_ns)
    });
    let (after_ns, behind_ns) = ended.unwrap_or((None, 0));
    let taken_ns = taken_ns.saturating_add(behind_ns);
    let other_ns = is_all.then(|| wall_ns.saturating_sub(taken_ns));
    let leftovers = if process.ends_early() {
        Leftovers {
            startup_ns,
            other_ns,
            lost_ns: ended.map(|_| behind_ns),
            ..Leftovers::default()
        }
    } else {
        Leftovers {
            startup_ns,
            other_ns,
            after_ns,
            exit_ns: ended.map(|_| behind_ns - after_ns.unwrap_or(0)),
            lost_ns: None,
        }
    };
    Filled {
        leftovers,
        excess_ns: taken_ns.saturating_sub(wall_ns),
        parallel_ns,
        doubled_ns,
    }
}

#[cfg(test)]
#[path = "tests/wall_time.rs"]
mod tests;
