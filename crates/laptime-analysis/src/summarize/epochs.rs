//! Epochs of a summary: in nanoseconds of the run, with the last values of metrics.

use std::collections::BTreeMap;

use laptime_core::path;

use crate::reading::process::Process;
use crate::summarize::ranks;
use crate::summary::Epoch;
use crate::summary::process::ProcessEpochs;

/// Returns the epochs of the first process that has any, at times since `start_ns`.
pub fn of_first(measured: &[Process], start_ns: u64) -> Vec<Epoch> {
    let each = measured.iter();
    let mut each = each.map(|process| summaries(process, start_ns));
    each.find(|epochs| !epochs.is_empty()).unwrap_or_default()
}

/// Returns a process's epochs, at times since `start_ns`, with the metrics in each.
fn summaries(process: &Process, start_ns: u64) -> Vec<Epoch> {
    let timeline = process.facts.anchors.timeline();
    let found = process.features.epochs.main_training();
    let since = |ticks| timeline.monotonic_ns(ticks).saturating_sub(start_ns);
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    let ends = found
        .iter()
        .skip(1)
        .map(|next| next.start)
        .chain([u64::MAX]);
    found
        .iter()
        .zip(ends)
        .map(|(epoch, end)| Epoch {
            at_ns: since(epoch.start),
            duration_ns: since(epoch.end).saturating_sub(since(epoch.start)),
            step_count: epoch.steps,
            evaluation_ns: (epoch.evaluations > 0)
                .then(|| (epoch.evaluation as f64 * ns_per_tick).round() as u64),
            metrics: metrics(process, epoch.start, end),
        })
        .collect()
}

/// Returns how long each process's epochs took, with the process of [`Summary::epochs`](crate::Summary::epochs)
/// first; empty where fewer than two processes have epochs.
pub fn of_each(processes: &[Process]) -> Vec<ProcessEpochs> {
    let told = processes.iter().filter_map(|process| {
        let found = process.features.epochs.main_training();
        let (first, last) = (found.first()?, found.last()?);
        Some(ProcessEpochs {
            pid: process.facts.header.pid,
            rank: ranks::rank_of(process),
            count: found.len() as u64,
            duration_ns: (process.facts.anchors.timeline().monotonic_ns(last.end))
                .saturating_sub(process.facts.anchors.timeline().monotonic_ns(first.start)),
        })
    });
    let told: Vec<ProcessEpochs> = told.collect();
    if told.len() < 2 { Vec::new() } else { told }
}

/// Returns the last value of each metric after one moment and until another.
fn metrics(process: &Process, start: u64, end: u64) -> BTreeMap<String, f64> {
    let whole = process.features.marks.metrics.iter();
    let whole = whole.filter(|(_, values)| values.series.is_whole());
    whole
        .filter_map(|(path, values)| {
            let inside = (values.series.iter()).filter(|(at, _)| start < *at && *at <= end);
            let (_, last) = inside.max_by_key(|(at, _)| *at)?;
            let name = path::join(process.paths.names(*path));
            last.is_finite().then_some((name, last))
        })
        .collect()
}
