//! The function of the program that some time is mostly in, with all that it calls.
//!
//! What takes the time is often a function of a package; what can be changed is the line of the program that calls it.

use std::collections::{BTreeSet, HashMap};

use crate::functions::timed_calls::{Own, TimedCalls};
use crate::summary::call_time::CallTime;
use crate::summary::call_tree::{CallNode, merge};
use crate::summary::finding::MainFunction;
use crate::summary::functions::{Functions, LapFunctions};
use crate::summary::span_row::RowKind;

/// The part of the time that a function must have more of.
const MOST_RATIO: f64 = 0.5;
/// The part of a lap that a function has which the lap is opened in.
const AROUND_RATIO: f64 = 0.9;
/// The least number of samples of a lap that tells what it is opened in.
const LEAST_SAMPLES: u64 = 3;
/// The name of a module's code.
const MODULE: &str = "<module>";

/// Returns the innermost function of the program that has most of `all_ns`, leaving out those that laps are opened in.
pub fn innermost<'f>(
    laps: impl IntoIterator<Item = &'f LapFunctions>,
    time: CallTime,
    all_ns: u64,
    around: &BTreeSet<Own>,
) -> Option<MainFunction> {
    let tree = merge(laps.into_iter().map(|lap| lap.calls.as_slice()));
    let calls = TimedCalls::new(&tree, time);
    let (mut at, mut nodes) = (None, calls.outermost());
    let mut found = None;
    loop {
        let callees = calls.callees(&nodes, at.is_none());
        let longest = callees
            .into_iter()
            .max_by_key(|(_, nodes)| calls.sum(nodes));
        let Some((own, below)) = longest else { break };
        let ratio = calls.sum(&below) as f64 / all_ns.max(1) as f64;
        if ratio <= MOST_RATIO {
            break;
        }
        if !around.contains(&own) {
            found = Some(told(&own, line(&tree, &below, time), ratio.min(1.0)));
        }
        (at, nodes) = (Some(own), below);
    }
    found
}

/// Returns the functions that the laps of one kind are opened in: nearly all of each lap's time is in them. No function
/// where there is only one lap.
pub fn around_laps(functions: &Functions, path: &str) -> BTreeSet<Own> {
    let outermost = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let is_near = |lap: &&LapFunctions| {
        lap.kind == RowKind::Span
            && lap.sample_count >= LEAST_SAMPLES
            && outermost(&lap.path) == outermost(path)
    };
    let laps: Vec<&LapFunctions> = functions.laps.iter().filter(is_near).collect();
    if laps.len() < 2 {
        return BTreeSet::new();
    }
    let mut counts: HashMap<Own, usize> = HashMap::new();
    for lap in &laps {
        let mut times: HashMap<Own, u64> = HashMap::new();
        for node in &lap.calls {
            if let Some((name, file)) = node.call.own() {
                *times.entry((name.to_owned(), file.to_owned())).or_default() += node.total_ns;
            }
        }
        let in_functions_ns = lap.total_ns.saturating_sub(lap.collected_ns());
        let least = AROUND_RATIO * in_functions_ns as f64;
        for (own, _) in times.into_iter().filter(|(_, ns)| *ns as f64 >= least) {
            *counts.entry(own).or_default() += 1;
        }
    }
    let all = counts.into_iter().filter(|(_, count)| *count == laps.len());
    all.map(|(own, _)| own).collect()
}

fn line(tree: &[CallNode], nodes: &[usize], time: CallTime) -> u32 {
    let nodes = nodes.iter().map(|at| &tree[*at]);
    let longest = nodes.max_by_key(|node| time.of(node.total_ns, node.waiting_ns));
    longest.map_or(0, |node| node.line_by(time))
}

fn told((name, file): &Own, line: u32, ratio: f64) -> MainFunction {
    let name = if name.is_empty() { MODULE } else { name };
    MainFunction {
        name: name.to_owned(),
        file: file.clone(),
        line,
        ratio,
        awaited: None,
    }
}
