//! Laps that held an event loop: the tasks of a thread take turns, and while one keeps the thread all others wait.
//!
//! The recorder flags a lap of 20 ms or more during which its task gave no other one a turn
//! ([`SpanFlags::HELD`](laptime_core::SpanFlags::HELD)). That is known, not estimated: the interpreter counts how
//! often a thread changes from one context to another. Whether anybody waited is told from the outermost laps of
//! the thread's other tasks that were open all the while.

use std::collections::BTreeMap;

use laptime_core::path;

use crate::finding::HeldLoop;
use crate::process::Process;
use crate::turns::{Lap, Turns};

/// The part of what a lap holds that a lap inside must hold to be named in its place.
const MOSTLY: f64 = 0.5;

/// What laps of one path held.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    count: u64,
    total_ns: u64,
    max_ns: u64,
    waiting: u64,
    lost_ns: u64,
}

/// The lap that held an event loop longest while others waited, over the measured processes; `None` where none did.
///
/// **Units** its `wall_ns` is left 0 for who knows it.
pub fn of_run(processes: &[Process], measured: usize) -> Option<HeldLoop> {
    let mut sums: BTreeMap<Vec<String>, Sums> = BTreeMap::new();
    for process in &processes[..measured] {
        add(process, &mut sums);
    }
    let of = |names: &[String]| {
        let inside = sums
            .iter()
            .filter(|(inner, _)| inner.len() > names.len() && inner.starts_with(names));
        inside.max_by_key(|(_, sum)| sum.total_ns)
    };
    let (mut names, mut sum) = of(&[])?;
    while let Some((inner, inside)) = of(names) {
        if (inside.total_ns as f64) < MOSTLY * sum.total_ns as f64 {
            break;
        }
        (names, sum) = (inner, inside);
    }
    Some(HeldLoop {
        path: path::join(names.iter().map(String::as_str)),
        count: sum.count,
        total_ns: sum.total_ns,
        max_ns: sum.max_ns,
        wall_ns: 0,
        waiting_count: sum.waiting,
        lost_ns: sum.lost_ns,
    })
}

/// Adds the laps of one process that made others wait.
fn add(process: &Process, sums: &mut BTreeMap<Vec<String>, Sums>) {
    let Turns { held, outermost } = &process.turns;
    let task_of = |track: u32| {
        let (thread, is_task) = process.stacks.tracks.get(&track)?;
        is_task.then_some(*thread)
    };
    let mut held: Vec<Lap> = held.clone();
    let mut outermost: Vec<Lap> = outermost.clone();
    held.sort_by_key(|lap| lap.start);
    outermost.sort_by_key(|lap| lap.start);
    let mut coming = outermost.into_iter().peekable();
    let mut open: Vec<Lap> = Vec::new();
    for lap in held {
        while let Some(next) = coming.next_if(|next| next.start <= lap.start) {
            open.push(next);
        }
        open.retain(|around| around.end > lap.start);
        let Some(thread) = task_of(lap.track) else {
            continue;
        };
        let waits = |around: &&Lap| {
            around.track != lap.track
                && around.end >= lap.end
                && task_of(around.track) == Some(thread)
        };
        let waiting = open.iter().filter(waits).count() as u64;
        if waiting == 0 {
            continue;
        }
        let names = process.paths.names(lap.path).into_iter();
        let sum = sums.entry(names.map(str::to_owned).collect()).or_default();
        let ticks = (lap.end - lap.start) as f64;
        let ns = (ticks * process.anchors.mean_ns_per_tick()) as u64;
        sum.count += 1;
        sum.total_ns = sum.total_ns.saturating_add(ns);
        sum.max_ns = sum.max_ns.max(ns);
        sum.waiting = sum.waiting.max(waiting);
        sum.lost_ns = sum.lost_ns.saturating_add(ns.saturating_mul(waiting));
    }
}

#[cfg(test)]
#[path = "held_loop_tests.rs"]
mod tests;
