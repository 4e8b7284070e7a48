//! The calls of a lap or a program as a tree that a person reads: the program's own functions, and what these call.
//!
//! Frames of packages between two functions of the program are one node, and so is an import with all that it runs
//! beside the program's own code. Garbage collections are a node beside the outermost functions. A function that calls itself is one node. The children of a node and its self time
//! add up to its total.

use std::collections::HashMap;

use serde::Serialize;

use crate::summary::call_time::CallTime;
use crate::summary::code_line::LineTime;

/// Packages in which a thread waits for others of the program.
const WAITS_FOR_OTHERS: [&str; 4] = ["threading", "concurrent", "multiprocessing", "queue"];

/// Tells whether a thread that waits in a function of a package waits for other threads or processes of the program.
pub(crate) fn waits_for_others(package: &str) -> bool {
    WAITS_FOR_OTHERS.contains(&package)
}

/// A kind of node of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallKind {
    /// A function of the program, with its comprehensions and lambdas.
    Own {
        /// Its qualified name; empty for the code of a script outside of functions, `<module>` for that of a module that
        /// is imported.
        name: String,
        /// The file that it stands in.
        file: String,
    },
    /// A function of a package or of Python's library that the program calls, with all that it calls in turn but the program.
    Library {
        /// Its qualified name.
        name: String,
        /// The package that it belongs to.
        package: String,
    },
    /// An import, with all that it runs but functions of the program.
    Import {
        /// The module, as an import statement names it.
        module: String,
    },
    /// Garbage collections: Python begins them wherever objects are made, so they are no time of a function.
    Collection,
}

/// Calls on one way from the outermost function on.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallNode {
    /// The caller's place in the list, before its own; absent for the outermost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The function or the import.
    #[serde(flatten)]
    pub call: CallKind,
    /// The line in which most of its time went by: of a function of the program one of its own, else the program's line
    /// that called it. 0 where that isn't known.
    pub line: u32,
    /// Most frames on top of each other that it stands for: 1 of a function of the program.
    pub frame_count: u32,
    /// The line as above of the time alone in which its thread worked, and of that in which it waited.
    #[serde(skip)]
    pub lines_by_time: LinesByTime,
    /// Whether it runs beside the main thread, in the tree of a whole program.
    #[serde(skip)]
    pub beside: Beside,
    /// Time in it and in all that it calls.
    pub total_ns: u64,
    /// Time in it, and in what isn't in the list as it takes next to no time.
    pub self_ns: u64,
    /// Part of the total in which its thread waited.
    pub waiting_ns: u64,
    /// Number of samples in it and in all that it calls.
    pub sample_count: u64,
    /// Sum of the squares of the times that its samples stand for, in ns²: with the time it tells how sure that is.
    #[serde(skip)]
    pub squared_ns2: f64,
    /// Self time of a function of the program by line, the longest first; few lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineTime>,
}

/// Whether calls run beside a program's main thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Beside {
    /// They run in it, or it isn't asked.
    #[default]
    No,
    /// They run in other threads.
    Threads,
    /// They run in other processes.
    Processes,
}

/// Lines in which most of a function's time of a kind went by; 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinesByTime {
    /// Line of the time in which the thread worked.
    pub working: u32,
    /// Line of the time in which it waited.
    pub waiting: u32,
}

impl CallKind {
    /// Returns the name and the file of a function of the program.
    pub fn own(&self) -> Option<(&str, &str)> {
        match self {
            Self::Own { name, file } => Some((name, file)),
            _ => None,
        }
    }

    /// Returns the line that tells one call from another: what is called of packages is told by the program's line.
    pub(crate) fn line_in_key(&self, line: u32) -> u32 {
        if self.own().is_some() { 0 } else { line }
    }
}

/// Returns the folder of the script that calls begin with, the outermost first: there its imports begin. It is empty
/// where the script lies in the folder that files are named relative to, and where no script is seen.
pub fn script_folder<'c>(calls: impl IntoIterator<Item = &'c CallKind>) -> &'c str {
    let mut scripts = calls.into_iter().filter_map(CallKind::own);
    let script = scripts.find(|(name, _)| name.is_empty());
    let folder = script.and_then(|(_, file)| file.rsplit_once('/'));
    folder.map_or("", |(folder, _)| folder)
}

impl CallNode {
    /// Returns the time in which its thread worked.
    pub fn running_ns(&self) -> u64 {
        self.total_ns.saturating_sub(self.waiting_ns)
    }

    /// Returns the line in which most of its time of a kind went by.
    pub(crate) fn line_by(&self, time: CallTime) -> u32 {
        let line = match time {
            CallTime::All => self.line,
            CallTime::Working => self.lines_by_time.working,
            CallTime::Waiting => self.lines_by_time.waiting,
        };
        // What is called of packages has one line, and so has what has no time of that kind.
        if line == 0 { self.line } else { line }
    }

    /// Returns its lines by their time of a kind.
    pub(crate) fn lines_by(&self, time: CallTime) -> Vec<LineTime> {
        let of_kind = |line: &LineTime| LineTime {
            self_ns: time.of(line.self_ns, line.waiting_ns),
            waiting_ns: match time {
                CallTime::Working => 0,
                CallTime::All | CallTime::Waiting => line.waiting_ns,
            },
            ..*line
        };
        let mut lines: Vec<LineTime> = self.lines.iter().map(of_kind).collect();
        lines.retain(|line| line.self_ns > 0);
        lines.sort_by_key(|line| (std::cmp::Reverse(line.self_ns), line.line));
        lines
    }

    /// Tells whether it is a call in which a thread waits for others of the program, if it waits.
    pub(crate) fn waits_for_others(&self) -> bool {
        matches!(&self.call, CallKind::Library { package, .. } if waits_for_others(package))
    }

    /// Tells whether its thread did next to nothing but wait.
    pub fn is_waiting(&self) -> bool {
        self.waiting_ns >= self.total_ns / 10 * 9
    }
}

/// Returns a tree of the time alone in which threads worked.
pub fn without_waiting(tree: &[CallNode]) -> Vec<CallNode> {
    let mut waited_below: Vec<u64> = vec![0; tree.len()];
    for node in tree {
        if let Some(parent) = node.parent {
            waited_below[parent] = waited_below[parent].saturating_add(node.waiting_ns);
        }
    }
    let nodes = tree.iter().zip(waited_below);
    let working = nodes.map(|(node, below_ns)| {
        let waited_ns = node.waiting_ns.saturating_sub(below_ns);
        let ratio = node.running_ns() as f64 / node.total_ns.max(1) as f64;
        CallNode {
            squared_ns2: node.squared_ns2 * ratio,
            line: node.line_by(CallTime::Working),
            total_ns: node.running_ns(),
            self_ns: node.self_ns.saturating_sub(waited_ns),
            waiting_ns: 0,
            lines: node.lines_by(CallTime::Working),
            ..node.clone()
        }
    });
    working.collect()
}

/// Adds trees up to one: nodes of the same way are one node.
pub fn merge<'t>(trees: impl IntoIterator<Item = &'t [CallNode]>) -> Vec<CallNode> {
    let mut merged: Vec<CallNode> = Vec::new();
    // The longest of the nodes that became one has the line.
    let mut longest: Vec<[u64; 3]> = Vec::new();
    let mut places: HashMap<(Option<usize>, &CallKind, u32, Beside), usize> = HashMap::new();
    for tree in trees {
        let mut numbers: Vec<usize> = Vec::with_capacity(tree.len());
        for node in tree {
            let parent = node.parent.and_then(|at| numbers.get(at).copied());
            let line = node.call.line_in_key(node.line);
            let key = (parent, &node.call, line, node.beside);
            let at = *places.entry(key).or_insert_with(|| {
                merged.push(CallNode {
                    parent,
                    total_ns: 0,
                    self_ns: 0,
                    waiting_ns: 0,
                    sample_count: 0,
                    squared_ns2: 0.0,
                    lines: Vec::new(),
                    ..node.clone()
                });
                longest.push([0; 3]);
                merged.len() - 1
            });
            numbers.push(at);
            let one = &mut merged[at];
            one.total_ns = one.total_ns.saturating_add(node.total_ns);
            one.self_ns = one.self_ns.saturating_add(node.self_ns);
            one.waiting_ns = one.waiting_ns.saturating_add(node.waiting_ns);
            one.sample_count += node.sample_count;
            one.squared_ns2 += node.squared_ns2;
            one.frame_count = one.frame_count.max(node.frame_count);
            add_lines(&mut one.lines, &node.lines);
            let [all_ns, working_ns, waiting_ns] = &mut longest[at];
            let lines = &mut one.lines_by_time;
            let of_node = node.lines_by_time;
            take_longer(all_ns, &mut one.line, node.total_ns, node.line);
            take_longer(
                working_ns,
                &mut lines.working,
                node.running_ns(),
                of_node.working,
            );
            take_longer(
                waiting_ns,
                &mut lines.waiting,
                node.waiting_ns,
                of_node.waiting,
            );
        }
    }
    merged
}

/// Takes the line of a node that took longer than those before.
fn take_longer(longest_ns: &mut u64, longest: &mut u32, ns: u64, line: u32) {
    if ns > *longest_ns {
        (*longest_ns, *longest) = (ns, line);
    }
}

/// Adds the times of lines to those of another tree.
fn add_lines(lines: &mut Vec<LineTime>, added: &[LineTime]) {
    for one in added {
        match lines.iter_mut().find(|known| known.line == one.line) {
            Some(known) => known.add(one),
            None => lines.push(*one),
        }
    }
    lines.sort_by_key(|line| (std::cmp::Reverse(line.self_ns), line.line));
}

/// Returns the children of each node, and the outermost nodes, the longest first.
pub fn children(tree: &[CallNode]) -> HashMap<Option<usize>, Vec<usize>> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, node) in tree.iter().enumerate() {
        children.entry(node.parent).or_default().push(at);
    }
    for siblings in children.values_mut() {
        siblings.sort_by_key(|at| std::cmp::Reverse(tree[*at].total_ns));
    }
    children
}
