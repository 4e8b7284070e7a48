//! From samples with their laps to functions: each is added to the sums of its place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use laptime_core::{SampledStack, Total};

use super::folded_stack::{self, import_of, is_machinery, machinery};
use super::lap_of_sample::{Place, place_of_sample};
use super::lap_sums::LapSums;
use super::own_code::OwnCode;
use crate::functions::stack_records::{Function, InLap, Stacks};
use crate::reading::process::Process;
use crate::summary::functions::{Functions, LapFunctions, OTHER_THREADS};
use crate::summary::span_row::RowKind;

/// Least part of all time that a node of the tree must have to be shown.
const LEAST_NODE: f64 = 0.0005;

/// Returns the functions of a run, of which the first `measured` processes are measured; `None` where no stack was
/// sampled.
pub fn functions(processes: &[Process], measured: usize) -> Option<Functions> {
    let mut adding = Adding {
        own: OwnCode::of_processes(processes),
        ..Adding::default()
    };
    let (mut unread_ns, mut read) = (0_u64, Looks::default());
    // Threads that wait are looked at less often.
    let mut read_running = Looks::default();
    for (index, process) in processes.iter().enumerate() {
        let stacks = &process.features.stacks;
        unread_ns = unread_ns.saturating_add(stacks.unread.1);
        for (sample, lap) in stacks.samples.iter().zip(&stacks.laps) {
            if !adding.sample(process, index < measured, sample, *lap) {
                unread_ns = unread_ns.saturating_add(sample.stands_for_ns);
                continue;
            }
            read.add(sample);
            if sample.is_running {
                read_running.add(sample);
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
    let sample_count = adding.laps.values().map(|lap| lap.count).total();
    Some(Functions {
        sample_count,
        period_ns: typical.stands_for_ns / typical.count.max(1),
        within_ns: typical.within_ns / typical.count.max(1),
        unread_ratio: unread_ns as f64 / unread_ns.saturating_add(read.stands_for_ns).max(1) as f64,
        laps: adding.finish(),
        exact: None,
    })
}

/// Sums over looks at threads.
#[derive(Debug, Default, Clone, Copy)]
struct Looks {
    count: u64,
    within_ns: u64,
    stands_for_ns: u64,
}

impl Looks {
    fn add(&mut self, sample: &SampledStack) {
        self.count += 1;
        self.within_ns = self.within_ns.saturating_add(sample.within_ns);
        self.stands_for_ns = self.stands_for_ns.saturating_add(sample.stands_for_ns);
    }
}

#[derive(Debug, Default)]
struct Adding {
    own: OwnCode,
    functions: Vec<Function>,
    numbers: HashMap<Function, usize>,
    laps: BTreeMap<Place, LapSums>,
}

impl Adding {
    /// Adds a sample; returns false for one whose functions aren't known.
    fn sample(
        &mut self,
        process: &Process,
        is_measured: bool,
        sample: &SampledStack,
        lap: InLap,
    ) -> bool {
        let stacks = &process.features.stacks;
        let calls = self.calls(stacks, sample.frame);
        if calls.is_empty() {
            return false;
        }
        let import = self.number(&machinery());
        let frames = calls.iter();
        let frames = frames.map(|(function, line)| (&self.functions[*function], *line));
        let steps = folded_stack::fold(&self.own, frames);
        let mut way: Vec<usize> = Vec::with_capacity(calls.len());
        for (function, _) in &calls {
            // However many functions the import system calls itself by, it is one step of the way.
            if !is_machinery(&self.functions[*function]) {
                way.push(*function);
            } else if way.last() != Some(&import) {
                way.push(import);
            }
        }
        let place = place_of_sample(process, is_measured, sample, lap);
        let sums = self.laps.entry(place).or_default();
        let import = import_of(&steps);
        sums.add(sample, lap.tasks > 1, &calls, &way, import);
        sums.calls
            .add(&steps, sample.stands_for_ns, sample.is_running);
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
