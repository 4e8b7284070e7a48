//! Marks, metrics, tracks, notes and surroundings of all processes, brought together.
//!
//! Series of several processes are merged by path, put in time order and thinned out
//! again to the same bound.

use std::collections::BTreeMap;

use laptime_core::{PathId, Unavailable, path};

use crate::functions::sampled;
use crate::power::UNAVAILABLE as UNSAMPLED;
use crate::profiler;
use crate::reading::marks::Thinned;
use crate::reading::notes::{EXITS, INPUTS_GROW};
use crate::reading::process::Process;
use crate::summarize::columns::{left_outside, operations};
use crate::summary::{Mark, Metric, MetricPoint, Track};

/// Notes with this prefix describe the surroundings: `environment.python`, `3.11.9`.
const ENVIRONMENT: &str = "environment.";

/// Code of the note that a process had nothing whose operations could be counted.
const UNCOUNTED: &str = "operations.unavailable";
/// Code of the note that a process had nothing that could be profiled.
const UNPROFILED: &str = "kernels.unavailable";
/// Code of the note that a process imported `PyTorch` and called none of its modules.
const UNUSED: &str = "phases.none";

/// Returns the notes of recorders, but for descriptions of the surroundings.
pub fn notes(processes: &[Process]) -> impl Iterator<Item = (String, String)> {
    let has_torch = |process: &Process| {
        let mut codes = process.features.notes.0.iter().map(|(code, _)| code);
        !process.features.stretches.is_empty() || codes.any(|code| code == UNUSED)
    };
    let counts = processes.iter().any(has_torch);
    processes
        .iter()
        .enumerate()
        .flat_map(|(index, process)| {
            process
                .features
                .notes
                .0
                .iter()
                .map(move |note| (index, note))
        })
        .filter(|(_, (code, _))| {
            !code.starts_with(ENVIRONMENT)
                && code != operations::CEILINGS
                && code != sampled::CELLS
                && code != operations::TOLD
                && code != profiler::WITHIN
                && code != EXITS
                && code != INPUTS_GROW
                && !left_outside::CODES.contains(&code.as_str())
                && code != UNSAMPLED
        })
        // A helper of the program's has none, and the program may.
        .filter(move |(index, (code, _))| code != UNCOUNTED || (*index == 0 && !counts))
        .filter(|(index, (code, _))| code != UNPROFILED || *index == 0)
        .map(|(_, note)| note.clone())
}

/// Returns the surroundings that recorders described; the main process's word counts.
pub fn environment(processes: &[Process]) -> BTreeMap<String, String> {
    processes
        .iter()
        .rev()
        .flat_map(|process| &process.features.notes.0)
        .filter_map(|(code, message)| {
            Some((code.strip_prefix(ENVIRONMENT)?.to_owned(), message.clone()))
        })
        .collect()
}

/// Returns the threads and tasks with names.
pub fn tracks(processes: &[Process]) -> Vec<Track> {
    processes
        .iter()
        .flat_map(|process| {
            process.features.tracks.0.iter().map(|track| Track {
                pid: process.facts.header.pid,
                track: track.track,
                is_task: track.is_task,
                thread: track.thread,
                name: track.name.clone(),
            })
        })
        .collect()
}

/// Returns all marks by path, at times since `start_ns`.
pub fn marks(processes: &[Process], start_ns: u64) -> Vec<Mark> {
    let mut merged: BTreeMap<Vec<String>, (u64, Vec<u64>)> = BTreeMap::new();
    for process in processes {
        let timeline = process.facts.anchors.timeline();
        for (id, mark) in &process.features.marks.marks {
            let (count, at_ns) = merged.entry(names(process, *id)).or_default();
            *count += mark.pushed_count();
            at_ns.extend(
                mark.iter()
                    .map(|(ticks, ())| timeline.monotonic_ns(ticks).saturating_sub(start_ns)),
            );
        }
    }
    let mut marks: Vec<Mark> = merged
        .into_iter()
        .map(|(names, (count, mut at_ns))| {
            at_ns.sort_unstable();
            Mark {
                path: path::join(names.iter().map(String::as_str)),
                name: names.into_iter().next_back().unwrap_or_default(),
                count,
                at_ns: thinned(at_ns.into_iter().map(|at| (at, ())))
                    .iter()
                    .map(|(at, ())| at)
                    .collect(),
            }
        })
        .collect();
    marks.sort_by_key(|mark| mark.at_ns.first().copied());
    marks
}

/// Returns all metrics by path, at times since `start_ns`.
pub fn metrics(processes: &[Process], start_ns: u64) -> Vec<Metric> {
    let mut merged: BTreeMap<Vec<String>, Merged> = BTreeMap::new();
    for process in processes {
        let timeline = process.facts.anchors.timeline();
        let since = |ticks| timeline.monotonic_ns(ticks).saturating_sub(start_ns);
        for (id, values) in &process.features.marks.metrics {
            let all = merged.entry(names(process, *id)).or_default();
            all.count += values.series.pushed_count();
            all.nan_count += values.nan_count;
            all.last = all
                .last
                .into_iter()
                .chain(values.last.map(|(ticks, value)| (since(ticks), value)))
                .max_by_key(|(at, _)| *at);
            if let Some((least, most)) = values.range {
                let (known_least, known_most) = all.range.unwrap_or((least, most));
                all.range = Some((known_least.min(least), known_most.max(most)));
            }
            all.points.extend(
                values
                    .series
                    .iter()
                    .map(|(ticks, value)| (since(ticks), value)),
            );
        }
    }
    let mut metrics: Vec<Metric> = merged
        .into_iter()
        .map(|(names, mut all)| {
            all.points.sort_by_key(|(at, _)| *at);
            let numbers = [
                ("last", all.last.map(|(_, value)| value)),
                ("min", all.range.map(|(least, _)| least)),
                ("max", all.range.map(|(_, most)| most)),
            ];
            let why = numbers.into_iter().filter_map(|(field, value)| {
                Some((field.to_owned(), Unavailable(why_absent(value)?.to_owned())))
            });
            let [last, min, max] = numbers.map(|(_, value)| value.and_then(finite));
            Metric {
                path: path::join(names.iter().map(String::as_str)),
                name: names.into_iter().next_back().unwrap_or_default(),
                count: all.count,
                nan_count: all.nan_count,
                last,
                min,
                max,
                why: why.collect(),
                series: thinned(all.points.into_iter())
                    .iter()
                    .map(|(at_ns, value)| MetricPoint {
                        at_ns,
                        value: finite(value),
                    })
                    .collect(),
            }
        })
        .collect();
    metrics.sort_by_key(|metric| metric.series.first().map(|point| point.at_ns));
    metrics
}

/// Returns a number that JSON can hold: finite ones only.
fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

/// Returns why a value cannot be shown as a number.
fn why_absent(value: Option<f64>) -> Option<&'static str> {
    match value {
        None => Some("no value is a number"),
        Some(f64::INFINITY) => Some("infinite"),
        Some(f64::NEG_INFINITY) => Some("minus infinite"),
        Some(value) if value.is_nan() => Some("not a number"),
        Some(_) => None,
    }
}

#[derive(Default)]
struct Merged {
    count: u64,
    nan_count: u64,
    last: Option<(u64, f64)>,
    range: Option<(f64, f64)>,
    points: Vec<(u64, f64)>,
}

fn names(process: &Process, id: PathId) -> Vec<String> {
    process
        .paths
        .names(id)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn thinned<T: Copy>(entries: impl Iterator<Item = (u64, T)>) -> Thinned<T> {
    let mut thinned = Thinned::default();
    entries.for_each(|(at, entry)| thinned.push(at, entry));
    thinned
}
