//! Times of the functions of one run, from its trees of sampled calls.
//!
//! A function of the program has the time of what it calls of packages. It counts once in a stack, however often it
//! calls itself: a tree of calls has each function of the program once on a way. What no function of the program called,
//! such as a package's own thread, counts for the package's function.

use std::collections::{BTreeMap, BTreeSet};

use crate::summary::call_tree::{CallKind, CallNode};

/// A time that was sampled.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SampledTime {
    /// The time.
    pub ns: f64,
    /// Number of its samples.
    pub sample_count: f64,
    /// Sum of the squares of the times that its samples stand for.
    pub squared_ns2: f64,
}

/// The sampled times of one function in one run.
#[derive(Debug, Clone, Default)]
pub struct FunctionTimes {
    /// Time in it and in all that it calls.
    pub total: SampledTime,
    /// Time in it and in what it calls of packages.
    pub own: SampledTime,
    /// The part of its own time in each function of a package that it calls, or import.
    pub libraries: BTreeMap<CallKind, SampledTime>,
    /// The functions of the program that called it.
    pub callers: BTreeSet<CallKind>,
    /// The line in which most of its time went by; 0 where that isn't known.
    pub line: u32,
    longest_ns: u64,
}

/// The sampled times of one run.
#[derive(Debug, Clone, Default)]
pub struct RunTimes {
    /// All that was sampled.
    pub whole: SampledTime,
    /// Times by function.
    pub by_function: BTreeMap<CallKind, FunctionTimes>,
    /// Number of steps by which times are divided; 1 for those of a run.
    pub unit_count: f64,
    /// Name of the program.
    pub program: String,
}

impl SampledTime {
    fn of_node(node: &CallNode) -> Self {
        Self {
            ns: node.total_ns as f64,
            sample_count: node.sample_count as f64,
            squared_ns2: node.squared_ns2,
        }
    }

    /// Adds another time.
    pub fn add(&mut self, other: Self) {
        self.ns += other.ns;
        self.sample_count += other.sample_count;
        self.squared_ns2 += other.squared_ns2;
    }

    /// Returns what is left without a part.
    pub fn without(self, part: Self) -> Self {
        Self {
            ns: (self.ns - part.ns).max(0.0),
            sample_count: (self.sample_count - part.sample_count).max(0.0),
            squared_ns2: (self.squared_ns2 - part.squared_ns2).max(0.0),
        }
    }

    /// Returns the number of samples of one length that tell as much: long ones count for more, and make a time unsure.
    pub fn effective_count(self) -> f64 {
        if self.squared_ns2 > 0.0 {
            self.ns.powi(2) / self.squared_ns2
        } else {
            0.0
        }
    }
}

impl RunTimes {
    /// Returns the samples for each nanosecond of a step or run.
    pub fn samples_per_ns(&self) -> f64 {
        if self.whole.ns > 0.0 {
            self.unit_count * self.whole.sample_count / self.whole.ns
        } else {
            0.0
        }
    }

    /// Sums up a tree of calls.
    pub fn of_tree(tree: &[CallNode], unit_count: f64) -> Self {
        let mut run = Self {
            unit_count,
            ..Self::default()
        };
        let mut own_parts: Vec<SampledTime> = tree.iter().map(SampledTime::of_node).collect();
        // The function of each node: itself or, of a package's, the one of the program that called it.
        let mut functions: Vec<&CallKind> = Vec::with_capacity(tree.len());
        for node in tree {
            let all = SampledTime::of_node(node);
            match node.parent {
                Some(parent) => own_parts[parent] = own_parts[parent].without(all),
                None => run.whole.add(all),
            }
            let caller = node.parent.map(|parent| functions[parent]);
            let part_of = caller.filter(|_| node.call.own().is_none());
            functions.push(part_of.unwrap_or(&node.call));
            if part_of.is_none() {
                let times = run.by_function.entry(node.call.clone()).or_default();
                times.total.add(all);
                times.callers.extend(caller.cloned());
                if node.total_ns >= times.longest_ns {
                    (times.longest_ns, times.line) = (node.total_ns, node.line);
                }
            }
        }
        for ((node, function), part) in tree.iter().zip(&functions).zip(own_parts) {
            let Some(times) = run.by_function.get_mut(*function) else {
                continue;
            };
            times.own.add(part);
            if node.call != **function {
                times
                    .libraries
                    .entry(node.call.clone())
                    .or_default()
                    .add(part);
            }
        }
        run
    }
}

#[cfg(test)]
#[path = "tests/sampled_times.rs"]
pub(super) mod tests;
