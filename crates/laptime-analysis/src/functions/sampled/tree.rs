//! From samples with their laps to functions: sums by lap, function and line, and the tree of calls.

use std::collections::{BTreeMap, HashMap};

use laptime_core::{PathId, Runner, SampledStack, Total, path};

use super::imports;
use crate::functions::stack_records::{Function, InLap, Stacks};
use crate::reading::process::Process;
use crate::summarize::filled_time::exits_at;
use crate::summarize::wall_time::{AFTER, EXIT, OTHER, STARTUP};
use crate::summary::functions::{
    EVENT_LOOP, FunctionTime, Functions, ImportTime, LapFunctions, LineTime, OTHER_PROCESSES,
    OTHER_THREADS, PROGRAM, StackNode,
};
use crate::summary::span_row::RowKind;

/// Least part of all time that a node of the tree must have to be shown.
const LEAST_NODE: f64 = 0.0005;
/// Files in which asyncio's event loop stands, and the code that starts it or one of another make.
const LOOPS: [&str; 2] = ["asyncio/base_events.py", "asyncio/runners.py"];
/// Most lines that are listed of a function.
const MOST_LINES: usize = 16;

/// The place where a sample counts: in a lap, by its names, or outside of laps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Lap(Vec<String>),
    Outside(&'static str),
}

/// A function on a way of calls; the root stands for the lap.
#[derive(Debug, Default)]
struct Node {
    parent: usize,
    function: usize,
    total_ns: u64,
    self_ns: u64,
}

/// Sums of one function in one lap.
#[derive(Debug, Default)]
struct Sums {
    self_ns: u64,
    total_ns: u64,
    waiting_ns: u64,
    self_count: u64,
    imported_ns: u64,
    imported_count: u64,
    lines: HashMap<u32, u64>,
}

/// Sums of one place.
#[derive(Debug, Default)]
struct Lap {
    total_ns: u64,
    waiting_ns: u64,
    count: u64,
    shared: u64,
    sums: BTreeMap<usize, Sums>,
    /// Time and samples by package.
    imports: BTreeMap<String, (u64, u64)>,
    nodes: Vec<Node>,
    children: HashMap<(usize, usize), usize>,
}

/// Returns the functions of a run, of which the first `measured` processes are measured; `None` where no stack was
/// sampled.
pub fn functions(processes: &[Process], measured: usize) -> Option<Functions> {
    let mut adding = Adding::default();
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
    functions: Vec<Function>,
    numbers: HashMap<Function, usize>,
    laps: BTreeMap<Place, Lap>,
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
        let Some((innermost, line)) = calls.last().copied() else {
            return false;
        };
        let import = self.number(&imports::machinery());
        let functions = calls.iter().map(|(function, _)| &self.functions[*function]);
        let imported = imports::package(functions);
        let sum = self
            .laps
            .entry(place(process, is_measured, sample, lap))
            .or_default();
        let ns = sample.stands_for_ns;
        let waiting_ns = if sample.is_running { 0 } else { ns };
        sum.total_ns = sum.total_ns.saturating_add(ns);
        sum.waiting_ns = sum.waiting_ns.saturating_add(waiting_ns);
        sum.count += 1;
        sum.shared += u64::from(lap.tasks > 1);
        let is_imported = imported.is_some();
        if let Some(package) = imported {
            let (taken, count) = sum.imports.entry(package).or_default();
            *taken = taken.saturating_add(ns);
            *count += 1;
        }
        let mut at = 0;
        let mut seen: Vec<usize> = Vec::with_capacity(calls.len());
        for (function, _) in &calls {
            let is_machinery = imports::is_machinery(&self.functions[*function]);
            let called = if is_machinery { import } else { *function };
            // However many functions the import system calls itself by, it is one step of the way.
            if !is_machinery || at == 0 || sum.nodes[at].function != import {
                at = sum.child(at, called);
                sum.nodes[at].total_ns = sum.nodes[at].total_ns.saturating_add(ns);
            }
            // A function that calls itself has the time once.
            if !seen.contains(function) {
                seen.push(*function);
                let sums = sum.sums.entry(*function).or_default();
                sums.total_ns = sums.total_ns.saturating_add(ns);
            }
        }
        sum.nodes[at].self_ns = sum.nodes[at].self_ns.saturating_add(ns);
        let own = sum.sums.entry(innermost).or_default();
        own.self_ns = own.self_ns.saturating_add(ns);
        own.waiting_ns = own.waiting_ns.saturating_add(waiting_ns);
        own.self_count += 1;
        if is_imported {
            own.imported_ns = own.imported_ns.saturating_add(ns);
            own.imported_count += 1;
        }
        let at_line = own.lines.entry(line).or_default();
        *at_line = at_line.saturating_add(ns);
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
        laps.sort_by_key(|lap| (is_other(lap), std::cmp::Reverse(lap.total_ns)));
        laps
    }
}

/// Returns the place where a sample counts.
pub fn place(process: &Process, is_measured: bool, sample: &SampledStack, lap: InLap) -> Place {
    if lap.path != PathId::ROOT {
        let names = process.paths.names(lap.path).into_iter();
        return Place::Lap(names.map(str::to_owned).collect());
    }
    let stacks = &process.features.stacks;
    if !is_measured {
        return Place::Outside(OTHER_PROCESSES);
    }
    // The thread that the process began with has the process's number, unless its track says another.
    let own = stacks.tracks.get(&process.facts.header.main_track);
    if sample.thread != own.map_or(u64::from(process.facts.header.pid), |(thread, _)| *thread) {
        return Place::Outside(OTHER_THREADS);
    }
    Place::Outside(match stacks.lapped {
        None => PROGRAM,
        Some((first, _)) if sample.ticks < first => STARTUP,
        Some((_, last)) if sample.ticks >= last => {
            let is_after = exits_at(process).is_some_and(|at| sample.ticks < at);
            if is_after { AFTER } else { EXIT }
        }
        // Laps of tasks are open meanwhile, so it is no time outside of laps.
        Some(_) if is_event_loop(stacks, sample) => EVENT_LOOP,
        Some(_) => OTHER,
    })
}

/// Tells whether a sample is of asyncio's loop itself, and of none of its tasks.
fn is_event_loop(stacks: &Stacks, sample: &SampledStack) -> bool {
    if sample.runner != Runner::Thread {
        return false;
    }
    let mut at = sample.frame;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function);
        let is_in = |file: &str| function.is_some_and(|function| function.file.ends_with(file));
        if LOOPS.into_iter().any(is_in) {
            return true;
        }
        at = frame.parent;
    }
    false
}

impl Lap {
    fn child(&mut self, parent: usize, function: usize) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        if let Some(known) = self.children.get(&(parent, function)) {
            return *known;
        }
        self.nodes.push(Node {
            parent,
            function,
            ..Node::default()
        });
        self.children
            .insert((parent, function), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn finish(self, place: Place, functions: &[Function], least_ns: u64) -> LapFunctions {
        let (names, kind) = match place {
            Place::Lap(names) => (names, RowKind::Span),
            Place::Outside(name) => (vec![name.to_owned()], RowKind::Leftover),
        };
        let stacks = nodes(&self.nodes, functions, least_ns);
        let mut times: Vec<FunctionTime> = self
            .sums
            .into_iter()
            .map(|(function, sums)| time(&functions[function], sums))
            .collect();
        times.sort_by_key(|time| std::cmp::Reverse((time.self_ns, time.total_ns)));
        let imports = self.imports.into_iter();
        let mut imports: Vec<ImportTime> = imports
            .map(|(name, (total_ns, sample_count))| ImportTime {
                name,
                total_ns,
                sample_count,
            })
            .collect();
        imports.sort_by_key(|import| std::cmp::Reverse(import.total_ns));
        LapFunctions {
            path: path::join(names.iter().map(String::as_str)),
            names,
            kind,
            total_ns: self.total_ns,
            waiting_ns: self.waiting_ns,
            sample_count: self.count,
            shared_count: self.shared,
            imports,
            functions: times,
            stacks,
        }
    }
}

fn time(function: &Function, sums: Sums) -> FunctionTime {
    let lines = sums.lines.into_iter();
    let mut lines: Vec<LineTime> = lines
        .map(|(line, self_ns)| LineTime { line, self_ns })
        .collect();
    lines.sort_by_key(|line| (std::cmp::Reverse(line.self_ns), line.line));
    lines.truncate(MOST_LINES);
    FunctionTime {
        name: function.name.clone(),
        file: function.file.clone(),
        self_ns: sums.self_ns,
        total_ns: sums.total_ns,
        waiting_ns: sums.waiting_ns,
        self_count: sums.self_count,
        imported_ns: sums.imported_ns,
        imported_count: sums.imported_count,
        lines,
    }
}

/// Returns the nodes that take time worth showing, numbered anew; a node's caller comes before it.
fn nodes(all: &[Node], functions: &[Function], least_ns: u64) -> Vec<StackNode> {
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let mut kept: Vec<StackNode> = Vec::new();
    for (index, node) in all.iter().enumerate().skip(1) {
        let parent = numbers.get(&node.parent).copied();
        let is_shown = node.total_ns >= least_ns && (node.parent == 0 || parent.is_some());
        if is_shown {
            numbers.insert(index, kept.len());
            let Function { name, file } = functions[node.function].clone();
            kept.push(StackNode {
                parent,
                name,
                file,
                total_ns: node.total_ns,
                self_ns: node.self_ns,
            });
        }
    }
    kept
}
