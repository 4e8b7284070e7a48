//! Parts of a program's time by what they are called: a function of the program, a line of it, a call of a package, an
//! import.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use laptime_core::module_below;

use crate::functions::sampled::MODULE;
use crate::functions::timed_calls::{Own, TimedCalls};
use crate::summary::call_tree::{CallKind, script_folder};
use crate::summary::code_line::CodePlace;
use crate::summary::headline::PartName;

/// Most lines of code outside of functions that are told.
const MOST_LINES: usize = 3;
/// The least share of a function's self time that a line must have to be told.
const LINE_RATIO: f64 = 0.1;
/// The share of a function's self time that a line must have, or lines of code outside of functions together, to be told
/// instead.
const LINES_RATIO: f64 = 0.8;

/// The share of a function's time that it must have itself for its longest line to stand for all of it.
const WHOLE_RATIO: f64 = 0.9;
/// The share of a package's call that a function of the program must have more of for the call to be mostly that.
const MOSTLY_RATIO: f64 = 0.5;

/// The part of a line's time below which the line beside it is told with it.
const NEIGHBOUR_RATIO: f64 = 0.5;

/// A part that was found.
#[derive(Clone)]
pub struct Found {
    pub name: PartName,
    /// The time of the kind that was asked for.
    pub ns: u64,
    /// All of its time, as its row in the tree of calls has it.
    pub total_ns: u64,
    /// The function of the program in which a package's has most of that.
    pub mostly: Option<PartName>,
    pub opens: Option<Opens>,
}

/// The inside of a part, where it can be told by what it calls.
#[derive(Clone)]
pub enum Opens {
    /// A function of the program, with its nodes.
    Function(Own, Vec<usize>),
    /// A call of a package that calls functions of the program.
    Package(usize),
}

impl TimedCalls<'_> {
    /// Returns a function of the program as one part, after what only calls others.
    pub fn function_part(&self, own: Own, nodes: Vec<usize>) -> Found {
        Found {
            name: self.name(&own, &nodes),
            ns: self.sum(&nodes),
            total_ns: self.total(&nodes),
            mostly: None,
            opens: Some(Opens::Function(own, nodes)),
        }
    }

    /// Returns what is called of a package, with the functions of the program that it calls.
    pub fn package_part(&self, at: usize, file: Option<&str>) -> Found {
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
            CallKind::Collection => PartName::Collection { place: None },
            CallKind::Own { name, .. } => PartName::Function {
                name: name.clone(),
                place,
            },
        };
        let longest = self.longest_callee(at);
        Found {
            name,
            ns: self.ns(at),
            total_ns: node.total_ns,
            opens: longest.is_some().then_some(Opens::Package(at)),
            mostly: longest
                .filter(|(_, nodes)| self.sum(nodes) as f64 > MOSTLY_RATIO * self.ns(at) as f64)
                .map(|(own, nodes)| self.name(&own, &nodes)),
        }
    }

    /// Returns the function of the program that takes longest of those that a package calls.
    pub fn longest_callee(&self, at: usize) -> Option<(Own, Vec<usize>)> {
        let callees = self.callees(&[at], false).into_iter();
        callees.max_by_key(|(_, nodes)| self.sum(nodes))
    }

    /// Returns the self time of a function: as the function, where that is nearly all of its time, by a line that has most
    /// of it, else together. Code outside of functions has no name, and is told by its lines where few have the time.
    pub fn own_lines(&self, own: &Own, nodes: &[usize]) -> Vec<Found> {
        let below = || nodes.iter().map(|at| self.below(*at));
        let called_ns: u64 = below().map(|below| self.sum(below)).sum();
        let called_total_ns: u64 = below().map(|below| self.total(below)).sum();
        let self_ns = self.sum(nodes).saturating_sub(called_ns);
        let self_total_ns = self.total(nodes).saturating_sub(called_total_ns);
        let is_whole = self_ns as f64 >= WHOLE_RATIO * self.sum(nodes) as f64;
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        for line in (nodes.iter()).flat_map(|at| self.tree[*at].lines_by(self.time)) {
            *lines.entry(line.line).or_default() += line.self_ns;
        }
        let all_ns: u64 = lines.values().sum::<u64>().max(1);
        join_neighbours(&mut lines);
        let mut longest: Vec<(u32, u64)> = lines.into_iter().collect();
        longest.sort_by_key(|(line, ns)| (Reverse(*ns), *line));
        longest.truncate(MOST_LINES);
        let part = |of_ns: u64, ns: u64| (of_ns as f64 * ns as f64 / all_ns as f64) as u64;
        let is_long = |ns: u64| ns as f64 >= LINE_RATIO * all_ns as f64;
        let first = longest.first().map_or(0, |(line, _)| *line);
        longest.retain(|(_, ns)| is_long(*ns));
        let together: u64 = longest.iter().map(|(_, ns)| *ns).sum();
        let is_few = together as f64 >= LINES_RATIO * all_ns as f64;
        let found = |name, ns, total_ns| Found {
            name,
            ns,
            total_ns,
            mostly: None,
            opens: None,
        };
        let is_script = own.0.is_empty();
        let is_named = !is_script || longest.len() == 1 || !is_few;
        if is_whole && is_named {
            let name = self.function(own, first);
            return vec![found(name, self.sum(nodes), self.total(nodes))];
        }
        let is_one = longest
            .first()
            .is_some_and(|(_, ns)| *ns as f64 >= LINES_RATIO * all_ns as f64);
        if is_one {
            longest.truncate(1);
        }
        if is_one || (is_script && is_few) {
            let lines = longest.into_iter().map(|(line, ns)| {
                let name = PartName::Line {
                    function: own.0.clone(),
                    place: place(own, line),
                };
                found(name, part(self_ns, ns), part(self_total_ns, ns))
            });
            return lines.collect();
        }
        let name = PartName::Itself {
            function: own.0.clone(),
            place: place(own, first),
        };
        vec![found(name, self_ns, self_total_ns)]
    }

    /// Returns a function of the program, and the line in which most of its time went by.
    pub fn name(&self, own: &Own, nodes: &[usize]) -> PartName {
        let longest = nodes.iter().max_by_key(|at| {
            let node = &self.tree[**at];
            (self.ns(**at), Reverse(node.line))
        });
        self.function(
            own,
            longest.map_or(0, |at| self.tree[*at].line_by(self.time)),
        )
    }

    /// Names a function of the program, or the import of a module of it, at a line.
    fn function(&self, own: &Own, line: u32) -> PartName {
        let place = Some(place(own, line));
        if own.0 == MODULE {
            let folder = script_folder(self.tree.iter().map(|node| &node.call));
            let module = module_below(folder, &own.1);
            return PartName::Import { module, place };
        }
        PartName::Function {
            name: own.0.clone(),
            place,
        }
    }
}

/// Adds the time of a line to that of the one right above or below where it is much less: the head of a loop and its body
/// are one place.
fn join_neighbours(lines: &mut BTreeMap<u32, u64>) {
    let own = lines.clone();
    let mut shortest_first: Vec<(u32, u64)> = own.iter().map(|(line, ns)| (*line, *ns)).collect();
    shortest_first.sort_by_key(|(_, ns)| *ns);
    for (line, ns) in shortest_first {
        let beside = [line.wrapping_sub(1), line.wrapping_add(1)].into_iter();
        let longer = beside
            .max_by_key(|beside| own.get(beside))
            .filter(|beside| {
                let beside_ns = own.get(beside).copied().unwrap_or(0);
                (ns as f64) < NEIGHBOUR_RATIO * beside_ns as f64
            });
        // What a line was given by one still shorter goes on with it.
        if let Some(longer) = longer
            && let Some(ns) = lines.remove(&line)
        {
            *lines.entry(longer).or_default() += ns;
        }
    }
}

fn place((_, file): &Own, line: u32) -> CodePlace {
    CodePlace {
        file: file.clone(),
        line,
    }
}
