//! `PyTorch`'s own operators, as its dispatcher names them, overloads left aside.
//!
//! Argument names are those of `native_functions.yaml`. In-place, `out=` and `_foreach_` variants
//! cost what their plain form costs, each tensor of a list alike.

mod attention;
mod convolution;
mod elementwise;
mod lookup;
mod matmul;
mod movement;
mod normalization;
mod pooling;
mod reduction;
mod softmax;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::table::{Dialect, Entry};
use crate::event::Event;
use crate::outcome::Outcome;

/// Its tables, by the family that the operators are of.
pub const TABLES: &[(&str, &[Entry])] = &[
    ("matrix products", matmul::TABLE),
    ("convolution", convolution::TABLE),
    ("attention", attention::TABLE),
    ("elementwise", elementwise::TABLE),
    ("reduction", reduction::TABLE),
    ("softmax", softmax::TABLE),
    ("normalisation", normalization::TABLE),
    ("pooling", pooling::TABLE),
    ("look-up", lookup::TABLE),
    ("movement", movement::TABLE),
];

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    let tables = TABLES
        .iter()
        .flat_map(|(_, entries)| entries.iter().copied());
    Dialect::new(
        tables
            .chain(elementwise::entries())
            .chain(reduction::entries()),
    )
});

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if event.signature.is_view {
        return Some(Outcome::NOTHING);
    }
    DIALECT.rule(name).map(|rule| rule.outcome(event))
}
