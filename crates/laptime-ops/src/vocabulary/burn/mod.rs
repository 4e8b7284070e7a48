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

use super::table::{Dialect, Entry, functions, reductions};

/// The tables of burn's own names.
pub const TABLES: &[&[Entry]] = &[
    products::TABLE,
    elements::TABLE,
    windows::TABLE,
    movement::TABLE,
];

/// burn's dialect.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    // `max` and `min` of burn reduce; those of two tensors have other names.
    Dialect::new(
        TABLES
            .concat()
            .into_iter()
            .chain(reductions())
            .chain(functions()),
    )
});
