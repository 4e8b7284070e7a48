//! The part of the wall time that spans cover, and the leftovers.
//!
//! "startup" is the time until the first outermost span, "after" that from the end of the last one until the
//! interpreter exits, "exit" what follows, "lost" both where a recording ends early, "other" the rest that no outermost
//! span and no timer's segment covers, on whatever track. With the self times of the rows they add up to the wall time,
//! unless tracks ran side by side, or segments overlap each other or spans. While a process waits for those that it
//! started, it neither starts nor ends: that is "other".

use crate::reading::covered_time::CoveredTime;
use crate::reading::process::Process;
use crate::reading::totals::Totals;
use crate::summarize::leftovers::Leftovers;
use crate::summarize::measured_processes::is_below;
use crate::summarize::wall_time::Wall;

/// Part of its time from which on a program's work after its last lap is told apart.
const AFTER_RATIO: f64 = 0.01;
/// Difference that the clock's rate and its anchors may have: one part in so many.
const ROUNDING: u64 = 100_000;

/// The wall time of one process: its leftovers, and by how much its spans exceed it.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilledTime {
    /// Leftovers of the wall time.
    pub leftovers: Leftovers,
    /// Time by which the spans exceed the wall time.
    pub excess_ns: u64,
    /// Time in which spans of several tracks ran, counted for each but one of them.
    pub parallel_ns: u64,
    /// Time in which outermost spans of one track overlapped, counted for each but one of them.
    pub doubled_ns: u64,
}

impl FilledTime {
    /// Adds the time of another process.
    pub fn add(&mut self, other: Self) {
        self.leftovers.add(other.leftovers);
        self.excess_ns = self.excess_ns.saturating_add(other.excess_ns);
        self.parallel_ns = self.parallel_ns.saturating_add(other.parallel_ns);
        self.doubled_ns = self.doubled_ns.saturating_add(other.doubled_ns);
    }
}

/// Start and end of the processes that another one started, `CLOCK_MONOTONIC` ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildTime {
    /// Start of the first of them.
    pub start_ns: u64,
    /// End of the last child process.
    pub end_ns: u64,
}

impl ChildTime {
    /// Returns for each of the first processes, as many as there are `ends`, the time of the others among them
    /// that it started.
    pub fn each(processes: &[Process], ends: &[u64]) -> Vec<Option<Self>> {
        let below = |pid: u32| {
            let each = processes.iter().zip(ends);
            let is_its =
                |one: &Process| is_below(processes, one, |above| above.facts.header.pid == pid);
            let its = each.filter(|(one, _)| one.facts.header.pid != pid && is_its(one));
            its.map(|(one, end_ns)| Self {
                start_ns: one.facts.started_ns,
                end_ns: *end_ns,
            })
            .reduce(|all, one| Self {
                start_ns: all.start_ns.min(one.start_ns),
                end_ns: all.end_ns.max(one.end_ns),
            })
        };
        let first = processes.iter().take(ends.len());
        first
            .map(|process| below(process.facts.header.pid))
            .collect()
    }
}

/// Fills the wall time of a process with its spans and segments, and finds what they leave; `below` is the time
/// of the processes that it started.
pub fn filled(process: &mut Process, wall: Wall, below: Option<ChildTime>) -> FilledTime {
    let wall_ns = wall.ns();
    let mut totals = std::mem::replace(&mut process.spans.totals, Totals::new(0));
    let timeline = process.facts.anchors.timeline();
    let (from, to) = (
        timeline.ticks_at(wall.start_ns),
        timeline.ticks_at(wall.end_ns),
    );
    let covered = CoveredTime::find(process, &mut totals, from, to);
    process.spans.totals = totals;
    let Some(CoveredTime {
        ns: covered_ns,
        is_all,
        parallel_ns,
        doubled_ns,
    }) = covered
    else {
        return FilledTime::default();
    };
    let segments = process.features.covers.segments().unwrap_or((u64::MAX, 0));
    let first_start = process.spans.totals.first_start.min(segments.0);
    let has_ends = first_start != u64::MAX;
    let startup_ns = has_ends.then(|| {
        let first_ns = timeline.monotonic_ns(first_start);
        let first_ns = below.map_or(first_ns, |below| first_ns.min(below.start_ns));
        first_ns.saturating_sub(wall.start_ns).min(wall_ns)
    });
    let taken_ns = covered_ns.saturating_add(startup_ns.unwrap_or(0));
    // A running process has not ended yet.
    let ended = (has_ends && !process.facts.is_live).then(|| {
        let last_ns = timeline.monotonic_ns(process.spans.totals.last_end.max(segments.1));
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
        let exits_ns = exits_at(process).map(|at| timeline.monotonic_ns(at));
        let after_ns = exits_ns.map(|at| at.saturating_sub(last_ns).min(behind_ns));
        (after_ns.filter(|ns| *ns > 0), behind_ns)
    });
    let (after_ns, behind_ns) = ended.unwrap_or((None, 0));
    let taken_ns = taken_ns.saturating_add(behind_ns);
    let other_ns = is_all.then(|| wall_ns.saturating_sub(taken_ns));
    let leftovers = if process.facts.ends_early() {
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
    FilledTime {
        leftovers,
        excess_ns: taken_ns.saturating_sub(wall_ns),
        parallel_ns,
        doubled_ns,
    }
}

/// Returns when the interpreter began to exit, in ticks: where that was noted, and the program did something
/// worth telling between its last lap and then.
pub fn exits_at(process: &Process) -> Option<u64> {
    let exits_at = process.features.notes.exits_at()?;
    let facts = &process.facts;
    let exits_ns = facts.anchors.timeline().monotonic_ns(exits_at);
    let lived_ns = exits_ns.saturating_sub(facts.started_ns);
    let after = exits_at.saturating_sub(process.spans.last_end);
    let after_ns = facts.rate.nanoseconds(after);
    (after_ns as f64 >= AFTER_RATIO * lived_ns as f64).then_some(exits_at)
}

#[cfg(test)]
#[path = "tests/wall_cover.rs"]
mod tests;
