//! Sums of the samples of one place: by function and line, by import, and the tree of calls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use laptime_core::path;

use super::call_sums::CallSums;
use super::folded_stack::{Import, Step};
use super::grouped_samples::Group;
use super::lap_of_sample::NamedPlace;
use crate::functions::stack_records::Function;
use crate::summary::call_tree::CallKind;
use crate::summary::code_line::{CodePlace, LineTime};
use crate::summary::functions::{
    CollectionTime, FunctionTime, ImportTime, LapFunctions, StackNode,
};
use crate::summary::span_row::RowKind;

/// Most lines that are listed of a function.
const MOST_LINES: usize = 16;

/// Most lines that are told of garbage collections.
const MOST_PLACES: usize = 8;

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
    /// Time by line, and the part of it in which the thread waited.
    lines: HashMap<u32, (u64, u64)>,
}

/// Sums of one place.
#[derive(Debug, Default)]
pub(super) struct LapSums {
    pub(super) total_ns: u64,
    waiting_ns: u64,
    pub(super) count: u64,
    running_count: u64,
    shared: u64,
    sums: BTreeMap<usize, Sums>,
    /// Time and samples by import.
    imports: BTreeMap<Import, (u64, u64)>,
    /// Time and samples of garbage collections by the line that they began in.
    collections: BTreeMap<Option<CodePlace>, (u64, u64)>,
    pub(super) calls: CallSums,
    nodes: Vec<Node>,
    children: HashMap<(usize, usize), usize>,
}

impl LapSums {
    /// Adds samples of these calls, function and line, with the nodes on the way to the innermost one, and the
    /// import that they were in.
    pub(super) fn add(
        &mut self,
        group: &Group,
        calls: &[(usize, u32)],
        way: &[usize],
        import: Option<Import>,
    ) {
        let Some((innermost, line)) = calls.last().copied() else {
            return;
        };
        let (ns, samples, waiting_ns) =
            (group.all.stands_for_ns, group.all.count, group.waiting_ns());
        self.total_ns = self.total_ns.saturating_add(ns);
        self.waiting_ns = self.waiting_ns.saturating_add(waiting_ns);
        self.count += samples;
        self.running_count += group.running.count;
        self.shared += group.shared;
        let is_imported = import.is_some();
        if let Some(import) = import {
            let (taken, count) = self.imports.entry(import).or_default();
            *taken = taken.saturating_add(ns);
            *count += samples;
        }
        let mut at = 0;
        for function in way {
            at = self.child(at, *function);
            self.nodes[at].total_ns = self.nodes[at].total_ns.saturating_add(ns);
        }
        self.nodes[at].self_ns = self.nodes[at].self_ns.saturating_add(ns);
        let mut seen: Vec<usize> = Vec::with_capacity(calls.len());
        for (function, _) in calls {
            // A function that calls itself has the time once.
            if !seen.contains(function) {
                seen.push(*function);
                let sums = self.sums.entry(*function).or_default();
                sums.total_ns = sums.total_ns.saturating_add(ns);
            }
        }
        let sums = self.sums.entry(innermost).or_default();
        sums.self_ns = sums.self_ns.saturating_add(ns);
        sums.waiting_ns = sums.waiting_ns.saturating_add(waiting_ns);
        sums.self_count += samples;
        if is_imported {
            sums.imported_ns = sums.imported_ns.saturating_add(ns);
            sums.imported_count += samples;
        }
        let (line_ns, line_waiting_ns) = sums.lines.entry(line).or_default();
        *line_ns = line_ns.saturating_add(ns);
        *line_waiting_ns = line_waiting_ns.saturating_add(waiting_ns);
    }

    /// Notes the line of the program that garbage collections began in.
    pub(super) fn note_collection(&mut self, group: &Group, place: Option<CodePlace>) {
        let (taken, count) = self.collections.entry(place).or_default();
        *taken = taken.saturating_add(group.all.stands_for_ns);
        *count += group.all.count;
    }

    /// Adds samples in garbage collections, which `function` stands for, below these steps and functions.
    pub(super) fn add_collection(
        &mut self,
        group: &Group,
        steps: &[Step],
        way: &[usize],
        function: usize,
    ) {
        let way: Vec<usize> = way.iter().copied().chain([function]).collect();
        let calls: Vec<(usize, u32)> = way.iter().map(|function| (*function, 0)).collect();
        self.add(group, &calls, &way, None);
        let collection = Step {
            call: CallKind::Collection,
            line: 0,
            frame_count: 1,
        };
        let steps: Vec<Step> = steps.iter().cloned().chain([collection]).collect();
        self.calls.add(&steps, group);
    }

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

    /// Returns the functions of the place, with nodes of at least `least_ns`.
    pub(super) fn finish(
        self,
        place: NamedPlace,
        functions: &[Function],
        least_ns: u64,
    ) -> LapFunctions {
        let (names, kind) = match place {
            NamedPlace::Lap(names) => (names, RowKind::Span),
            NamedPlace::Outside(name) => (vec![name.to_owned()], RowKind::Leftover),
        };
        let stacks = nodes(&self.nodes, functions, least_ns);
        let mut times: Vec<FunctionTime> = self
            .sums
            .into_iter()
            .map(|(function, sums)| time(&functions[function], sums))
            .collect();
        times.sort_by_key(|time| Reverse((time.self_ns, time.total_ns)));
        let imports = self.imports.into_iter();
        let mut imports: Vec<ImportTime> = imports
            .map(|(import, (total_ns, sample_count))| ImportTime {
                name: import.module,
                by: import.by,
                place: import.place.map(|(file, line)| CodePlace { file, line }),
                total_ns,
                sample_count,
            })
            .collect();
        imports.sort_by_key(|import| Reverse(import.total_ns));
        LapFunctions {
            path: path::join(names.iter().map(String::as_str)),
            names,
            kind,
            total_ns: self.total_ns,
            waiting_ns: self.waiting_ns,
            sample_count: self.count,
            running_count: self.running_count,
            shared_count: self.shared,
            imports,
            collections: collections(self.collections),
            functions: times,
            stacks,
            calls: self.calls.finish(least_ns),
        }
    }
}

/// Returns the lines with most of the time of garbage collections, and all others together.
fn collections(all: BTreeMap<Option<CodePlace>, (u64, u64)>) -> Vec<CollectionTime> {
    let each = all.into_iter();
    let each = each.map(|(place, (total_ns, sample_count))| CollectionTime {
        place,
        total_ns,
        sample_count,
    });
    let (mut placed, others): (Vec<_>, Vec<_>) = each.partition(|one| one.place.is_some());
    placed.sort_by_key(|one| Reverse(one.total_ns));
    let beyond = placed.split_off(placed.len().min(MOST_PLACES));
    let mut others = others.into_iter().chain(beyond);
    if let Some(first) = others.next() {
        placed.push(others.fold(
            CollectionTime {
                place: None,
                ..first
            },
            |sum, one| CollectionTime {
                place: None,
                total_ns: sum.total_ns.saturating_add(one.total_ns),
                sample_count: sum.sample_count + one.sample_count,
            },
        ));
    }
    placed
}

fn time(function: &Function, sums: Sums) -> FunctionTime {
    let lines = sums.lines.into_iter();
    let mut lines: Vec<LineTime> = lines
        .map(|(line, (self_ns, waiting_ns))| LineTime {
            line,
            self_ns,
            waiting_ns,
        })
        .collect();
    lines.sort_by_key(|line| (Reverse(line.self_ns), line.line));
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
