//! The tree of calls: the program's own functions in front, what they call of packages folded, in order of time.
//!
//! The children of a row add up to it: what is too small to be shown is one row, and so is the function's own time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use laptime_analysis::{CallKind, CallNode, LapFunctions, call_tree};
use laptime_core::{Total, short_file};

use crate::document::column::Column;
use crate::document::{Cell, Row, Table};
use crate::quantity::{self, Precision};
use crate::sentences::calls;

/// Most rows of a tree.
const MOST_ROWS: usize = 25;
/// Share of the whole below which a row is folded.
const LEAST_RATIO: f64 = 0.02;
/// Share of a row of a package that a single function below it has, for the row to say nothing: what starts threads
/// and programs.
const ONLY_RATIO: f64 = 0.98;

/// Makes the tree of calls of a whole program. Of threads and processes beside the main one it is the time in which they
/// worked: however many of them wait, that is nobody's time.
pub fn of_program(laps: &[LapFunctions]) -> Table {
    let trees: Vec<Vec<CallNode>> = laps
        .iter()
        .map(|lap| {
            if lap.is_parallel() {
                call_tree::without_waiting(&lap.calls)
            } else {
                lap.calls.clone()
            }
        })
        .collect();
    let tree = call_tree::merge(trees.iter().map(Vec::as_slice));
    let whole_ns = outermost(&tree).map(|node| node.total_ns).total();
    table(Drawing::new(&tree, whole_ns).rows(0))
}

/// Makes the trees of calls of some laps, each below the lap's row; shares are of `whole_ns`.
pub fn of_laps(laps: &[&LapFunctions], whole_ns: u64) -> Table {
    let mut rows = Vec::new();
    for lap in laps {
        rows.push(row(lap.path.clone(), 0, lap.total_ns, whole_ns));
        rows.extend(Drawing::new(&lap.calls, whole_ns).rows(1));
    }
    table(rows)
}

fn table(rows: Vec<Row>) -> Table {
    Table {
        lead: "function".into(),
        columns: vec![Column::TOTAL, Column::SHARE],
        rows,
        ..Table::default()
    }
}

fn row(name: String, depth: usize, ns: u64, whole_ns: u64) -> Row {
    let share = ns as f64 / whole_ns.max(1) as f64;
    let cells = vec![Cell::Time(ns, Precision::Estimate), Cell::Share(share)];
    Row {
        depth,
        ..Row::new(name, cells)
    }
}

fn outermost(tree: &[CallNode]) -> impl Iterator<Item = &CallNode> {
    tree.iter().filter(|node| node.parent.is_none())
}

/// A tree, and which of its nodes are shown.
struct Drawing<'t> {
    tree: &'t [CallNode],
    children: HashMap<Option<usize>, Vec<usize>>,
    whole_ns: u64,
}

impl<'t> Drawing<'t> {
    fn new(tree: &'t [CallNode], whole_ns: u64) -> Self {
        Self {
            tree,
            children: call_tree::children(tree),
            whole_ns,
        }
    }

    /// Returns the rows: as many as there is room for, the longest calls first.
    fn rows(&self, depth: usize) -> Vec<Row> {
        let mut most = MOST_ROWS;
        loop {
            let rows = self.rows_of(&self.longest(most), depth);
            if rows.len() <= MOST_ROWS || most == 1 {
                return rows;
            }
            most -= 1;
        }
    }

    /// Returns so many of the longest nodes, each with those that it is called by.
    fn longest(&self, most: usize) -> HashSet<usize> {
        let mut shown = HashSet::new();
        let mut waiting: BinaryHeap<(u64, Reverse<usize>)> = BinaryHeap::new();
        let add = |waiting: &mut BinaryHeap<_>, parent| {
            for at in self.below(parent) {
                let ns = self.tree[at].total_ns;
                if ns as f64 >= LEAST_RATIO * self.whole_ns as f64 {
                    waiting.push((ns, Reverse(at)));
                }
            }
        };
        add(&mut waiting, None);
        while let Some((_, Reverse(at))) = waiting.pop() {
            if shown.len() >= most {
                break;
            }
            shown.insert(at);
            add(&mut waiting, Some(at));
        }
        shown
    }

    /// Returns what is called from a node, the longest first. What only starts the program's own code is passed over.
    fn below(&self, parent: Option<usize>) -> Vec<usize> {
        let mut below = self.children.get(&parent).cloned().unwrap_or_default();
        if parent.is_none() {
            while let Some(place) = below.iter().position(|at| self.is_start(*at)) {
                let at = below.remove(place);
                below.extend(self.children.get(&Some(at)).into_iter().flatten());
            }
            below.sort_by_key(|at| Reverse(self.tree[*at].total_ns));
        }
        below
    }

    /// Whether a node of a package only starts code that stands below it.
    fn is_start(&self, at: usize) -> bool {
        let node = &self.tree[at];
        let below = self.children.get(&Some(at)).into_iter().flatten();
        let below_ns = below.map(|at| self.tree[*at].total_ns).total();
        let is_package = matches!(node.call, CallKind::Library { .. });
        is_package && below_ns as f64 >= ONLY_RATIO * node.total_ns as f64
    }

    fn rows_of(&self, shown: &HashSet<usize>, depth: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let whole_ns = outermost(self.tree).map(|node| node.total_ns).total();
        self.add_below(&mut rows, shown, (None, whole_ns, 0), depth);
        rows
    }

    /// Adds the rows below a node of so much time, of which so much is its own.
    fn add_below(
        &self,
        rows: &mut Vec<Row>,
        shown: &HashSet<usize>,
        (parent, total_ns, self_ns): (Option<usize>, u64, u64),
        depth: usize,
    ) {
        let is_large = |ns: u64| ns as f64 >= LEAST_RATIO * self.whole_ns as f64;
        let below = self.below(parent);
        let (here, folded): (Vec<usize>, Vec<usize>) =
            below.into_iter().partition(|at| shown.contains(at));
        let here_ns = here.iter().map(|at| self.tree[*at].total_ns).total();
        // What is called in too little time to be told at all is part of the function's own time.
        let folded_ns = folded.iter().map(|at| self.tree[*at].total_ns).total();
        let itself_ns = self_ns.min(total_ns.saturating_sub(here_ns));
        let (is_itself, is_folded) = (is_large(itself_ns), is_large(folded_ns));
        for at in &here {
            self.add(rows, shown, *at, depth);
        }
        if here.is_empty() {
            return;
        }
        let mut add = |name: String, ns: u64| rows.push(row(name, depth, ns, self.whole_ns));
        if is_itself && is_folded {
            add(calls::ITSELF.to_owned(), itself_ns);
            add(calls::folded(folded.len()), folded_ns);
        } else if is_itself || is_folded || is_large(itself_ns.saturating_add(folded_ns)) {
            let name = if is_folded {
                calls::folded(folded.len())
            } else {
                calls::ITSELF.to_owned()
            };
            add(name, itself_ns.saturating_add(folded_ns));
        }
    }

    fn add(&self, rows: &mut Vec<Row>, shown: &HashSet<usize>, at: usize, depth: usize) {
        let node = &self.tree[at];
        let file = self.file_of(at);
        rows.push(row(
            calls::node(node, file),
            depth,
            node.total_ns,
            self.whole_ns,
        ));
        let times = (Some(at), node.total_ns, node.self_ns);
        self.add_below(rows, shown, times, depth + 1);
    }

    /// Returns the file that a node's line stands in: its own, or that of the function of the program that calls it.
    fn file_of(&self, at: usize) -> Option<&'t str> {
        let mut at = Some(at);
        while let Some(node) = at.map(|at| &self.tree[at]) {
            if let Some((_, file)) = node.call.own() {
                return Some(short_file(file));
            }
            at = node.parent;
        }
        None
    }
}

/// Says how sure the shares of so many samples are.
pub fn remark(samples: u64, uncertainty: f64) -> String {
    format!(
        "{}: shares are ± {:.0} points",
        quantity::plural(samples, "sample", "samples"),
        100.0 * uncertainty
    )
}
