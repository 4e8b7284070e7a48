//! The rows of a tree of calls: which of them are shown, and what is folded.
//!
//! As many of the longest calls as there is room for, each with those that it is called by. What is too small to be shown
//! is one row, and so is a function's own time, so that the rows below another add up to it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use laptime_analysis::{CallKind, CallNode, call_tree};
use laptime_core::{Total, short_file};

use crate::document::{Cell, Row};
use crate::quantity::Precision;
use crate::sentences::calls;

/// Share of the whole below which a row is folded.
const LEAST_RATIO: f64 = 0.02;
/// Share of a row of a package that a single function below it has, for the row to say nothing: what starts threads
/// and programs.
const ONLY_RATIO: f64 = 0.98;

/// A tree, and which of its nodes are shown.
pub struct Drawing<'t> {
    tree: &'t [CallNode],
    children: HashMap<Option<usize>, Vec<usize>>,
    whole_ns: u64,
    /// The node that the drawing begins below; all of the tree where there is none.
    top: Option<usize>,
}

impl<'t> Drawing<'t> {
    pub fn new(tree: &'t [CallNode], whole_ns: u64) -> Self {
        Self {
            tree,
            children: call_tree::children(tree),
            whole_ns,
            top: None,
        }
    }

    /// Returns the calls that follow each other with nearly all of the tree's time, the outermost first.
    pub fn chain(&self) -> Vec<CallKind> {
        let mut chain = Vec::new();
        let mut at = None;
        while let Some(only) = self.only(at) {
            chain.push(self.tree[only].call.clone());
            at = Some(only);
        }
        chain
    }

    /// Returns what is called from a node with nearly all of the tree's time.
    fn only(&self, parent: Option<usize>) -> Option<usize> {
        let all_ns: u64 = outermost(self.tree).map(|node| node.total_ns).total();
        let mut below = self.children.get(&parent).into_iter().flatten().copied();
        below.find(|at| self.tree[*at].total_ns as f64 >= ONLY_RATIO * all_ns as f64)
    }

    /// Begins the drawing below calls that follow each other, as long as something is called there.
    pub fn begin_below(&mut self, around: &[CallKind]) {
        for call in around {
            let next = self
                .only(self.top)
                .filter(|at| self.tree[*at].call == *call);
            match next.filter(|at| self.children.contains_key(&Some(*at))) {
                Some(at) => self.top = Some(at),
                None => return,
            }
        }
    }

    /// Returns the rows: as many as there is room for, the longest calls first.
    pub fn rows(&self, depth: usize, most_rows: usize) -> Vec<Row> {
        let mut most = most_rows;
        loop {
            let rows = self.rows_of(&self.longest(most), depth);
            if rows.len() <= most_rows || most == 1 {
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
                if is_large(ns, self.whole_ns) {
                    waiting.push((ns, Reverse(at)));
                }
            }
        };
        add(&mut waiting, self.top);
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
        let all_ns = || outermost(self.tree).map(|node| node.total_ns).total();
        let of = |at: usize| (Some(at), self.tree[at].total_ns, self.tree[at].self_ns);
        let top = self.top.map_or_else(|| (None, all_ns(), 0), of);
        self.add_below(&mut rows, shown, top, depth);
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
        let is_large = |ns: u64| is_large(ns, self.whole_ns);
        let below = self.below(parent);
        let (here, folded): (Vec<usize>, Vec<usize>) =
            below.into_iter().partition(|at| shown.contains(at));
        let here_ns = here.iter().map(|at| self.tree[*at].total_ns).total();
        // What is called in too little time to be told at all is part of the function's own time.
        let folded_ns = folded.iter().map(|at| self.tree[*at].total_ns).total();
        let itself_ns = self_ns.min(total_ns.saturating_sub(here_ns));
        let waiting_ns = parent.map_or(0, |at| self.itself_waiting_ns(at));
        let waiting_ns = Some(waiting_ns.min(itself_ns)).filter(|ns| is_large(*ns));
        let itself_ns = itself_ns - waiting_ns.unwrap_or(0);
        let (is_itself, is_folded) = (is_large(itself_ns), is_large(folded_ns));
        for at in &here {
            self.add(rows, shown, *at, depth);
        }
        if here.is_empty() {
            return;
        }
        let mut add = |name: String, ns: u64| rows.push(row(name, depth, ns, self.whole_ns));
        if let Some(ns) = waiting_ns {
            add(calls::ITSELF_WAITING.to_owned(), ns);
        }
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

    /// Returns the part of a node's own time in which its thread waited.
    fn itself_waiting_ns(&self, at: usize) -> u64 {
        let below = self.children.get(&Some(at)).into_iter().flatten();
        let below_ns = below.map(|at| self.tree[*at].waiting_ns).total();
        self.tree[at].waiting_ns.saturating_sub(below_ns)
    }

    fn add(&self, rows: &mut Vec<Row>, shown: &HashSet<usize>, at: usize, depth: usize) {
        let node = &self.tree[at];
        let folder = call_tree::script_folder(self.tree.iter().map(|node| &node.call));
        let mut name = calls::node(node, self.file_of(at), folder);
        if depth == 0 {
            name += calls::beside(node);
        }
        rows.push(Row {
            aside: calls::frames(node),
            ..row(name, depth, node.total_ns, self.whole_ns)
        });
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

/// Tells whether a row of so much time is shown.
pub fn is_large(ns: u64, whole_ns: u64) -> bool {
    ns as f64 >= LEAST_RATIO * whole_ns as f64
}

/// Makes a row of so much time.
pub fn row(name: String, depth: usize, ns: u64, whole_ns: u64) -> Row {
    let share = ns as f64 / whole_ns.max(1) as f64;
    let cells = vec![Cell::Time(ns, Precision::Estimate), Cell::part(share)];
    Row {
        depth,
        ..Row::new(name, cells)
    }
}

/// Returns the nodes that nothing in the tree calls.
fn outermost(tree: &[CallNode]) -> impl Iterator<Item = &CallNode> {
    tree.iter().filter(|node| node.parent.is_none())
}
