//! A cut through the tree of calls: the few functions that took the time of a program, none of them below another.
//!
//! From the root down it follows the one function of the program that has nearly all of its caller's time. What remains
//! there are its callees, what it calls of packages by the line that does, and lines of its own. Each callee is told by
//! what it only calls, if that is another one; functions that wait in a helper which all of them call are told themselves.

use super::call_parts::{Found, Opens};
use crate::functions::timed_calls::{Own, TimedCalls};
use crate::summary::call_time::CallTime;
use crate::summary::call_tree::{CallKind, CallNode};
use crate::summary::headline::Part;

/// The share of its caller that a function has for the caller to be passed through.
const THROUGH_RATIO: f64 = 0.9;
/// The least share of all that is told.
const LEAST_RATIO: f64 = 0.1;
/// Most parts that are told.
const MOST_PARTS: usize = 3;
/// The share of a function that functions of the program below it must have for it to be told by these.
const OPEN_RATIO: f64 = 0.8;

/// A part of a tree, by one kind of its time.
#[derive(Debug, Clone, PartialEq)]
pub struct CutPart {
    /// Its name, and its share of that time.
    pub part: Part,
    /// All of its time: that of its row in the tree of calls.
    pub total_ns: u64,
}

/// Cuts a tree; no parts where it has no time of that kind.
pub fn cut(tree: &[CallNode], time: CallTime) -> Vec<CutPart> {
    let calls = TimedCalls::new(tree, time);
    let outermost = calls.outermost();
    let all_ns = calls.sum(&outermost);
    if all_ns == 0 {
        return Vec::new();
    }
    let least_ns = (LEAST_RATIO * all_ns as f64) as u64;
    let mut found = calls.opened(None, outermost);
    merge_and_sort(&mut found, least_ns);
    while let Some(opened) = calls.open_one(&found, least_ns) {
        found = opened;
    }
    found.truncate(MOST_PARTS);
    let parts = found.into_iter().map(|found| CutPart {
        part: Part {
            mostly: found.mostly,
            ..Part::new(found.name, found.ns as f64 / all_ns as f64)
        },
        total_ns: found.total_ns,
    });
    parts.collect()
}

/// Adds up parts of the same name, leaves out the small ones, and puts the longest first.
fn merge_and_sort(found: &mut Vec<Found>, least_ns: u64) {
    let mut merged: Vec<Found> = Vec::new();
    for one in found.drain(..) {
        match merged.iter_mut().find(|known| known.name == one.name) {
            Some(known) => {
                known.ns = known.ns.saturating_add(one.ns);
                known.total_ns = known.total_ns.saturating_add(one.total_ns);
            }
            None => merged.push(one),
        }
    }
    merged.retain(|part| part.ns >= least_ns && part.ns > 0);
    merged.sort_by_key(|part| std::cmp::Reverse(part.ns));
    *found = merged;
}

impl TimedCalls<'_> {
    /// Returns the innermost function that has nearly all of the time of these nodes, with its own nodes. What is
    /// imported on the way is no time of a caller: it is told beside.
    fn descend(
        &self,
        mut at: Option<Own>,
        mut nodes: Vec<usize>,
        imported: &mut Vec<Found>,
    ) -> (Option<Own>, Vec<usize>) {
        loop {
            let mut callees = self.callees(&nodes, at.is_none());
            let imports = self.imports(&nodes, at.as_ref());
            let imports_ns = imports.iter().map(|at| self.without_callees(*at));
            let imports_ns = imports_ns.fold(0, u64::saturating_add);
            let least = THROUGH_RATIO * self.sum(&nodes).saturating_sub(imports_ns) as f64;
            let mut longest = callees.iter();
            let longest = longest.find(|(_, nodes)| {
                let ns = self.sum(nodes);
                ns > 0 && ns as f64 >= least
            });
            let Some(own) = longest.map(|(own, _)| own.clone()) else {
                return (at, nodes);
            };
            let file = at.as_ref().map(|(_, file)| file.as_str());
            nodes = callees.remove(&own).unwrap_or_default();
            let is_beside = |at: &usize| !nodes.iter().any(|below| self.is_above(*at, *below));
            let beside = imports.into_iter().filter(is_beside);
            imported.extend(beside.map(|at| self.package_part(at, file)));
            at = Some(own);
        }
    }

    /// Returns the imports that a function makes, and the garbage collections beside it.
    fn imports(&self, nodes: &[usize], at: Option<&Own>) -> Vec<usize> {
        let packages = self.packages(nodes, at).into_iter();
        let is_beside = |at: &usize| {
            let call = &self.tree[*at].call;
            matches!(call, CallKind::Import { .. } | CallKind::Collection)
        };
        packages.filter(is_beside).collect()
    }

    /// Returns the time of what is called of a package without functions of the program that it calls.
    fn without_callees(&self, at: usize) -> u64 {
        let callees = self.callees(&[at], false);
        let called = callees.values().map(|nodes| self.sum(nodes));
        self.ns(at)
            .saturating_sub(called.fold(0, u64::saturating_add))
    }

    /// Returns the parts with the one part opened into its callees that can be: one that does little itself, where all
    /// that is long enough to be told still is.
    fn open_one(&self, found: &[Found], least_ns: u64) -> Option<Vec<Found>> {
        found.iter().enumerate().find_map(|(index, one)| {
            let opens = one.opens.clone()?;
            let callees = match &opens {
                Opens::Function(_, nodes) => self.callees(nodes, false),
                Opens::Package(at) => self.callees(&[*at], false),
            };
            let called = callees.values().map(|nodes| self.sum(nodes));
            let called_ns = called.fold(0, u64::saturating_add);
            if (called_ns as f64) < OPEN_RATIO * one.ns as f64 {
                return None;
            }
            let mut opened = match opens {
                Opens::Function(own, nodes) => self.opened(Some(own), nodes),
                Opens::Package(_) => self.functions(callees),
            };
            merge_and_sort(&mut opened, least_ns);
            let is_more = opened.len() > 1;
            let others = found.iter().enumerate().filter(|(at, _)| *at != index);
            opened.extend(others.map(|(_, one)| one.clone()));
            merge_and_sort(&mut opened, least_ns);
            (is_more && opened.len() <= MOST_PARTS).then_some(opened)
        })
    }

    /// Returns the parts that a function's time went to, after what only calls others; the function itself, where no
    /// part is long.
    fn opened(&self, at: Option<Own>, nodes: Vec<usize>) -> Vec<Found> {
        let mut found = Vec::new();
        let (at, nodes) = self.descend(at, nodes, &mut found);
        let parts = self.parts(&nodes, at.as_ref());
        let told = parts.iter().map(|part| part.ns).max().unwrap_or(0);
        match at {
            Some(own) if (told as f64) < LEAST_RATIO * self.sum(&nodes) as f64 => {
                found.push(self.function_part(own, nodes));
            }
            _ => found.extend(parts),
        }
        found
    }

    /// Returns what the time of these nodes went to: functions of the program, what is called of packages, own lines.
    fn parts(&self, nodes: &[usize], at: Option<&Own>) -> Vec<Found> {
        let mut functions = self.own_below(nodes, at.is_none());
        let mut found = Vec::new();
        let file = at.map(|(_, file)| file.as_str());
        for package in self.packages(nodes, at) {
            let least = THROUGH_RATIO * self.ns(package) as f64;
            let callee = self.longest_callee(package);
            match callee.filter(|(_, nodes)| self.sum(nodes) as f64 >= least && least > 0.0) {
                Some((own, nodes)) => functions.entry(own).or_default().extend(nodes),
                None => found.push(self.package_part(package, file)),
            }
        }
        found.extend(self.functions(functions));
        if let Some(at) = at {
            found.extend(self.own_lines(at, nodes));
        }
        found
    }

    /// Returns functions of the program as parts, each after what only calls others.
    fn functions(&self, functions: impl IntoIterator<Item = (Own, Vec<usize>)>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let each = functions.into_iter().map(|(own, nodes)| {
            let outer = (own.clone(), nodes.clone());
            let (innermost, nodes) = self.descend(Some(own), nodes, &mut found);
            (outer, (innermost, nodes))
        });
        let each: Vec<_> = each.collect();
        let is_shared = |innermost: &Option<Own>| {
            let ending = each.iter().filter(|(_, (other, _))| other == innermost);
            self.is_of_waiting() && ending.count() > 1
        };
        let parts = each.iter().filter_map(|(outer, (innermost, nodes))| {
            let (own, nodes) = if is_shared(innermost) {
                outer.clone()
            } else {
                (innermost.clone()?, nodes.clone())
            };
            Some(self.function_part(own, nodes))
        });
        let parts: Vec<Found> = parts.collect();
        found.extend(parts);
        found
    }
}

#[cfg(test)]
#[path = "tests/call_cut.rs"]
mod tests;
