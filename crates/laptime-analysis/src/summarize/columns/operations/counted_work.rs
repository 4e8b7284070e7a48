//! Rows whose operations were counted: directly in them and in all rows inside.
//!
//! What the program says of a lap takes the place of what was counted inside it, quantity by
//! quantity. Time is that of all spans of the row, those cut short too: what ran in these is
//! among its operations.

use laptime_core::{Cost, CostTally, path};

use super::declared_work;
use super::stretch_operations::DirectOperations;
use crate::summarize::columns::device_time;
use crate::summarize::tree::{Node, Tree};
use crate::summary::doubt::{Doubt, OperationsDoubt, PartlyCounted, PathPart};
use crate::summary::fields::{Group, explain};
use crate::summary::span_row::SpanRow;
use crate::summary::sparse_box::SparseBox;

const SAID_INSIDE: &str = "the program said the FLOP of a lap in it, which tells no more";
const NO_TIME: &str = "no span of this path was finished in a time that the clock can tell";
const NO_BYTES: &str = "no byte was moved";
const LEFT_OUT: &str = "calls ran in some of its spans whose operations are not known, and the time of the others is not \
                        known by itself";
const LEFT_OUT_IN_ALL: &str = "in each of its spans calls ran whose operations are not known";
const NONE_COUNTED: &str = "none of its operations could be counted";

/// Work of a path, with everything inside.
#[derive(Debug, Clone, Default)]
pub struct InclusiveWork {
    /// Whether any of it was counted.
    pub is_counted: bool,
    /// Operations that were counted, without quantities that the program gave.
    counted: SparseBox<DirectOperations>,
    /// FLOP that the program gave, where it did.
    flop: Option<u128>,
    bytes: Option<u128>,
}

impl InclusiveWork {
    fn add(&mut self, inside: &Self) {
        self.is_counted |= inside.is_counted;
        if inside.counted.is_there() {
            self.counted.merge(&inside.counted);
        }
        for (sum, part) in [
            (&mut self.flop, inside.flop),
            (&mut self.bytes, inside.bytes),
        ] {
            if let Some(part) = part {
                *sum = Some(sum.unwrap_or(0).saturating_add(part));
            }
        }
    }

    /// Puts the quantities that the program gave in the place of counted ones.
    fn take_given(&mut self, node: &Node) {
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

    /// Returns on which device and type most of it ran.
    pub fn kind(&self) -> Option<&(String, String)> {
        self.counted.kind()
    }
}

/// Returns the work of every node of a tree, by its index.
pub fn inclusive_work(tree: &Tree) -> Vec<InclusiveWork> {
    let mut worked: Vec<InclusiveWork> = (0..tree.len())
        .map(|index| {
            let operations = tree.node(index).operations.clone();
            InclusiveWork {
                is_counted: operations.tally.calls() > 0,
                counted: operations,
                ..InclusiveWork::default()
            }
        })
        .collect();
    // A child's index is above its parent's: one sweep from the end reaches every ancestor.
    for index in (1..tree.len()).rev() {
        worked[index].take_given(tree.node(index));
        let inside = worked[index].clone();
        worked[tree.node(index).parent].add(&inside);
    }
    // What runs no operator inside of a call that was counted did nothing: that is known.
    let mut is_within = vec![false; tree.len()];
    for index in 1..tree.len() {
        let node = tree.node(index);
        let is_call = node.operations.known_runs > 0;
        is_within[index] = (is_call || is_within[node.parent]) && node.operations.left_out == 0;
        worked[index].is_counted |= is_within[index];
    }
    worked
}

/// Finds rows of which not all operations are known: calls that are left out, and operators that have no formula.
pub fn doubts(tree: &Tree, worked: &[InclusiveWork]) -> impl Iterator<Item = Doubt> + use<> {
    let path = |index: usize| {
        let names = tree.names(index);
        path::join(names.iter().map(String::as_str))
    };
    let (mut left_out, mut partly) = (Vec::new(), Vec::new());
    for index in tree.in_order() {
        let (node, tally) = (tree.node(index), worked[index].tally());
        if node.left_out.count > 0 {
            left_out.push(PathPart {
                path: path(index),
                count: node.left_out.count,
                span_count: node.tally.count,
            });
        } else if let Some(coverage_ratio) = tally.coverage_ratio().filter(|ratio| *ratio < 1.0) {
            partly.push(PartlyCounted {
                path: path(index),
                coverage_ratio,
            });
        }
    }
    let left_out =
        (!left_out.is_empty()).then_some(OperationsDoubt::CallsLeftOut { paths: left_out });
    let partly = (!partly.is_empty()).then_some(OperationsDoubt::PartlyCounted { paths: partly });
    left_out.into_iter().chain(partly).map(Doubt::Operations)
}

/// Fills in the work of a row. Returns how many of its FLOP ran for each that the model asked for.
pub fn fill(row: &mut SpanRow, node: &Node, worked: &InclusiveWork) -> Option<f64> {
    row.work.operations_coverage_ratio = worked.tally().coverage_ratio();
    let is_told = worked.flop.is_some() || worked.bytes.is_some();
    if row.work.operations_coverage_ratio == Some(0.0) && !is_told {
        let is_absent = |name: &&str| *name != "operations_coverage_ratio";
        explain(
            row,
            Group::Operations.names().filter(is_absent),
            NONE_COUNTED,
        );
        return None;
    }
    let cost = &worked.tally().cost;
    let said = worked.flop.unwrap_or(0);
    let total_flop = cost.total_flop().saturating_add(said);
    let bytes = cost.bytes().saturating_add(worked.bytes.unwrap_or(0));
    row.work.flop = Some(cost.flop().saturating_add(said));
    row.work.total_flop = Some(total_flop);
    row.work.executed_flop = Some(cost.executed_flop().saturating_add(said));
    row.work.bytes_moved = Some(bytes);
    if worked.flop.is_none() {
        row.work.mac = Some(cost.mac);
    } else {
        explain(row, ["mac"], SAID_INSIDE);
    }
    if bytes > 0 {
        row.work.intensity = Some(total_flop as f64 / bytes as f64);
    } else {
        explain(row, ["intensity"], NO_BYTES);
    }
    let known = match CompleteSpans::of_node(node, worked) {
        Ok(known) => known,
        Err(why) => {
            let rates = ["flop_per_s", "bytes_moved_per_s", "mfu_ratio", "hfu_ratio"];
            explain(row, rates, why);
            return None;
        }
    };
    let per_s = |amount: u128| Some(amount as f64 / (known.total_ns as f64 / 1e9));
    row.work.flop_per_s = per_s(known.flop);
    row.work.bytes_moved_per_s = per_s(known.bytes);
    // What only some spans say is over the time of those.
    if let Some(work) = node.tally.work.as_deref() {
        let per_s = |carried| declared_work::per_s(carried, node.tally.count, &node.on_device);
        row.work.flop_per_s = per_s(&work.flop).or(row.work.flop_per_s);
        row.work.bytes_moved_per_s = per_s(&work.bytes).or(row.work.bytes_moved_per_s);
    }
    (known.flop > 0).then(|| known.executed_flop as f64 / known.flop as f64)
}

/// Work and time of the spans of a row in which no call is left out.
struct CompleteSpans {
    total_ns: u64,
    flop: u128,
    executed_flop: u128,
    bytes: u128,
}

impl CompleteSpans {
    fn of_node(node: &Node, worked: &InclusiveWork) -> Result<Self, &'static str> {
        let (left_out, counted) = (&node.left_out, &worked.counted);
        let is_said = worked.flop.is_some() || worked.bytes.is_some();
        // What a program says in a span, and what a device tells, isn't known by whether a call is left out.
        let is_known = counted.left_out == left_out.operations.left_out && !is_said;
        if counted.left_out > 0 && (!is_known || device_time::is_told(&node.on_device)) {
            return Err(LEFT_OUT);
        }
        let host_ns = node.total_ns().saturating_sub(left_out.total_ns);
        let total_ns = device_time::work_ns(&node.on_device, node.tally.count, host_ns)?;
        if node.tally.count == 0 || total_ns == 0 {
            return Err(if left_out.count > 0 {
                LEFT_OUT_IN_ALL
            } else {
                NO_TIME
            });
        }
        let (all, without) = (&counted.tally.cost, &left_out.operations.tally.cost);
        let said = worked.flop.unwrap_or(0);
        let flop = |of: fn(&Cost) -> u128| of(all).saturating_sub(of(without)).saturating_add(said);
        Ok(Self {
            total_ns,
            flop: flop(Cost::flop),
            executed_flop: flop(Cost::executed_flop),
            bytes: all
                .bytes()
                .saturating_sub(without.bytes())
                .saturating_add(worked.bytes.unwrap_or(0)),
        })
    }
}
