//! Operations joined with time: what rows did, and how close that is to the machine.
//!
//! Two sources: what the program says of its own laps ([`given`]), and what was counted once of
//! every stretch and told again with each of its runs ([`stretches`], [`counted`]). A row's
//! operations are those of its own and of all rows inside. Rates are compared with what
//! the recording says of the machine ([`peaks`]).

mod counted;
mod given;
pub mod left_out;
pub mod left_out_pass;
mod peaks;
pub mod stretches;

use laptime_core::Warning;

pub use counted::{Worked, inclusive};
use peaks::was_counted;
pub use peaks::{ABOVE_RATIO, Peaks, is_aside, summary};

use crate::summarize::tree::{Node, Tree};
use crate::summary::fields::Group;
use crate::summary::span_row::SpanRow;

pub use laptime_core::ceilings::NOTE as CEILINGS;

/// Says how many shapes of a process a formula told, and how many were counted to find and check it.
pub const TOLD: &str = "operations.told";

const COUNTED: &str = "its operations were being counted, which made it longer";
const PROFILED: &str = "a profiler was on, which made it longer";

/// Fills in what a row did. Gives back how many of its FLOP ran for each that the model asked for, where that is known.
pub fn fill(row: &mut SpanRow, node: &Node, worked: &Worked) -> Option<f64> {
    if let Some(name) = row.names.iter().find(|name| is_aside(name)) {
        let why = if was_counted(name) { COUNTED } else { PROFILED };
        Group::Operations.explain(row, why);
        return None;
    }
    let work = node.tally.work.as_deref();
    if work.is_some_and(|work| work.flop.spans > 0 || work.bytes.spans > 0) && !worked.is_counted {
        given::fill(row, &node.tally, &node.on_device);
    } else if worked.is_counted {
        return counted::fill(row, node, worked);
    }
    None
}

/// Reasons for doubt about what rows did.
pub fn doubts(tree: &Tree) -> impl Iterator<Item = Warning> {
    given::doubt(tree)
        .into_iter()
        .chain(counted::doubts(tree, &inclusive(tree)))
        .chain(nothing_again(tree))
}

/// No row has operations where every call ran while they were being counted.
fn nothing_again(tree: &Tree) -> Option<Warning> {
    let is_counted = |index: &usize| {
        tree.names(*index)
            .last()
            .is_some_and(|name| was_counted(name))
    };
    (!tree.has_operations() && tree.in_order().iter().any(is_counted)).then(|| {
        Warning::new(
            "operations-once",
            "no row has FLOP: each call of the model ran while its operations were being counted, which is slower. \
             The laps after that have FLOP: let the program do the same again, or count the model alone \
             (lt.count(model, inputs), laptime ops)",
        )
    })
}

#[cfg(test)]
mod tests;
