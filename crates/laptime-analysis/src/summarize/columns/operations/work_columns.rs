//! The operations of a row, from whichever source has them, and reasons to doubt them.

use super::counted_work::{self, InclusiveWork, inclusive_work};
use super::declared_work;
use crate::summarize::tree::{Node, Tree};
use crate::summary::doubt::{Doubt, OperationsDoubt};
use crate::summary::fields::Group;
use crate::summary::instrumented_names::{is_counted_unit, is_observed_unit};
use crate::summary::span_row::SpanRow;

const COUNTED: &str = "its operations were being counted, which made it longer";
const PROFILED: &str = "a profiler was on, which made it longer";

/// Fills in the work of a row. Returns how many of its FLOP ran for each that the model asked for, where that
/// is known.
pub fn fill(row: &mut SpanRow, node: &Node, worked: &InclusiveWork) -> Option<f64> {
    if let Some(name) = row.names.iter().find(|name| is_observed_unit(name)) {
        let why = if is_counted_unit(name) {
            COUNTED
        } else {
            PROFILED
        };
        Group::Operations.explain(row, why);
        return None;
    }
    let work = node.tally.work.as_deref();
    if work.is_some_and(|work| work.flop.spans > 0 || work.bytes.spans > 0) && !worked.is_counted {
        declared_work::fill(row, &node.tally, &node.on_device);
    } else if worked.is_counted {
        return counted_work::fill(row, node, worked);
    }
    None
}

/// Finds reasons for doubt about what rows did.
pub fn doubts(tree: &Tree) -> impl Iterator<Item = Doubt> {
    declared_work::doubt(tree)
        .into_iter()
        .chain(counted_work::doubts(tree, &inclusive_work(tree)))
        .chain(nothing_again(tree))
}

/// Finds a run of which no row has operations, as every call ran while they were being counted.
fn nothing_again(tree: &Tree) -> Option<Doubt> {
    let is_counted = |index: &usize| {
        tree.names(*index)
            .last()
            .is_some_and(|name| is_counted_unit(name))
    };
    (!tree.has_operations() && tree.in_order().iter().any(is_counted))
        .then_some(Doubt::Operations(OperationsDoubt::CountedOnce))
}
