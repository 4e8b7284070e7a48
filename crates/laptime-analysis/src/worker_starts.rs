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
        for (start, end) in &process.waits.longest {
            let (from, to) = (timeline.monotonic_ns(*start), timeline.monotonic_ns(*end));
            let started = workers.iter().filter(|worker| {
                let at_ns = worker.started_ns.saturating_add(RESOLUTION_NS);
                from <= at_ns && worker.started_ns < to
            });
            let mut is_started = false;
            let mut lap_ns: Option<u64> = None;
            for worker in started {
                is_started = true;
                let first = worker.totals.first_start;
                if first != u64::MAX {
                    let at_ns = worker.anchors.timeline().monotonic_ns(first);
                    let after_ns = at_ns.saturating_sub(from).min(to - from);
                    lap_ns = Some(lap_ns.map_or(after_ns, |known| known.min(after_ns)));
                }
            }
            if is_started {
                starts.push(WorkerStart {
                    at_ns: from,
                    wait_ns: to - from,
                    lap_ns,
                });
            }
        }
    }
    starts.sort_by_key(|start| start.at_ns);
    starts
}

#[cfg(test)]
#[path = "worker_starts_tests.rs"]
mod tests;
