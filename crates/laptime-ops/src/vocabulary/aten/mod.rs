//! `PyTorch`'s own operators, as its dispatcher names them, overloads left aside.
//!
//! Argument names are those of `native_functions.yaml`. In-place, `out=` and `_foreach_` variants
//! cost what their plain form costs, each tensor of a list alike.

mod attention;
pub(super) mod convolution;
mod elementwise;
mod fourier;
mod linear_algebra;
mod lookup;
mod loss;
pub(super) mod matmul;
mod movement;
mod normalization;
mod optimizer;
mod pooling;
mod recurrent;
mod reduction;
mod softmax;
mod sorting;
mod transformer;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::table::{Dialect, Entry, Rule, functions, reductions};
use crate::event::Event;
use crate::outcome::Outcome;

/// The tables of `aten`, by the family that the operators are of.
pub const TABLES: &[(&str, &[Entry])] = &[
    ("matrix products", matmul::TABLE),
    ("convolution", convolution::TABLE),
    ("attention", attention::TABLE),
    ("transformers", transformer::TABLE),
    ("recurrent layers", recurrent::TABLE),
    ("elementwise", elementwise::TABLE),
    ("reduction", reduction::TABLE),
    ("softmax", softmax::TABLE),
    ("normalisation", normalization::TABLE),
    ("pooling", pooling::TABLE),
    ("losses", loss::TABLE),
    ("optimizers", optimizer::TABLE),
    ("look-up", lookup::TABLE),
    ("sorting", sorting::TABLE),
    ("Fourier transforms", fourier::TABLE),
    ("linear algebra", linear_algebra::TABLE),
    ("movement", movement::TABLE),
];

/// Every entry with its family. What stands in two is counted by the first.
pub fn entries() -> impl Iterator<Item = (&'static str, Entry)> {
    let tables = TABLES
        .iter()
        .flat_map(|&(family, entries)| entries.iter().map(move |&entry| (family, entry)));
    tables
        .chain(functions().map(|entry| ("elementwise", entry)))
        .chain(reductions().map(|entry| ("reduction", entry)))
}

/// Why what a call is counted as may be too high.
pub fn doubt(event: &Event) -> Option<&'static str> {
    matmul::doubt(event)
}

static DIALECT: LazyLock<Dialect> =
    LazyLock::new(|| Dialect::new(entries().map(|(_, entry)| entry)));

/// How an operator is counted. `None`: it isn't known.
pub fn rule(name: &str) -> Option<Rule> {
    DIALECT.rule(name)
}

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if event.signature.is_view {
        return Some(Outcome::NOTHING);
    }
    rule(name).map(|rule| rule.outcome(event))
}
