//! From samples with their laps to functions: each is added to the sums of its place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use laptime_core::Total;

use super::folded_stack::{self, import_of, imports_package, is_machinery, machinery, own_place};
use super::grouped_samples::{Group, Looks, groups};
use super::lap_of_sample::NamedPlace;
use super::lap_sums::LapSums;
use super::own_code::OwnCode;
use crate::functions::stack_records::{Function, Stacks};
use crate::reading::process::Process;
use crate::summary::functions::{Functions, LapFunctions, OTHER_THREADS};
use crate::summary::span_row::RowKind;

/// Least part of all time that a node of the tree must have to be shown.
const LEAST_NODE: f64 = 0.0005;
/// Share of the time in which threads worked from which on garbage collections are told by themselves.
const COLLECTED_RATIO: f64 = 0.1;

/// Returns the functions of a run, of which the first `measured` processes are measured; `None` where no stack was
/// sampled.
pub fn functions(processes: &[Process], measured: usize) -> Option<Functions> {
    let mut adding = Adding {
        own: OwnCode::of_processes(processes),
        ..Adding::default()
    };
    let (mut unread_ns, mut read) = (0_u64, Looks::default());
    let mut unseen = 0.0_f64;
    // Threads that wait are looked at less often.
    let mut read_running = Looks::default();
    let each = processes.iter().enumerate();
    let each: Vec<(&Process, Vec<Group>)> = each
        .map(|(index, process)| (process, groups(process, index < measured)))
        .collect();
    adding.are_collections_apart = collected_ratio(&each) >= COLLECTED_RATIO;
    for (process, all) in each {
        unread_ns = unread_ns.saturating_add(process.features.stacks.unread.1);
        unseen = unseen.max(unseen_ratio(&process.features.stacks));
        for group in all {
            if adding.group(process, &group) {
                read.add(&group.all);
                read_running.add(&group.running);
            } else {
                unread_ns = unread_ns.saturating_add(group.all.stands_for_ns);
            }
        }
    }
    if read.count == 0 && unread_ns == 0 {
        return None;
    }
    let typical = if read_running.count > 0 {
        read_running
    } else {
        read
    };
    let all_ns = unread_ns.saturating_add(read.stands_for_ns);
    let unread = unread_ns as f64 / all_ns.max(1) as f64;
    let sample_count = adding.laps.values().map(|lap| lap.count).total();
    Some(Functions {
        sample_count,
        period_ns: typical.stands_for_ns / typical.count.max(1),
        within_ns: typical.within_ns / typical.count.max(1),
        unread_ratio: unread.max(unseen),
        laps: adding.finish(),
        exact: None,
    })
}

/// Returns the share of all time in which garbage was collected.
fn collected_ratio(each: &[(&Process, Vec<Group>)]) -> f64 {
    let (mut all_ns, mut collected_ns) = (0_u64, 0_u64);
    for (process, groups) in each {
        let stacks = &process.features.stacks;
        for group in groups {
            let ns = group.running.stands_for_ns;
            all_ns = all_ns.saturating_add(ns);
            let frame = stacks.frames.get(&group.frame);
            let function = frame.and_then(|frame| stacks.functions.get(&frame.function));
            if function.is_some_and(Function::is_collection) {
                collected_ns = collected_ns.saturating_add(ns);
            }
        }
    }
    collected_ns as f64 / all_ns.max(1) as f64
}

/// Returns the share of a process's time in which no thread was looked at: of that of the thread that was looked at
/// longest, as there may be hundreds that wait.
fn unseen_ratio(stacks: &Stacks) -> f64 {
    let mut by_thread: HashMap<u64, u64> = HashMap::new();
    for sample in &stacks.samples {
        let seen_ns = by_thread.entry(sample.thread).or_default();
        *seen_ns = seen_ns.saturating_add(sample.stands_for_ns);
    }
    let seen_ns = by_thread.into_values().max().unwrap_or_default();
    stacks.unseen_ns as f64 / stacks.unseen_ns.saturating_add(seen_ns).max(1) as f64
}

#[derive(Debug, Default)]
struct Adding {
    own: OwnCode,
    functions: Vec<Function>,
    numbers: HashMap<Function, usize>,
    laps: BTreeMap<NamedPlace, LapSums>,
    /// Whether garbage collections are so long that they are told by themselves: Python begins them wherever objects are
    /// made. Short ones are time of the functions that they begin in, as a clock around these has it.
    are_collections_apart: bool,
}

impl Adding {
    /// Adds samples; returns false where their functions aren't known.
    fn group(&mut self, process: &Process, group: &Group) -> bool {
        let stacks = &process.features.stacks;
        let mut calls = self.calls(stacks, group.frame);
        if calls.is_empty() {
            return false;
        }
        let import = self.number(&machinery());
        let is_collection = |call: &mut (usize, u32)| self.functions[call.0].is_collection();
        let collection = calls.pop_if(is_collection);
        let frames = calls.iter();
        let frames = frames.map(|(function, line)| (&self.functions[*function], *line));
        let mut steps = folded_stack::fold(&self.own, frames);
        let sums = self.laps.entry(group.place.named(process)).or_default();
        if let Some((function, _)) = collection.filter(|_| !imports_package(&steps)) {
            sums.note_collection(group, own_place(&steps));
            if self.are_collections_apart {
                sums.add_collection(group, &[], &[], function);
                return true;
            }
            let own = steps.iter().rposition(|step| step.call.own().is_some());
            steps.truncate(own.map_or(0, |at| at + 1));
            let way = way(&self.functions, &calls, import);
            sums.add_collection(group, &steps, &way, function);
            return true;
        }
        let way = way(&self.functions, &calls, import);
        sums.add(group, &calls, &way, import_of(&steps));
        sums.calls.add(&steps, group);
        true
    }

    /// Returns the functions of a stack with their lines, the outermost first; empty where one isn't defined.
    fn calls(&mut self, stacks: &Stacks, innermost: u32) -> Vec<(usize, u32)> {
        let mut calls = Vec::new();
        let mut at = innermost;
        while at != 0 {
            let Some(frame) = stacks.frames.get(&at) else {
                return Vec::new();
            };
            let Some(function) = stacks.functions.get(&frame.function) else {
                return Vec::new();
            };
            calls.push((self.number(function), frame.line));
            at = frame.parent;
        }
        calls.reverse();
        calls
    }

    fn number(&mut self, function: &Function) -> usize {
        if let Some(known) = self.numbers.get(function) {
            return *known;
        }
        self.functions.push(function.clone());
        self.numbers
            .insert(function.clone(), self.functions.len() - 1);
        self.functions.len() - 1
    }

    fn finish(self) -> Vec<LapFunctions> {
        let all_ns = self.laps.values().map(|lap| lap.total_ns);
        let least_ns = (all_ns.fold(0, u64::saturating_add) as f64 * LEAST_NODE) as u64;
        let functions = &self.functions;
        let mut laps: Vec<LapFunctions> = self
            .laps
            .into_iter()
            .map(|(place, lap)| lap.finish(place, functions, least_ns))
            .collect();
        // Many that wait would stand above the laps: a notebook's kernel has ten of them.
        let is_other = |lap: &LapFunctions| lap.kind != RowKind::Span && lap.path == OTHER_THREADS;
        laps.sort_by_key(|lap| (is_other(lap), Reverse(lap.total_ns)));
        laps
    }
}

/// Returns the functions of a stack, the outermost first; however many the import system calls itself by, it is one.
fn way(functions: &[Function], calls: &[(usize, u32)], import: usize) -> Vec<usize> {
    let mut way: Vec<usize> = Vec::with_capacity(calls.len());
    for (function, _) in calls {
        if !is_machinery(&functions[*function]) {
            way.push(*function);
        } else if way.last() != Some(&import) {
            way.push(import);
        }
    }
    way
}
