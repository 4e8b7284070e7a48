//! Waits for data in which a loader's worker processes started.
//!
//! A loader starts its workers when its iterator is made, and again in each epoch unless they are told to
//! persist. The first batch then waits until a worker has started, imported what the script imports, and
//! prepared the batch. Where workers have laps, the first one says when they had started.

use crate::process::Process;

/// Waits that are kept: the longest.
const MOST: usize = 256;
/// When a process started is known to a hundredth of a second.
const RESOLUTION_NS: u64 = 20_000_000;

/// The longest waits for data of a process, in ticks.
#[derive(Debug, Default)]
pub struct Waits {
    longest: Vec<(u64, u64)>,
    /// Shorter ones are not among them.
    least: u64,
}

/// A wait in which workers started.
///
/// **Units** nanoseconds; moments on `CLOCK_MONOTONIC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "a number's name ends in its unit"
)]
pub struct WorkerStart {
    /// When it began.
    pub at_ns: u64,
    /// How long it was.
    pub wait_ns: u64,
    /// How long until the first worker's first lap, where workers have laps.
    pub lap_ns: Option<u64>,
}

impl Waits {
    /// Adds a wait.
    pub fn push(&mut self, start: u64, end: u64) {
        if end.saturating_sub(start) < self.least {
            return;
        }
        self.longest.push((start, end));
        if self.longest.len() >= 2 * MOST {
            self.longest
                .sort_unstable_by_key(|(start, end)| std::cmp::Reverse(end - start));
            self.longest.truncate(MOST);
            self.least = self.longest.last().map_or(0, |(start, end)| end - start);
        }
    }
}

/// The waits of the measured processes in which processes started that belong to them, in order.
pub fn of_run(processes: &[Process], measured: usize) -> Vec<WorkerStart> {
    let (trained, others) = processes.split_at(measured);
    let mut starts = Vec::new();
    for process in trained {
        let timeline = process.anchors.timeline();
        let workers: Vec<&Process> = others
            .iter()
            .filter(|worker| worker.header.parent_pid == process.header.pid)
            .collect();
        let mut waits: Vec<WorkerStart> = process
            .waits
            .longest
            .iter()
            .map(|(start, end)| {
                let at_ns = timeline.monotonic_ns(*start);
                WorkerStart {
                    at_ns,
                    wait_ns: timeline.monotonic_ns(*end).saturating_sub(at_ns),
                    lap_ns: None,
                }
            })
            .collect();
        waits.sort_by_key(|wait| wait.at_ns);
        let mut has_start = vec![false; waits.len()];
        for worker in workers {
            // The last wait that had begun by then, as far as is known: the one before ended with its epoch.
            let latest_ns = worker.started_ns.saturating_add(RESOLUTION_NS);
            let begun = waits.partition_point(|wait| wait.at_ns <= latest_ns);
            let Some(index) = begun.checked_sub(1) else {
                continue;
            };
            let wait = &mut waits[index];
            if worker.started_ns >= wait.at_ns.saturating_add(wait.wait_ns) {
                continue;
            }
            has_start[index] = true;
            if worker.totals.first_start != u64::MAX {
                let first = worker.totals.first_start;
                let first_ns = worker.anchors.timeline().monotonic_ns(first);
                let lap_ns = first_ns.saturating_sub(wait.at_ns).min(wait.wait_ns);
                wait.lap_ns = Some(wait.lap_ns.map_or(lap_ns, |known| known.min(lap_ns)));
            }
        }
        let found = waits.into_iter().zip(has_start);
        starts.extend(found.filter(|(_, has)| *has).map(|(wait, _)| wait));
    }
    starts.sort_by_key(|start| start.at_ns);
    starts
}

#[cfg(test)]
#[path = "worker_starts_tests.rs"]
mod tests;
