//! Waits for data in which a loader's worker processes started.
//!
//! A loader starts its workers when its iterator is made, and again in each epoch unless they are told to
//! persist. The first batch then waits until a worker has started, imported what the script imports, and
//! prepared the batch. Those of the epoch before were waited for to end. Where workers have laps, the first one says when they had started.

use laptime_core::Total;

use crate::reading::process::Process;

/// Resolution of a process's start: a hundredth of a second.
const RESOLUTION_NS: u64 = 20_000_000;

/// Least part of the first wait that a wait for a worker which starts later takes.
const LATER_RATIO: f64 = 0.05;

/// A wait in which workers started.
///
/// **Units** nanoseconds; moments on `CLOCK_MONOTONIC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "a number's name ends in its unit"
)]
pub struct WorkerStart {
    /// Start of the wait.
    pub at_ns: u64,
    /// Length of the wait.
    pub wait_ns: u64,
    /// Length of the waits right after it, for workers that started later, and right before it, for the workers
    /// of the epoch before to end.
    pub more_ns: u64,
    /// Time until the first worker's first lap, where workers have laps.
    pub lap_ns: Option<u64>,
}

/// Returns the waits of the measured processes in which worker processes of theirs started, in order.
pub fn of_run(processes: &[Process], measured: usize) -> Vec<WorkerStart> {
    let (trained, others) = processes.split_at(measured);
    let mut starts = Vec::new();
    for process in trained {
        let timeline = process.facts.anchors.timeline();
        let workers: Vec<&Process> = others
            .iter()
            .filter(|worker| worker.facts.header.parent_pid == process.facts.header.pid)
            .collect();
        let mut waits: Vec<WorkerStart> = process
            .features
            .data_waits
            .longest
            .iter()
            .map(|(start, end)| {
                let at_ns = timeline.monotonic_ns(*start);
                WorkerStart {
                    at_ns,
                    wait_ns: timeline.monotonic_ns(*end).saturating_sub(at_ns),
                    more_ns: 0,
                    lap_ns: None,
                }
            })
            .collect();
        waits.sort_by_key(|wait| wait.at_ns);
        let mut started = vec![0_usize; waits.len()];
        for worker in workers {
            // The last wait that had begun by then, as far as is known: the one before ended with its epoch.
            let latest_ns = worker.facts.started_ns.saturating_add(RESOLUTION_NS);
            let begun = waits.partition_point(|wait| wait.at_ns <= latest_ns);
            let Some(index) = begun.checked_sub(1) else {
                continue;
            };
            let wait = &mut waits[index];
            if worker.facts.started_ns >= wait.at_ns.saturating_add(wait.wait_ns) {
                continue;
            }
            started[index] += 1;
            if worker.spans.totals.first_start != u64::MAX {
                let first = worker.spans.totals.first_start;
                let first_ns = worker.facts.anchors.timeline().monotonic_ns(first);
                let lap_ns = first_ns.saturating_sub(wait.at_ns).min(wait.wait_ns);
                wait.lap_ns = Some(wait.lap_ns.map_or(lap_ns, |known| known.min(lap_ns)));
            }
        }
        let found: Vec<usize> = (0..waits.len()).filter(|at| started[*at] > 0).collect();
        let ended_ns = |index: usize| match index.checked_sub(1) {
            Some(before) if started[before] == 0 => ending_ns(&waits[before], &waits[index]),
            _ => 0,
        };
        for (number, index) in found.iter().enumerate() {
            let next = found.get(number + 1).copied();
            // The last wait before the next start is that one's.
            let to = next.map_or(waits.len(), |next| next - usize::from(ended_ns(next) > 0));
            let later = &waits[*index..to];
            starts.push(WorkerStart {
                more_ns: ended_ns(*index) + later_ns(later, started[*index]),
                ..waits[*index]
            });
        }
    }
    starts.sort_by_key(|start| start.at_ns);
    starts
}

/// Returns how long the loop waits for the workers of the epoch before to end, which its last, empty fetch
/// does.
fn ending_ns(before: &WorkerStart, start: &WorkerStart) -> u64 {
    let end_ns = before.at_ns.saturating_add(before.wait_ns);
    let is_just_before = end_ns.saturating_add(RESOLUTION_NS) >= start.at_ns;
    if is_just_before { before.wait_ns } else { 0 }
}

/// Returns how long steps wait after the first of these waits for the other workers, of so many: each has a
/// batch of its own to give, and takes about as long to start.
fn later_ns(waits: &[WorkerStart], workers: usize) -> u64 {
    let Some((first, later)) = waits.split_first() else {
        return 0;
    };
    let until_ns = first.at_ns.saturating_add(first.wait_ns.saturating_mul(2));
    let long = later.iter().filter(|wait| {
        wait.at_ns < until_ns && wait.wait_ns as f64 >= LATER_RATIO * first.wait_ns as f64
    });
    let others = long.take(workers.saturating_sub(1));
    others.map(|wait| wait.wait_ns).total()
}

#[cfg(test)]
#[path = "tests/worker_starts.rs"]
mod tests;
