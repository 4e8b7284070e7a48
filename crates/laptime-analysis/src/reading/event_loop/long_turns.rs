//! Tasks without laps that held an event loop, by samples: long turns of one task while others were ready to run.
//!
//! Each sample knows whether its thread changed the context since the one before
//! ([`in_same_turn`](laptime_core::SampledStack)), so what lies between two such samples is surely of one turn. It also
//! knows whether more of its loop were ready ([`others_ready`](laptime_core::SampledStack)): without that, nobody waited
//! for the turn, and a program that computes in its only task blocks nothing. A turn took longer than is told: from
//! before its first sample until after its last. So which function blocks the loop is told by its long turns, and for how
//! long by all samples of tasks in it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use laptime_core::{PathId, Runner};

use crate::functions::sampled::OwnCode;
use crate::functions::stack_records::Stacks;
use crate::reading::event_loop::blocked_tasks::LEAST_NS;
use crate::reading::process::Process;
use crate::summary::finding::{HeldLoop, MainFunction};

/// A function of the program by its name and file.
type Own = (String, String);

/// A turn of a task in which no lap was open, as far as it was sampled.
#[derive(Debug)]
struct Turn {
    thread: u64,
    start: u64,
    end: u64,
    /// Whether others were ready to run.
    others_ready: bool,
    /// The number of samples by function of the program and line.
    lines: BTreeMap<(Own, u32), u64>,
}

/// Time that one function held an event loop.
#[derive(Debug, Default)]
struct Sums {
    count: u64,
    total_ns: u64,
    max_ns: u64,
    /// Time by line.
    lines: BTreeMap<u32, u64>,
}

/// Returns the function that blocked an event loop longest while others were ready, over the measured processes; `None`
/// where none did.
///
/// **Units** its `wall_ns` is left 0 for who knows it.
pub fn of_run(processes: &[Process], measured: usize) -> Option<HeldLoop> {
    let own = OwnCode::of_processes(processes);
    let mut sums: BTreeMap<Own, Sums> = BTreeMap::new();
    for process in &processes[..measured] {
        let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
        for turn in turns(process, &own) {
            let ns = (turn.end - turn.start) as f64 * ns_per_tick;
            if turn.others_ready && ns >= LEAST_NS {
                add(&mut sums, &turn, ns as u64);
            }
        }
    }
    let all_ns = sums.values().map(|sums| sums.total_ns);
    let all_ns = all_ns.fold(0, u64::saturating_add);
    let longest = sums.into_iter().max_by_key(|(_, sums)| sums.total_ns);
    let ((name, file), sums) = longest?;
    let own_function = (name, file);
    let measured = processes[..measured].iter();
    let total_ns = measured.map(|process| in_tasks_ns(process, &own, &own_function));
    let total_ns = total_ns.fold(0, u64::saturating_add);
    let (name, file) = own_function;
    let lines = sums.lines.iter();
    let line = lines.min_by_key(|(line, ns)| (Reverse(**ns), **line));
    Some(HeldLoop {
        path: String::new(),
        function: Some(MainFunction {
            name,
            file,
            line: line.map_or(0, |(line, _)| *line),
            ratio: sums.total_ns as f64 / all_ns.max(1) as f64,
            awaited: None,
        }),
        count: sums.count,
        total_ns,
        max_ns: sums.max_ns,
        wall_ns: 0,
        waiting_count: 0,
        lost_ns: 0,
        sampled: true,
    })
}

/// Adds a turn to the function that it mostly was in.
fn add(sums: &mut BTreeMap<Own, Sums>, turn: &Turn, ns: u64) {
    let mut functions: BTreeMap<&Own, u64> = BTreeMap::new();
    for ((own, _), samples) in &turn.lines {
        *functions.entry(own).or_default() += samples;
    }
    let longest = functions.into_iter().max_by_key(|(_, samples)| *samples);
    let Some((own, _)) = longest else { return };
    let sum = sums.entry(own.clone()).or_default();
    sum.count += 1;
    sum.total_ns = sum.total_ns.saturating_add(ns);
    sum.max_ns = sum.max_ns.max(ns);
    for ((_, line), samples) in turn.lines.iter().filter(|((of, _), _)| of == own) {
        *sum.lines.entry(*line).or_default() += samples;
    }
}

/// Returns the time in which tasks were in a function, or in what it calls, as samples tell it.
fn in_tasks_ns(process: &Process, own: &OwnCode, function: &Own) -> u64 {
    let stacks = &process.features.stacks;
    let is_in = |innermost: u32| {
        let mut at = innermost;
        while let Some(frame) = stacks.frames.get(&at) {
            let known = stacks.functions.get(&frame.function);
            let known = known.filter(|known| own.is_own(known));
            if known.is_some_and(|known| {
                (known.written_in(), &known.file) == (function.0.as_str(), &function.1)
            }) {
                return true;
            }
            at = frame.parent;
        }
        false
    };
    let samples = stacks.samples.iter().zip(&stacks.laps);
    let of_tasks = samples.filter(|(sample, in_lap)| {
        matches!(sample.runner, Runner::Task { .. })
            && in_lap.path == PathId::ROOT
            && is_in(sample.frame)
    });
    of_tasks.fold(0, |sum, (sample, _)| {
        sum.saturating_add(sample.stands_for_ns)
    })
}

/// Returns the turns of tasks of a process in which no lap was open.
fn turns(process: &Process, own: &OwnCode) -> Vec<Turn> {
    let stacks = &process.features.stacks;
    let samples = stacks.samples.iter().zip(&stacks.laps);
    let mut samples: Vec<_> = samples.collect();
    samples.sort_by_key(|(sample, _)| (sample.thread, sample.ticks));
    let mut turns: Vec<Turn> = Vec::new();
    // Whether the turn added last may go on: another one may have come since, of the thread itself or with a lap.
    let mut is_open = false;
    for (sample, in_lap) in samples {
        if !matches!(sample.runner, Runner::Task { .. }) || in_lap.path != PathId::ROOT {
            is_open = false;
            continue;
        }
        let last = turns.last().filter(|_| is_open && sample.in_same_turn);
        if last.is_none_or(|turn| turn.thread != sample.thread) {
            turns.push(Turn {
                thread: sample.thread,
                start: sample.ticks,
                end: sample.ticks,
                others_ready: false,
                lines: BTreeMap::new(),
            });
        }
        is_open = true;
        if let Some(turn) = turns.last_mut() {
            turn.end = sample.ticks;
            turn.others_ready |= sample.others_ready;
            if let Some(at) = innermost(stacks, own, sample.frame) {
                *turn.lines.entry(at).or_default() += 1;
            }
        }
    }
    turns
}

/// Returns the innermost function of the program on a stack, with its line.
fn innermost(stacks: &Stacks, own: &OwnCode, frame: u32) -> Option<(Own, u32)> {
    let mut at = frame;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function)?;
        if own.is_own(function) {
            let name = function.written_in().to_owned();
            return Some(((name, function.file.clone()), frame.line));
        }
        at = frame.parent;
    }
    None
}

#[cfg(test)]
#[path = "tests/long_turns.rs"]
mod tests;
