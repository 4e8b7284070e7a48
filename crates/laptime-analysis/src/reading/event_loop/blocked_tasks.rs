//! Laps that held an event loop: the tasks of a thread take turns, and while one keeps the thread all others
//! wait.
//!
//! The recorder flags a lap of 20 ms or more during which its task gave no other one a turn
//! ([`SpanFlags::HELD`](laptime_core::SpanFlags::HELD)). That is known, not estimated: the interpreter counts
//! how often a thread changes from one context to another. Whether anybody waited is told from the outermost
//! laps of the thread's other tasks that were open all the while.
//!
//! A lap that awaits as well gives others their turns, so no flag tells how long it kept the thread in
//! between. Samples do, where stacks were sampled: each knows whether the thread changed its context since
//! the one before ([`in_same_turn`](laptime_core::SampledStack)). What lies between two such samples is
//! surely of one turn.

use std::collections::BTreeMap;

use laptime_core::{PathId, Runner, path};

use crate::functions::sampled::common;
use crate::reading::event_loop::blocking_laps::{BlockingLaps, Lap};
use crate::reading::process::Process;
use crate::summary::finding::HeldLoop;

/// Part of a lap's blocking that an inner lap must hold to be named in its place.
const MOSTLY: f64 = 0.5;

/// Shortest turn that matters: the same as the recorder's for laps that it flags.
pub const LEAST_NS: f64 = 20_000_000.0;

/// Time that laps of one path blocked their event loops.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    count: u64,
    total_ns: u64,
    max_ns: u64,
    waiting: u64,
    lost_ns: u64,
    sampled: bool,
}

/// Returns the lap that blocked an event loop longest while others waited, over the measured processes; `None`
/// where none did.
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
        function: None,
        count: sum.count,
        total_ns: sum.total_ns,
        max_ns: sum.max_ns,
        wall_ns: 0,
        waiting_count: sum.waiting,
        lost_ns: sum.lost_ns,
        sampled: sum.sampled,
    })
}

/// Returns the turns of tasks that were long by samples, each in the lap that was open all the while; without
/// the turns of laps that are flagged. They took a little longer: from before their first sample until after
/// their last.
fn held_turns(process: &Process, flagged: &[Lap]) -> Vec<Lap> {
    let stacks = &process.features.stacks;
    let mut samples: Vec<_> = stacks.samples.iter().zip(&stacks.laps).collect();
    samples.sort_by_key(|(sample, _)| (sample.thread, sample.ticks));
    let mut turns: Vec<(u64, Lap)> = Vec::new();
    for (sample, in_lap) in samples {
        let Runner::Task { track, .. } = sample.runner else {
            continue;
        };
        let now = sample.ticks;
        let last = turns.last_mut();
        let goes_on = |turn: &&mut (u64, Lap)| {
            sample.in_same_turn && turn.0 == sample.thread && turn.1.track == track
        };
        if let Some((_, turn)) = last.filter(goes_on) {
            turn.end = now;
            turn.path = common(&process.paths, turn.path, in_lap.path);
            continue;
        }
        let lap = Lap {
            path: in_lap.path,
            track,
            start: now,
            end: now,
        };
        turns.push((sample.thread, lap));
    }
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    let is_known = |turn: &Lap| {
        flagged
            .iter()
            .any(|lap| lap.track == turn.track && lap.start < turn.end && turn.start < lap.end)
    };
    let turns = turns.into_iter().map(|(_, turn)| turn);
    turns
        .filter(|turn| {
            turn.path != PathId::ROOT
                && (turn.end - turn.start) as f64 * ns_per_tick >= LEAST_NS
                && !is_known(turn)
        })
        .collect()
}

/// Adds the laps of one process that made others wait.
fn add(process: &Process, sums: &mut BTreeMap<Vec<String>, Sums>) {
    let BlockingLaps { held, outermost } = &process.features.blocking_laps;
    let task_of = |track: u32| {
        let (thread, is_task) = process.features.stacks.tracks.get(&track)?;
        is_task.then_some(*thread)
    };
    let sampled = held_turns(process, held).into_iter();
    let mut held: Vec<_> = held.iter().map(|lap| (*lap, false)).collect();
    held.extend(sampled.map(|lap| (lap, true)));
    let mut outermost: Vec<Lap> = outermost.clone();
    held.sort_by_key(|(lap, _)| lap.start);
    outermost.sort_by_key(|lap| lap.start);
    let mut coming = outermost.into_iter().peekable();
    let mut open: Vec<Lap> = Vec::new();
    for (lap, sampled) in held {
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
        let ns = (ticks * process.facts.anchors.mean_ns_per_tick()) as u64;
        sum.count += 1;
        sum.total_ns = sum.total_ns.saturating_add(ns);
        sum.max_ns = sum.max_ns.max(ns);
        sum.waiting = sum.waiting.max(waiting);
        sum.lost_ns = sum.lost_ns.saturating_add(ns.saturating_mul(waiting));
        sum.sampled |= sampled;
    }
}

#[cfg(test)]
#[path = "tests/blocked_tasks.rs"]
mod tests;
