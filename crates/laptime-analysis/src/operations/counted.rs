//! Rows whose operations were counted: those directly in them and those of all rows inside.
//!
//! What the program says of a lap takes the place of what was counted inside it, quantity by
//! quantity. Time is that of all spans of the row, those cut short too: what ran in these is
//! among its operations.

use laptime_core::{CostTally, Warning, path};

use super::given;
use super::stretches::Own;
use crate::device;
use crate::fields::{OPERATIONS, explain};
use crate::span_row::SpanRow;
use crate::tree::{Node, Tree};

/// Paths that a warning names.
const MOST_SHOWN: usize = 4;
const SAID_INSIDE: &str = "the program said the FLOP of a lap in it, which tells no more";
const NO_TIME: &str = "no span of this path was finished in a time that the clock can tell";
const NO_BYTES: &str = "no byte was moved";
const NONE_COUNTED: &str = "none of its operations could be counted";

/// What a path did, with everything inside.
#[derive(Debug, Clone, Default)]
pub struct Worked {
    /// Whether any of it was counted.
    pub is_counted: bool,
    /// What was counted and not said otherwise.
    counted: Own,
    /// What the program said, where it did.
    flop: Option<u128>,
    bytes: Option<u128>,
}

impl Worked {
    fn add(&mut self, inside: &Self) {
        self.is_counted |= inside.is_counted;
        self.counted.merge(&inside.counted);
        for (sum, part) in [
            (&mut self.flop, inside.flop),
            (&mut self.bytes, inside.bytes),
        ] {
            if let Some(part) = part {
                *sum = Some(sum.unwrap_or(0).saturating_add(part));
            }
        }
    }

    /// The program's word takes the place of what was counted.
    fn say(&mut self, node: &Node) {
        let Some(work) = node.tally.work.as_deref() else {
            return;
        };
        let cost = &mut self.counted.tally.cost;
        if work.flop.spans > 0 {
            self.flop = Some(work.flop.sum);
            (cost.mac, cost.active_mac, cost.executed_mac) = (0, 0, 0);
            cost.other_flop = 0;
        }
        if work.bytes.spans > 0 {
            self.bytes = Some(work.bytes.sum);
            (cost.bytes_read, cost.bytes_written) = (0, 0);
        }
    }

    fn tally(&self) -> &CostTally {
        &self.counted.tally
    }

    /// Where and on which type most of it ran.
    pub fn kind(&self) -> Option<&(String, String)> {
        self.counted.kind()
    }
}

/// What every node of a tree did, by its index.
pub fn inclusive(tree: &Tree) -> Vec<Worked> {
    let mut worked: Vec<Worked> = (0..tree.len())
        .map(|index| {
            let own = tree.node(index).own.clone();
            Worked {
                is_counted: own.tally.calls() > 0,
                counted: own,
                ..Worked::default()
            }
        })
        .collect();
    // A child's index is above its parent's: one sweep from the end reaches every ancestor.
    for index in (1..tree.len()).rev() {
        worked[index].say(tree.node(index));
        let inside = worked[index].clone();
        worked[tree.node(index).parent].add(&inside);
    }
    worked
}

/// About rows in which some operations could not be counted.
pub fn doubt(tree: &Tree, worked: &[Worked]) -> Option<Warning> {
    let partly: Vec<(String, f64)> = tree
        .in_order()
        .into_iter()
        .filter_map(|index| {
            let ratio = worked[index].tally().coverage_ratio()?;
            let names = tree.names(index);
            let path = path::join(names.iter().map(String::as_str));
            (ratio < 1.0).then_some((path, ratio))
        })
        .collect();
    let (shown, more) = partly.split_at(partly.len().min(MOST_SHOWN));
    if shown.is_empty() {
        return None;
    }
    let shown: Vec<String> = shown
        .iter()
        .map(|(path, ratio)| format!("{:.1} % of {path}'s", (ratio * 1_000.0).floor() / 10.0))
        .collect();
    let more = match more.len() {
        0 => String::new(),
        paths => format!(", and not all of {paths} other paths'"),
    };
    Some(Warning::new(
        "operations-uncounted",
        format!(
            "only {} operations were counted{more}: FLOP and rates are at least these",
            shown.join(", ")
        ),
    ))
}

/// Fills in what a row did.
pub fn fill(row: &mut SpanRow, node: &Node, worked: &Worked) {
    row.operations_coverage_ratio = worked.tally().coverage_ratio();
    let is_told = worked.flop.is_some() || worked.bytes.is_some();
    if row.operations_coverage_ratio == Some(0.0) && !is_told {
        let is_absent = |name: &&str| *name != "operations_coverage_ratio";
        return explain(row, OPERATIONS.names().filter(is_absent), NONE_COUNTED);
    }
    let cost = &worked.tally().cost;
    let said = worked.flop.unwrap_or(0);
    let flop = cost.flop().saturating_add(said);
    let total_flop = cost.total_flop().saturating_add(said);
    let executed_flop = cost.executed_flop().saturating_add(said);
    let bytes = cost.bytes().saturating_add(worked.bytes.unwrap_or(0));
    row.flop = Some(flop);
    row.total_flop = Some(total_flop);
    row.executed_flop = Some(executed_flop);
    row.bytes_moved = Some(bytes);
    if worked.flop.is_none() {
        row.mac = Some(cost.mac);
    } else {
        explain(row, ["mac"], SAID_INSIDE);
    }
    if bytes > 0 {
        row.intensity = Some(total_flop as f64 / bytes as f64);
    } else {
        explain(row, ["intensity"], NO_BYTES);
    }
    let rates = ["flop_per_s", "bytes_moved_per_s", "mfu_ratio", "hfu_ratio"];
    let total_ns = match device::work_ns(&node.on_device, node.tally.count, node.total_ns()) {
        Ok(ns) if ns > 0 && node.tally.count > 0 => ns,
        Ok(_) => return explain(row, rates, NO_TIME),
        Err(why) => return explain(row, rates, why),
    };
    let per_s = |amount: u128| Some(amount as f64 / (total_ns as f64 / 1e9));
    row.flop_per_s = per_s(flop);
    row.bytes_moved_per_s = per_s(bytes);
    // What only some spans say is over the time of those.
    if let Some(work) = node.tally.work.as_deref() {
        let per_s = |carried| given::per_s(carried, node.tally.count, &node.on_device);
        row.flop_per_s = per_s(&work.flop).or(row.flop_per_s);
        row.bytes_moved_per_s = per_s(&work.bytes).or(row.bytes_moved_per_s);
    }
}
