//! The calls of a tree by one kind of their time, and who calls whom.

use std::collections::{BTreeMap, HashMap};

use crate::summary::call_time::CallTime;
use crate::summary::call_tree::{CallNode, children};

/// A function of the program, by name and file.
pub type Own = (String, String);

/// A tree with the time of each node that counts.
pub struct TimedCalls<'t> {
    pub tree: &'t [CallNode],
    children: HashMap<Option<usize>, Vec<usize>>,
    pub time: CallTime,
}

impl<'t> TimedCalls<'t> {
    pub fn new(tree: &'t [CallNode], time: CallTime) -> Self {
        Self {
            tree,
            children: children(tree),
            time,
        }
    }

    /// Tells whether the time is that of waiting.
    pub fn is_of_waiting(&self) -> bool {
        self.time == CallTime::Waiting
    }

    pub fn outermost(&self) -> Vec<usize> {
        self.children.get(&None).cloned().unwrap_or_default()
    }

    pub fn below(&self, at: usize) -> &[usize] {
        self.children.get(&Some(at)).map_or(&[], Vec::as_slice)
    }

    pub fn ns(&self, at: usize) -> u64 {
        let node = &self.tree[at];
        self.time.of(node.total_ns, node.waiting_ns)
    }

    pub fn sum(&self, nodes: &[usize]) -> u64 {
        nodes
            .iter()
            .map(|at| self.ns(*at))
            .fold(0, u64::saturating_add)
    }

    /// Returns the functions of the program that nodes call straight; of the outermost nodes themselves.
    pub fn own_below(&self, nodes: &[usize], is_root: bool) -> BTreeMap<Own, Vec<usize>> {
        let mut found: BTreeMap<Own, Vec<usize>> = BTreeMap::new();
        let below = |at: &usize| self.below(*at).iter().copied();
        let below: Vec<usize> = if is_root {
            nodes.to_vec()
        } else {
            nodes.iter().flat_map(below).collect()
        };
        for at in below {
            if let Some((name, file)) = self.tree[at].call.own() {
                let own = (name.to_owned(), file.to_owned());
                found.entry(own).or_default().push(at);
            }
        }
        found
    }

    /// Returns the functions of the program that nodes call, straight or through packages; of the outermost nodes
    /// themselves.
    pub fn callees(&self, nodes: &[usize], is_root: bool) -> BTreeMap<Own, Vec<usize>> {
        let mut callees: BTreeMap<Own, Vec<usize>> = BTreeMap::new();
        let mut waiting: Vec<usize> = if is_root {
            nodes.to_vec()
        } else {
            nodes
                .iter()
                .flat_map(|at| self.below(*at))
                .copied()
                .collect()
        };
        while let Some(at) = waiting.pop() {
            match self.tree[at].call.own() {
                Some((name, file)) => {
                    let own = (name.to_owned(), file.to_owned());
                    callees.entry(own).or_default().push(at);
                }
                None => waiting.extend(self.below(at)),
            }
        }
        callees
    }

    /// Tells whether a node calls another, straight or not.
    pub fn is_above(&self, at: usize, below: usize) -> bool {
        let mut next = self.tree[below].parent;
        while let Some(above) = next {
            if above == at {
                return true;
            }
            next = self.tree[above].parent;
        }
        false
    }

    /// Returns all time of nodes, whatever kind is asked for.
    pub fn total(&self, nodes: &[usize]) -> u64 {
        let totals = nodes.iter().map(|at| self.tree[*at].total_ns);
        totals.fold(0, u64::saturating_add)
    }

    /// Returns what a function calls of packages; of the outermost nodes those that are none of the program's.
    pub fn packages(&self, nodes: &[usize], at: Option<&Own>) -> Vec<usize> {
        let below = |at: &usize| self.below(*at).iter().copied();
        let called: Vec<usize> = match at {
            Some(_) => nodes.iter().flat_map(below).collect(),
            None => nodes.to_vec(),
        };
        let is_package = |at: &usize| self.tree[*at].call.own().is_none();
        called.into_iter().filter(is_package).collect()
    }
}
