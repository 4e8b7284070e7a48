//! The span tree of a whole run: paths of all processes merged by their names.

use std::collections::HashMap;
use std::iter;

use laptime_core::{DeviceMemoryTally, DeviceTally, PathId, PathTable, PathTally};

use crate::reading::totals::Partial;
use crate::summarize::columns::operations::stretch_operations::DirectOperations;
use crate::summarize::columns::operations::uncounted_spans::LeftOut;
use crate::summary::sparse_box::SparseBox;

/// One path of the run.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// The node's own name.
    pub name: String,
    /// The enclosing node; the root's is itself.
    pub parent: usize,
    /// Nodes inside, by first appearance.
    pub children: Vec<usize>,
    /// Finished spans of the path.
    pub tally: PathTally,
    /// Spans of the path that lie partly inside.
    pub partial: Partial,
    /// Operations directly in it that were counted.
    pub operations: SparseBox<DirectOperations>,
    /// Its spans in which operations were left out.
    pub left_out: SparseBox<LeftOut>,
    /// Times of its spans on devices.
    pub on_device: SparseBox<DeviceTally>,
    /// Memory of its spans on devices.
    pub device_memory: SparseBox<DeviceMemoryTally>,
    /// Whether other processes have spans inside, and none of the path itself: they ran beside each other, as
    /// the workers of a pool do that were forked inside of it.
    pub has_workers: bool,
}

impl Node {
    /// Tells whether any span has this path.
    pub fn has_spans(&self) -> bool {
        self.tally.count > 0 || self.partial.count > 0 || self.partial.total_ns > 0
    }

    /// Returns the sum of durations.
    pub fn total_ns(&self) -> u64 {
        self.tally.total_ns.saturating_add(self.partial.total_ns)
    }

    /// Returns the time that its parent's self time loses.
    pub fn nested_ns(&self) -> u64 {
        self.tally
            .nested_ns()
            .saturating_add(self.partial.nested_ns)
    }
}

/// All paths of a run. Node 0 is the root.
#[derive(Debug)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    by_name: HashMap<(usize, Box<str>), usize>,
}

impl Tree {
    /// Creates a tree of the root alone.
    pub fn new() -> Self {
        Self {
            nodes: vec![Node::default()],
            by_name: HashMap::new(),
        }
    }

    /// Creates a tree of outermost paths, each with its spans; paths of one name stay apart.
    pub fn of_outermost(paths: impl IntoIterator<Item = (String, PathTally)>) -> Self {
        let mut tree = Self::new();
        for (name, tally) in paths {
            tree.by_name.clear();
            let index = tree.child(0, &name);
            tree.nodes[index].tally.merge(tally);
        }
        tree
    }

    /// Returns the node of every path number of a process, made where it is missing.
    pub(super) fn places(&mut self, paths: &PathTable) -> Vec<Option<usize>> {
        let mut places = vec![None; paths.len()];
        // The first process has them all, or nearly.
        self.nodes
            .reserve_exact(paths.len().saturating_sub(self.nodes.len()));
        // `<overflow>` has the smallest number, but appears last if at all.
        let overflow = paths
            .get(PathId::OVERFLOW)
            .map(|entry| (PathId::OVERFLOW, entry));
        let ordered = paths
            .iter()
            .filter(|(id, _)| *id != PathId::OVERFLOW)
            .chain(overflow);
        for (id, entry) in ordered {
            // The reader numbers parents before their children.
            let parent = places.get(entry.parent.index()).copied().flatten();
            places[id.index()] = Some(self.child(parent.unwrap_or(0), &entry.name));
        }
        places
    }

    /// Drops the index by name, once nothing more is looked for by it.
    pub(super) fn forget_names(&mut self) {
        self.by_name = HashMap::new();
    }

    fn child(&mut self, parent: usize, name: &str) -> usize {
        if let Some(known) = self.by_name.get(&(parent, name.into())) {
            return *known;
        }
        let index = self.nodes.len();
        self.nodes.push(Node {
            name: name.to_owned(),
            parent,
            ..Node::default()
        });
        self.nodes[parent].children.push(index);
        self.by_name.insert((parent, name.into()), index);
        index
    }

    /// Returns how many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tells whether operations were counted anywhere.
    pub fn has_operations(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| node.operations.tally.calls() > 0)
    }

    /// Returns a node.
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// Returns the nodes with spans of their own or inside, parents before children.
    pub fn in_order(&self) -> Vec<usize> {
        let mut is_shown: Vec<bool> = self.nodes.iter().map(Node::has_spans).collect();
        // A child's index is above its parent's: one sweep from the end reaches every ancestor.
        for index in (1..self.nodes.len()).rev() {
            if is_shown[index] {
                is_shown[self.nodes[index].parent] = true;
            }
        }
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = self.nodes[0].children.iter().rev().copied().collect();
        while let Some(index) = waiting.pop() {
            if is_shown[index] {
                order.push(index);
                waiting.extend(self.nodes[index].children.iter().rev());
            }
        }
        order
    }

    /// Returns the names from the outermost to a node.
    pub fn names(&self, index: usize) -> Vec<String> {
        let around = |at: &usize| Some(self.nodes[*at].parent);
        let path = || iter::successors(Some(index), around).take_while(|at| *at != 0);
        let mut names = Vec::with_capacity(path().count());
        names.extend(path().map(|at| self.nodes[at].name.clone()));
        names.reverse();
        names
    }
}
