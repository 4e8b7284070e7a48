//! Operations of burn, as its intermediate representation (`burn-ir` 0.22) names them, in lower
//! case: `Module(Conv2dXBackward { .. })` is `conv2d_x_backward`.
//!
//! Arguments have the names of the representation's fields; those of `options` are among them.

mod elements;
mod movement;
mod products;
mod windows;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::table::{Dialect, Entry, each, reduce};
use crate::event::Event;
use crate::family::{elementwise, reduction};
use crate::outcome::Outcome;

/// burn's tables, by the family that the operations are of.
pub const TABLES: &[(&str, &[Entry])] = &[
    ("products", products::TABLE),
    ("elements and reductions", elements::TABLE),
    ("windows", windows::TABLE),
    ("look-up and movement", movement::TABLE),
];

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    let tables = TABLES
        .iter()
        .flat_map(|(_, entries)| entries.iter().copied());
    let functions = elementwise::TABLE
        .iter()
        .map(|&(names, work)| each(names, work));
    let reductions = reduction::TABLE
        .iter()
        .map(|&(names, each, last)| reduce(names, each, last));
    // `max` and `min` of burn reduce; those of two tensors have other names.
    Dialect::new(tables.chain(reductions).chain(functions))
});

/// What one call costs. `None`: the operation isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    DIALECT.rule(name).map(|rule| rule.outcome(event))
}
