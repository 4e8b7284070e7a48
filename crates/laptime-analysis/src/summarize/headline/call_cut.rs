//! A cut through the tree of calls: the few functions that took the time of a program, none of them below another.
//!
//! From the root down it follows the one function of the program that has nearly all of its caller's time. What remains
//! there are its callees, what it calls of packages by the line that does, and lines of its own.

use std::collections::BTreeMap;

use crate::summary::call_tree::{CallKind, CallNode, children};
use crate::summary::functions::CodePlace;
use crate::summary::headline::{Part, PartName};

/// The share of its caller that a function has for the caller to be passed through.
const THROUGH_RATIO: f64 = 0.9;
/// The least share of all that is told.
const LEAST_RATIO: f64 = 0.1;
/// Most parts that are told.
const MOST_PARTS: usize = 3;
/// The share of a function that functions of the program below it must have for it to be told by these.
const OPEN_RATIO: f64 = 0.8;
/// The share of a function's self time that single lines must have together to be told instead of the function.
const LINES_RATIO: f64 = 0.8;

/// The time of calls that a cut is made through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutTime {
    /// The time in which threads worked.
    Working,
    /// The time in which they waited.
    Waiting,
}

/// Cuts a tree; no parts where it has no time of that kind.
pub fn cut(tree: &[CallNode], time: CutTime) -> Vec<Part> {
    let cutter = Cutter::new(tree, time);
    let outermost = cutter.outermost();
    let all_ns = cutter.sum(&outermost);
    if all_ns == 0 {
        return Vec::new();
    }
    let least_ns = (LEAST_RATIO * all_ns as f64) as u64;
    let mut found = cutter.opened(None, outermost);
    merge_and_sort(&mut found, least_ns);
    while let Some(opened) = cutter.open_one(&found, least_ns) {
        found = opened;
    }
    found.truncate(MOST_PARTS);
    let parts = found.into_iter().map(|found| Part {
        name: found.name,
        ratio: found.ns as f64 / all_ns as f64,
        is_several_at_once: false,
    });
    parts.collect()
}

/// A function of the program, by name and file.
type Own = (String, String);

/// A part that was found.
#[derive(Clone)]
struct Found {
    name: PartName,
    ns: u64,
    /// The function of the program, with its nodes; `None` for what can't be opened.
    opens: Option<(Own, Vec<usize>)>,
}

/// Adds up parts of the same name, leaves out the small ones, and puts the longest first.
fn merge_and_sort(found: &mut Vec<Found>, least_ns: u64) {
    let mut merged: Vec<Found> = Vec::new();
    for one in found.drain(..) {
        match merged.iter_mut().find(|known| known.name == one.name) {
            Some(known) => known.ns = known.ns.saturating_add(one.ns),
            None => merged.push(one),
        }
    }
    merged.retain(|part| part.ns >= least_ns && part.ns > 0);
    merged.sort_by_key(|part| std::cmp::Reverse(part.ns));
    *found = merged;
}

/// A tree with the time of each node that counts.
struct Cutter<'t> {
    tree: &'t [CallNode],
    children: std::collections::HashMap<Option<usize>, Vec<usize>>,
    time: CutTime,
}

impl<'t> Cutter<'t> {
    fn new(tree: &'t [CallNode], time: CutTime) -> Self {
        Self {
            tree,
            children: children(tree),
            time,
        }
    }

    fn outermost(&self) -> Vec<usize> {
        self.children.get(&None).cloned().unwrap_or_default()
    }

    fn below(&self, at: usize) -> &[usize] {
        self.children.get(&Some(at)).map_or(&[], Vec::as_slice)
    }

    fn ns(&self, at: usize) -> u64 {
        match self.time {
            CutTime::Working => self.tree[at].running_ns(),
            CutTime::Waiting => self.tree[at].waiting_ns,
        }
    }

    fn sum(&self, nodes: &[usize]) -> u64 {
        nodes
            .iter()
            .map(|at| self.ns(*at))
            .fold(0, u64::saturating_add)
    }

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
            let imports_ns = imports
                .iter()
                .map(|one| one.ns)
                .fold(0, u64::saturating_add);
            let least = THROUGH_RATIO * self.sum(&nodes).saturating_sub(imports_ns) as f64;
            let mut longest = callees.iter();
            let longest = longest.find(|(_, nodes)| {
                let ns = self.sum(nodes);
                ns > 0 && ns as f64 >= least
            });
            let Some(own) = longest.map(|(own, _)| own.clone()) else {
                return (at, nodes);
            };
            imported.extend(imports);
            nodes = callees.remove(&own).unwrap_or_default();
            at = Some(own);
        }
    }

    /// Returns the imports that a function makes.
    fn imports(&self, nodes: &[usize], at: Option<&Own>) -> Vec<Found> {
        let packages = self.packages(nodes, at).into_iter();
        let file = at.map(|(_, file)| file.as_str());
        let imports = packages.filter(|at| matches!(self.tree[*at].call, CallKind::Import { .. }));
        imports.map(|at| self.package_part(at, file)).collect()
    }

    /// Returns what a function calls of packages; of the outermost nodes those that are none of the program's.
    fn packages(&self, nodes: &[usize], at: Option<&Own>) -> Vec<usize> {
        let below = |at: &usize| self.below(*at).iter().copied();
        let called: Vec<usize> = match at {
            Some(_) => nodes.iter().flat_map(below).collect(),
            None => nodes.to_vec(),
        };
        let is_package = |at: &usize| self.tree[*at].call.own().is_none();
        called.into_iter().filter(is_package).collect()
    }

    /// Returns the parts with the one part opened into its callees that can be: one that does little itself, where all
    /// that is long enough to be told still is.
    fn open_one(&self, found: &[Found], least_ns: u64) -> Option<Vec<Found>> {
        found.iter().enumerate().find_map(|(index, one)| {
            let (own, nodes) = one.opens.clone()?;
            let callees = self.callees(&nodes, false);
            let called = callees.values().map(|nodes| self.sum(nodes));
            let called_ns = called.fold(0, u64::saturating_add);
            if (called_ns as f64) < OPEN_RATIO * one.ns as f64 {
                return None;
            }
            let mut opened = self.opened(Some(own), nodes);
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

    /// Returns a function of the program as one part, after what only calls others.
    fn function_part(&self, own: Own, nodes: Vec<usize>) -> Found {
        Found {
            name: self.name(&own, &nodes),
            ns: self.sum(&nodes),
            opens: Some((own, nodes)),
        }
    }

    /// Returns the functions of the program that nodes call, straight or through packages; of the outermost nodes
    /// themselves.
    fn callees(&self, nodes: &[usize], is_root: bool) -> BTreeMap<Own, Vec<usize>> {
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

    /// Returns what the time of these nodes went to: functions of the program, what is called of packages, own lines.
    fn parts(&self, nodes: &[usize], at: Option<&Own>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (own, nodes) in self.callees(nodes, at.is_none()) {
            let (innermost, nodes) = self.descend(Some(own), nodes, &mut found);
            found.extend(innermost.map(|own| self.function_part(own, nodes)));
        }
        let file = at.map(|(_, file)| file.as_str());
        let packages = self.packages(nodes, at).into_iter();
        found.extend(packages.map(|at| self.package_part(at, file)));
        if let Some(at) = at {
            found.extend(self.own_lines(at, nodes));
        }
        found
    }

    /// Returns what is called of a package, without functions of the program that it calls.
    fn package_part(&self, at: usize, file: Option<&str>) -> Found {
        let own: u64 = self
            .callees(&[at], false)
            .values()
            .map(|nodes| self.sum(nodes))
            .sum();
        let node = &self.tree[at];
        let place = file.filter(|_| node.line > 0).map(|file| CodePlace {
            file: file.to_owned(),
            line: node.line,
        });
        let name = match &node.call {
            CallKind::Import { module } => PartName::Import {
                module: module.clone(),
                place,
            },
            CallKind::Library { name, package } => PartName::Called {
                name: name.clone(),
                package: package.clone(),
                place,
            },
            CallKind::Own { name, .. } => PartName::Function {
                name: name.clone(),
                place,
            },
        };
        Found {
            name,
            ns: self.ns(at).saturating_sub(own),
            opens: None,
        }
    }

    /// Returns the self time of a function: by line where few lines have it, else together.
    fn own_lines(&self, own: &Own, nodes: &[usize]) -> Vec<Found> {
        let below: u64 = nodes.iter().map(|at| self.sum(self.below(*at))).sum();
        let self_ns = self.sum(nodes).saturating_sub(below);
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        for line in nodes.iter().flat_map(|at| &self.tree[*at].lines) {
            *lines.entry(line.line).or_default() += line.self_ns;
        }
        let all_ns: u64 = lines.values().sum::<u64>().max(1);
        let mut longest: Vec<(u32, u64)> = lines.into_iter().collect();
        longest.sort_by_key(|(line, ns)| (std::cmp::Reverse(*ns), *line));
        longest.truncate(MOST_PARTS);
        // Lines are known of working and waiting time together.
        let part = |ns: u64| (self_ns as f64 * ns as f64 / all_ns as f64) as u64;
        let is_long = |ns: u64| ns as f64 >= LEAST_RATIO * all_ns as f64;
        longest.retain(|(_, ns)| is_long(*ns));
        let together: u64 = longest.iter().map(|(_, ns)| *ns).sum();
        if together as f64 >= LINES_RATIO * all_ns as f64 {
            let lines = longest.into_iter();
            return lines
                .map(|(line, ns)| Found {
                    name: function(own, line),
                    ns: part(ns),
                    opens: None,
                })
                .collect();
        }
        let line = longest.first().map_or(0, |(line, _)| *line);
        vec![Found {
            name: function(own, line),
            ns: self_ns,
            opens: None,
        }]
    }

    /// Returns a function of the program, and the line in which most of its time went by.
    fn name(&self, own: &Own, nodes: &[usize]) -> PartName {
        let longest = nodes.iter().max_by_key(|at| self.ns(**at));
        function(own, longest.map_or(0, |at| self.tree[*at].line))
    }
}

fn function((name, file): &Own, line: u32) -> PartName {
    PartName::Function {
        name: name.clone(),
        place: Some(CodePlace {
            file: file.clone(),
            line,
        }),
    }
}

#[cfg(test)]
#[path = "tests/call_cut.rs"]
mod tests;
