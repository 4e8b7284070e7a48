//! ONNX's operators, and those of `com.microsoft` that exporters and optimisers leave.
//!
//! Names of inputs are those of the standard, followed by the attributes'. What a shape is computed
//! by is counted as what it is: integer operations.

pub mod attention;
mod einsum;
mod elementwise;
mod image;
mod inputs;
mod movement;
mod normalization;
mod product;
mod recurrent;
mod reduction;
mod transform;

use std::sync::LazyLock;

use super::table::{Dialect, Entry, Rule};
use crate::event::{Argument, Event};
use crate::outcome::Outcome;

pub use inputs::input_names;

/// The argument that says why a call's sizes aren't known.
pub const UNKNOWN: &str = "why its sizes are not known";

/// The tables of the standard, those aside whose formulas the families have under other names.
pub const TABLES: &[&[Entry]] = &[
    product::TABLE,
    attention::TABLE,
    recurrent::TABLE,
    elementwise::TABLE,
    reduction::TABLE,
    normalization::TABLE,
    image::TABLE,
    transform::TABLE,
    movement::TABLE,
];

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    let more = elementwise::entries().chain(reduction::entries());
    Dialect::new(TABLES.concat().into_iter().chain(more))
});

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    let rule = DIALECT.rule(name);
    match event.get(UNKNOWN) {
        // Whatever the sizes are, it does nothing with them.
        Argument::Text(_) if rule.is_some_and(Rule::is_nothing) => Some(Outcome::NOTHING),
        Argument::Text(why) => Some(Outcome::uncounted(why.clone())),
        _ => rule.map(|rule| rule.outcome(event)),
    }
}
