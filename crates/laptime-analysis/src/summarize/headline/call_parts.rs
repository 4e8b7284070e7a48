//! Parts of a program's time by what they are called: a function of the program, a line of it, a call of a package, an
//! import.

use std::collections::BTreeMap;

use crate::functions::timed_calls::{Own, TimedCalls};
use crate::summary::call_tree::CallKind;
use crate::summary::code_line::CodePlace;
use crate::summary::headline::PartName;

/// Most lines of a function that are told.
const MOST_LINES: usize = 3;
/// The least share of a function's self time that a line must have to be told.
const LINE_RATIO: f64 = 0.1;
/// The share of a function's self time that single lines must have together to be told instead of the function.
const LINES_RATIO: f64 = 0.8;

/// The part of a line's time below which the line beside it is told with it.
const NEIGHBOUR_RATIO: f64 = 0.5;

/// A part that was found.
#[derive(Clone)]
pub struct Found {
    pub name: PartName,
    pub ns: u64,
    /// The function of the program, with its nodes; `None` for what can't be opened.
    pub opens: Option<(Own, Vec<usize>)>,
}

impl TimedCalls<'_> {
    /// Returns a function of the program as one part, after what only calls others.
    pub fn function_part(&self, own: Own, nodes: Vec<usize>) -> Found {
        Found {
            name: self.name(&own, &nodes),
            ns: self.sum(&nodes),
            opens: Some((own, nodes)),
        }
    }

    /// Returns what is called of a package, without functions of the program that it calls.
    pub fn package_part(&self, at: usize, file: Option<&str>) -> Found {
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
            CallKind::Collection => PartName::Collection { place: None },
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
    pub fn own_lines(&self, own: &Own, nodes: &[usize]) -> Vec<Found> {
        let below: u64 = nodes.iter().map(|at| self.sum(self.below(*at))).sum();
        let self_ns = self.sum(nodes).saturating_sub(below);
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        for line in nodes.iter().flat_map(|at| &self.tree[*at].lines) {
            *lines.entry(line.line).or_default() += line.self_ns;
        }
        let all_ns: u64 = lines.values().sum::<u64>().max(1);
        join_neighbours(&mut lines);
        let mut longest: Vec<(u32, u64)> = lines.into_iter().collect();
        longest.sort_by_key(|(line, ns)| (std::cmp::Reverse(*ns), *line));
        longest.truncate(MOST_LINES);
        // Lines are known of working and waiting time together.
        let part = |ns: u64| (self_ns as f64 * ns as f64 / all_ns as f64) as u64;
        let is_long = |ns: u64| ns as f64 >= LINE_RATIO * all_ns as f64;
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
    pub fn name(&self, own: &Own, nodes: &[usize]) -> PartName {
        let longest = nodes.iter().max_by_key(|at| self.ns(**at));
        function(own, longest.map_or(0, |at| self.tree[*at].line))
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

fn function((name, file): &Own, line: u32) -> PartName {
    PartName::Function {
        name: name.clone(),
        place: Some(CodePlace {
            file: file.clone(),
            line,
        }),
    }
}
