//! Work of a training's worker processes while it waits for its data, by their own laps.
//!
//! Workers are processes that a measured one started and that measure themselves: a loader's, mostly. Their
//! time is that between their first lap and their last, and it must lie beside the steps: a pool that prepares
//! files before the training says nothing about its waits.

use std::collections::BTreeMap;

use laptime_core::{Total, path};

use crate::reading::process::Process;
use crate::summary::finding::WorkerLap;

/// Part of the workers' time that a lap must take to be their main one.
const MOST_RATIO: f64 = 0.5;
/// The part of the steps' time in which workers must be at work.
const BESIDE_RATIO: f64 = 0.5;

/// Sums of the finished spans of one path, over all workers.
#[derive(Debug, Default)]
struct Sums {
    count: u64,
    total_ns: u64,
}

/// Returns the innermost lap that takes most of the workers' time; `None` where there is none, or no workers.
///
/// The first `measured` processes are those whose steps wait.
pub fn main_lap(processes: &mut [Process], measured: usize) -> Option<WorkerLap> {
    let (trained, others) = processes.split_at_mut(measured);
    let steps = trained.iter().filter_map(|process| at_work(process, true));
    let (from, to) = steps.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    let pids: Vec<u32> = trained
        .iter()
        .map(|process| process.facts.header.pid)
        .collect();
    let mut stretches = Vec::new();
    let mut sums: BTreeMap<Vec<String>, Sums> = BTreeMap::new();
    for worker in others {
        let Some(stretch) = at_work(worker, false) else {
            continue;
        };
        if !pids.contains(&worker.facts.header.parent_pid) || stretch.1 <= from || stretch.0 >= to {
            continue;
        }
        stretches.push(stretch);
        add(worker, &mut sums);
    }
    let worked_ns: u64 = stretches.iter().map(|(begin, end)| end - begin).total();
    let beside_ns = covered(&mut stretches, from, to);
    if (beside_ns as f64) < BESIDE_RATIO * (to - from) as f64 {
        return None;
    }
    let (names, lap) = innermost(&sums, MOST_RATIO * worked_ns as f64)?;
    Some(WorkerLap {
        path: path::join(names.iter().map(String::as_str)),
        worker_count: stretches.len() as u64,
        count: lap.count,
        mean_ns: lap.total_ns / lap.count.max(1),
        // Laps that overlap, as those of threads do, take more than the time there is.
        ratio: (lap.total_ns as f64 / worked_ns.max(1) as f64).min(1.0),
    })
}

/// Returns from when to when a process had laps, `CLOCK_MONOTONIC` ns: of a training, laps of its steady state.
fn at_work(process: &Process, is_trained: bool) -> Option<(u64, u64)> {
    let totals = &process.spans.totals;
    let timeline = process.facts.anchors.timeline();
    let since_ns = process.spans.steady.as_ref().map(|steady| steady.since_ns);
    let first_ns = timeline.monotonic_ns(totals.first_start);
    let from = since_ns.filter(|_| is_trained).unwrap_or(first_ns);
    let to = timeline.monotonic_ns(totals.last_end);
    (totals.first_start != u64::MAX && from < to).then_some((from, to))
}

fn add(worker: &mut Process, sums: &mut BTreeMap<Vec<String>, Sums>) {
    let Process { paths, spans, .. } = worker;
    for tallies in [&mut spans.totals.first, &mut spans.totals.others] {
        for (id, tally) in tallies.settled() {
            let names: Vec<String> = paths.names(id).into_iter().map(str::to_owned).collect();
            let sum = sums.entry(names).or_default();
            sum.count = sum.count.saturating_add(tally.count);
            sum.total_ns = sum.total_ns.saturating_add(tally.total_ns);
        }
    }
}

/// Returns the longest of the outermost paths, or the longest path inside of it that still takes `least_ns`,
/// and so on.
fn innermost(sums: &BTreeMap<Vec<String>, Sums>, least_ns: f64) -> Option<(&Vec<String>, &Sums)> {
    let mut found = None;
    let inside = |around: &[String]| {
        let each = sums.iter();
        let each = each.filter(|(names, sum)| {
            names.len() == around.len() + 1
                && names.starts_with(around)
                && sum.count > 0
                && sum.total_ns as f64 >= least_ns
        });
        each.max_by_key(|(_, sum)| sum.total_ns)
    };
    while let Some(next) = inside(found.map_or(&[], |(names, _): (&Vec<String>, _)| &names[..])) {
        found = Some(next);
    }
    found
}

/// Returns how much of the time between two moments stretches cover, each moment once.
fn covered(stretches: &mut [(u64, u64)], from: u64, to: u64) -> u64 {
    stretches.sort_unstable();
    let (mut at, mut sum) = (from, 0);
    for (begin, end) in stretches.iter() {
        let (begin, end) = ((*begin).max(at), (*end).min(to));
        if begin < end {
            sum += end - begin;
            at = end;
        }
    }
    sum
}

#[cfg(test)]
#[path = "tests/workers.rs"]
mod tests;
