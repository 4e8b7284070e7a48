//! What the operators of each dialect mean: from names and arguments to a family's sizes.

use crate::event::Event;
use crate::outcome::Outcome;

pub mod aten;
pub mod jax;
pub mod table;

/// What one call of an event costs, by its dialect.
pub fn outcome(event: &Event) -> Outcome {
    let name = &event.signature.name;
    let (dialect, name) = name.split_once("::").unwrap_or(("", name));
    let known = match dialect {
        "aten" => aten::outcome(name, event),
        "jax" => jax::outcome(name, event),
        _ => None,
    };
    known.unwrap_or_else(|| Outcome::uncounted("no formula for it is known"))
}
