//! Sums of samples by their folded stacks: the tree of calls of one place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::folded_stack::Step;
use super::grouped_samples::Group;
use crate::summary::call_time::CallTime;
use crate::summary::call_tree::{Beside, CallKind, CallNode, LinesByTime};
use crate::summary::code_line::LineTime;

/// Most lines that are listed of a function.
const MOST_LINES: usize = 8;

/// A node that samples are added to.
#[derive(Debug)]
struct Sums {
    parent: Option<usize>,
    call: CallKind,
    frame_count: u32,
    total_ns: u64,
    waiting_ns: u64,
    sample_count: u64,
    squared_ns2: f64,
    /// Time by line.
    lines: BTreeMap<u32, LineSums>,
}

/// Time in a line, with what it calls and without it; of each all, and the part in which the thread waited.
#[derive(Debug, Default)]
struct LineSums {
    total: (u64, u64),
    own: (u64, u64),
}

/// The tree of calls of one place, while samples are added to it.
#[derive(Debug, Default)]
pub(super) struct CallSums {
    nodes: Vec<Sums>,
    places: HashMap<(Option<usize>, CallKind, u32), usize>,
}

impl CallSums {
    /// Adds samples.
    pub(super) fn add(&mut self, steps: &[Step], group: &Group) {
        let (ns, waiting_ns) = (group.all.stands_for_ns, group.waiting_ns());
        let mut parent = None;
        for (index, step) in steps.iter().enumerate() {
            let at = self.place(parent, step);
            let node = &mut self.nodes[at];
            node.total_ns = node.total_ns.saturating_add(ns);
            node.waiting_ns = node.waiting_ns.saturating_add(waiting_ns);
            node.sample_count += group.all.count;
            node.squared_ns2 += group.squared_ns2;
            node.frame_count = node.frame_count.max(step.frame_count);
            let line = node.lines.entry(step.line).or_default();
            let add = |(all, waiting): &mut (u64, u64)| {
                *all = all.saturating_add(ns);
                *waiting = waiting.saturating_add(waiting_ns);
            };
            add(&mut line.total);
            if index + 1 == steps.len() {
                add(&mut line.own);
            }
            parent = Some(at);
        }
    }

    fn place(&mut self, parent: Option<usize>, step: &Step) -> usize {
        let key = (parent, step.call.clone(), step.call.line_in_key(step.line));
        *self.places.entry(key).or_insert_with(|| {
            self.nodes.push(Sums {
                parent,
                call: step.call.clone(),
                frame_count: 0,
                total_ns: 0,
                waiting_ns: 0,
                sample_count: 0,
                squared_ns2: 0.0,
                lines: BTreeMap::new(),
            });
            self.nodes.len() - 1
        })
    }

    /// Returns the nodes of at least so much time, each after its caller; what is smaller is self time of its caller.
    pub(super) fn finish(self, least_ns: u64) -> Vec<CallNode> {
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut kept: Vec<CallNode> = Vec::new();
        for (at, node) in self.nodes.into_iter().enumerate() {
            let parent = node.parent.map(|parent| numbers.get(&parent).copied());
            // What a node that isn't told calls isn't either.
            if node.total_ns < least_ns || parent == Some(None) {
                continue;
            }
            let parent = parent.flatten();
            if let Some(parent) = parent {
                let caller: &mut CallNode = &mut kept[parent];
                caller.self_ns = caller.self_ns.saturating_sub(node.total_ns);
            }
            numbers.insert(at, kept.len());
            kept.push(told(node, parent));
        }
        kept
    }
}

/// Returns a node as it is told, all of its time its own.
fn told(node: Sums, parent: Option<usize>) -> CallNode {
    let hottest = |time: CallTime| {
        let ns = |line: &LineSums| time.of(line.total.0, line.total.1);
        let lines = node.lines.iter().map(|(line, sums)| (ns(sums), *line));
        let longest = lines.filter(|(ns, _)| *ns > 0);
        let longest = longest.max_by_key(|(ns, line)| (*ns, Reverse(*line)));
        longest.map_or(0, |(_, line)| line)
    };
    let line = hottest(CallTime::All);
    let lines_by_time = LinesByTime {
        working: hottest(CallTime::Working),
        waiting: hottest(CallTime::Waiting),
    };
    let mut lines: Vec<LineTime> = Vec::new();
    if node.call.own().is_some() {
        let timed = node.lines.iter().filter(|(_, sums)| sums.own.0 > 0);
        lines.extend(timed.map(|(line, sums)| LineTime {
            line: *line,
            self_ns: sums.own.0,
            waiting_ns: sums.own.1,
        }));
        lines.sort_by_key(|line| (Reverse(line.self_ns), line.line));
        lines.truncate(MOST_LINES);
    }
    CallNode {
        parent,
        call: node.call,
        line,
        lines_by_time,
        beside: Beside::No,
        frame_count: node.frame_count,
        total_ns: node.total_ns,
        self_ns: node.total_ns,
        waiting_ns: node.waiting_ns,
        sample_count: node.sample_count,
        squared_ns2: node.squared_ns2,
        lines,
    }
}
