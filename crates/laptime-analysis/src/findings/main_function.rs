//! The function that a lap, a wait or the time outside of laps is mostly in, where stacks were sampled.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use laptime_core::{FileOrigin, Total, file_origin};

use super::own_function;
use crate::functions::timed_calls::{Own, TimedCalls};
use crate::summary::Summary;
use crate::summary::call_time::CallTime;
use crate::summary::call_tree::merge;
use crate::summary::code_line::LineTime;
use crate::summary::finding::{AwaitedFunction, MainFunction};
use crate::summary::functions::{Functions, LapFunctions, OTHER_PROCESSES};
use crate::summary::span_row::RowKind;

/// The part of a lap's time that a function must have more of to be what the lap is mostly in.
const MOST_RATIO: f64 = 0.5;
/// The part of its time from which on a lap waits.
const WAITING_RATIO: f64 = 0.3;
/// The least part of their time that processes work for the program itself to be told what they do.
const PROGRAM_RATIO: f64 = 0.3;
/// The number of samples of which a part is known to 20 points.
const MANY_SAMPLES: u64 = 20;
/// The least number of samples, of which a part is told if it is surely more than that.
const LEAST_SAMPLES: u64 = 5;

/// The self time of one function: all of it, and by line.
#[derive(Debug, Default)]
struct SelfTime {
    all_ns: u64,
    waiting_ns: u64,
    lines: BTreeMap<u32, LineTime>,
}

/// Returns the function that a lap, with the laps inside, is mostly in; `None` where there is none, or too little was sampled.
pub fn of_lap(functions: Option<&Functions>, path: &str) -> Option<MainFunction> {
    let functions = functions?;
    let laps = functions.laps.iter().filter(|lap| is_part(lap, path));
    longest_in_lap(functions, &laps.collect::<Vec<_>>(), path)
}

/// Returns the function that a lap is mostly in by itself, without the laps inside.
pub fn of_self_time(functions: Option<&Functions>, path: &str) -> Option<MainFunction> {
    let functions = functions?;
    let laps = functions.laps.iter();
    let laps = laps.filter(|lap| lap.kind == RowKind::Span && lap.path == path);
    longest_in_lap(functions, &laps.collect::<Vec<_>>(), path)
}

/// Returns the function that laps around a path are mostly in: the program's own, where a package's has the time.
fn longest_in_lap(
    functions: &Functions,
    laps: &[&LapFunctions],
    path: &str,
) -> Option<MainFunction> {
    let around = own_function::around_laps(functions, path);
    let found = longest_of(laps, CallTime::All, 0, &around)?;
    Some(with_awaited(functions, laps, found.0))
}

/// Returns the function that so much time outside of laps is mostly in: startup, exit, or what is between laps.
pub fn of_leftover(
    functions: Option<&Functions>,
    name: &str,
    least_ns: u64,
) -> Option<MainFunction> {
    let functions = functions?;
    let laps = functions.laps.iter();
    let laps = laps.filter(|lap| lap.kind == RowKind::Leftover && lap.path == name);
    // Samples may stand for less time than a sentence tells of.
    let laps: Vec<_> = laps.collect();
    let found = longest_of(&laps, CallTime::All, least_ns, &BTreeSet::new())?;
    Some(with_awaited(functions, &laps, found.0))
}

/// Adds what other threads and processes mostly run, where laps that are mostly in a function wait for these.
fn with_awaited(
    functions: &Functions,
    laps: &[&LapFunctions],
    found: MainFunction,
) -> MainFunction {
    let tree = merge(laps.iter().map(|lap| lap.calls.as_slice()));
    let for_others = tree.iter().filter(|node| node.waits_for_others());
    let for_others_ns = for_others.map(|node| node.waiting_ns).total();
    let waited_ns = laps.iter().map(|lap| lap.waiting_ns).total();
    let all_ns = laps.iter().map(|lap| lap.total_ns).total();
    let is_wait = waited_ns as f64 >= WAITING_RATIO * all_ns as f64
        && for_others_ns as f64 > MOST_RATIO * waited_ns as f64;
    if !is_wait {
        return found;
    }
    let beside = functions.laps.iter().filter(|lap| lap.is_parallel());
    let busiest = beside.max_by_key(|lap| lap.running_ns());
    let awaited = busiest.and_then(|beside| {
        let (ran, _) = longest_of(&[beside], CallTime::Working, 0, &BTreeSet::new())?;
        (!is_library(&ran.file)).then_some(AwaitedFunction {
            name: ran.name,
            file: ran.file,
            line: ran.line,
            is_of_processes: beside.path == OTHER_PROCESSES,
        })
    });
    MainFunction { awaited, ..found }
}

/// Returns the function that waiting for data is mostly in, and the one that the processes mostly run in that bring it.
///
/// No function of the wait is told where a loader's workers bring the data: there a package waits for their messages.
pub fn of_wait(summary: &Summary, path: &str) -> (Option<MainFunction>, Option<MainFunction>) {
    let Some(functions) = &summary.functions else {
        return (None, None);
    };
    let laps: Vec<_> = functions
        .laps
        .iter()
        .filter(|lap| is_part(lap, path))
        .collect();
    let sums = FunctionTimes::of_laps(laps.iter().copied());
    let longest = sums.longest(CallTime::All, 0);
    let has_workers = summary.processes.iter().any(|one| !one.is_measured);
    let waits_in_package =
        longest.is_some_and(|(function, is_waiting)| is_waiting && is_library(&function.file));
    if !(waits_in_package && has_workers) {
        return (longest_in_lap(functions, &laps, path), None);
    }
    let beside = functions.laps.iter();
    let beside = beside.filter(|lap| lap.is_beside() && lap.path == OTHER_PROCESSES);
    let beside: Vec<_> = beside.collect();
    let worker = longest_of(&beside, CallTime::Working, 0, &BTreeSet::new());
    let worker = worker.map(|(worker, _)| worker);
    (None, worker.or_else(|| longest_of_program(&beside)))
}

/// Returns the function that has most of the time in which processes work for the program itself: where they live
/// shortly, much of their time is their start.
fn longest_of_program(beside: &[&LapFunctions]) -> Option<MainFunction> {
    let all_ns = beside.iter().map(|lap| lap.running_ns()).total();
    let samples = beside.iter().map(|lap| lap.sample_count).total();
    let tree = merge(beside.iter().map(|lap| lap.calls.as_slice()));
    let calls = TimedCalls::new(&tree, CallTime::Working);
    let own = calls.callees(&calls.outermost(), true);
    let own_ns = own.values().map(|nodes| calls.sum(nodes)).total();
    let own_ratio = own_ns as f64 / all_ns.max(1) as f64;
    if samples < MANY_SAMPLES || own_ratio < PROGRAM_RATIO {
        return None;
    }
    let laps = beside.iter().copied();
    let found = own_function::innermost(laps, CallTime::Working, own_ns, &BTreeSet::new())?;
    Some(MainFunction {
        ratio: found.ratio * own_ratio,
        ..found
    })
}

/// Returns the function that has most of the time of laps and of `least_ns`, with whether it mostly waits there. Where
/// that is a package's, it is the program's that calls it.
fn longest_of(
    laps: &[&LapFunctions],
    time: CallTime,
    least_ns: u64,
    around: &BTreeSet<Own>,
) -> Option<(MainFunction, bool)> {
    let sums = FunctionTimes::of_laps(laps.iter().copied());
    let (all_ns, samples) = (sums.asked_ns(time), sums.samples);
    let found = sums.longest(time, least_ns);
    let is_own = |found: &(MainFunction, bool)| !is_library(&found.0.file);
    if found.as_ref().is_some_and(is_own) {
        return found;
    }
    let laps = laps.iter().copied();
    let own = own_function::innermost(laps, time, all_ns.max(least_ns), around);
    let is_waiting = found.as_ref().is_some_and(|(_, is_waiting)| *is_waiting);
    let own = own.filter(|own| found.is_some() || is_sure(own.ratio, samples));
    let own = own.map(|own| (own, is_waiting));
    own.or(found)
}

/// The functions of some laps, added up.
#[derive(Default)]
struct FunctionTimes<'f> {
    samples: u64,
    all_ns: u64,
    waiting_ns: u64,
    functions: BTreeMap<(&'f str, &'f str), SelfTime>,
}

impl<'f> FunctionTimes<'f> {
    /// Adds up the functions of laps.
    fn of_laps(laps: impl Iterator<Item = &'f LapFunctions>) -> Self {
        let mut sums = Self::default();
        for lap in laps {
            sums.samples = sums.samples.saturating_add(lap.sample_count);
            sums.all_ns = sums.all_ns.saturating_add(lap.total_ns);
            sums.waiting_ns = sums.waiting_ns.saturating_add(lap.waiting_ns);
            // Collections are no function, and have a finding.
            let functions = lap.functions.iter().filter(|one| !one.is_collection());
            for function in functions {
                let written = (written_in(&function.name), &*function.file);
                let times = sums.functions.entry(written).or_default();
                // What an import runs is told by the import.
                let self_ns = function.beside_imports_ns();
                times.all_ns = times.all_ns.saturating_add(self_ns);
                let waiting_ns = function.waiting_ns.min(self_ns);
                times.waiting_ns = times.waiting_ns.saturating_add(waiting_ns);
                for line in &function.lines {
                    let at_line = times.lines.entry(line.line).or_insert(LineTime {
                        self_ns: 0,
                        waiting_ns: 0,
                        ..*line
                    });
                    at_line.add(line);
                }
            }
        }
        sums
    }

    /// Returns the time of all functions.
    fn asked_ns(&self, time: CallTime) -> u64 {
        time.of(self.all_ns, self.waiting_ns)
    }

    /// Returns the function that has most of that time, and of `least_ns`; with whether it mostly waits there.
    fn longest(self, time: CallTime, least_ns: u64) -> Option<(MainFunction, bool)> {
        let asked_ns = |times: &SelfTime| time.of(times.all_ns, times.waiting_ns);
        let all_ns = self.asked_ns(time).max(least_ns).max(1);
        let each = self.functions.into_iter();
        let ((name, file), times) = each.max_by_key(|(_, times)| asked_ns(times))?;
        let ratio = asked_ns(&times) as f64 / all_ns as f64;
        let lines = times.lines.values();
        let line = lines.min_by_key(|line| {
            let ns = time.of(line.self_ns, line.waiting_ns);
            (Reverse(ns), line.line)
        });
        let waits = |of_ns: u64| times.waiting_ns as f64 >= MOST_RATIO * of_ns as f64;
        // A thread that used no processor since the last look is where it was: that is known by one sample.
        let is_sure = is_sure(ratio, self.samples) || time == CallTime::All && waits(all_ns);
        let is_waiting = waits(times.all_ns);
        let found = MainFunction {
            name: name.to_owned(),
            file: file.to_owned(),
            line: line.map_or(0, |line| line.line),
            ratio,
            awaited: None,
        };
        (is_sure && ratio > MOST_RATIO).then_some((found, is_waiting))
    }
}

/// Tells whether a part that was seen in so many samples is known well enough to be told.
fn is_sure(ratio: f64, samples: u64) -> bool {
    let surely = ratio - Functions::uncertainty(ratio, samples);
    samples >= MANY_SAMPLES || samples >= LEAST_SAMPLES && surely > MOST_RATIO
}

/// Returns the function that one without a name of its own is written in, such as a comprehension.
fn written_in(name: &str) -> &str {
    name.split(".<locals>.<").next().unwrap_or(name)
}

/// Whether a lap has a path, or lies inside of it.
fn is_part(lap: &LapFunctions, path: &str) -> bool {
    lap.kind == RowKind::Span && is_path_inside(&lap.path, path)
}

/// Whether a path is another one, or lies inside of it.
pub fn is_path_inside(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a file is a package's or the interpreter's.
pub fn is_library(file: &str) -> bool {
    let origin = file_origin(file);
    matches!(origin, FileOrigin::Installed | FileOrigin::Library) || file.starts_with("<frozen")
}

#[cfg(test)]
#[path = "tests/main_function.rs"]
mod tests;
