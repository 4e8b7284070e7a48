//! `dot_general` and its ragged form.
//!
//! Source: the definitions of `jax.lax.dot_general` and `jax.lax.ragged_dot_general`: each
//! element of the result is a sum over the contracted dimensions; rows are grouped, so each meets
//! one group's matrix.

use crate::event::Event;
use crate::family::matmul;
use crate::outcome::Outcome;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    match name {
        "dot_general" => Some(dense(event)),
        "ragged_dot_general" => Some(ragged(event)),
        _ => None,
    }
}

fn dense(event: &Event) -> Outcome {
    counted(event, contracted(event, "dimension_numbers.0.0"), 1)
}

/// Rows that are in no group are counted as if they were: how many there are is data.
fn ragged(event: &Event) -> Outcome {
    const NUMBERS: &str = "ragged_dot_dimension_numbers.dot_dimension_numbers.0.0";
    let ragged = event.ints("ragged_dot_dimension_numbers.lhs_ragged_dimensions");
    let over = event.ints(NUMBERS).unwrap_or_default();
    // Where what is summed over is grouped, each group's result is a sum over its own part.
    let groups = match (ragged, event.inputs().nth(2)) {
        (Some([ragged, ..]), Some(sizes)) if over.contains(ragged) => sizes.dim(-1).unwrap_or(1),
        _ => 1,
    };
    counted(event, contracted(event, NUMBERS), groups)
}

/// How many products are summed for an element.
fn contracted(event: &Event, dimensions: &str) -> Option<u128> {
    let left = event.input()?;
    let dimensions = event.ints(dimensions).unwrap_or_default();
    dimensions.iter().try_fold(1, |all: u128, dimension| {
        Some(all.saturating_mul(left.dim(*dimension)?))
    })
}

fn counted(event: &Event, contracted: Option<u128>, groups: u128) -> Outcome {
    let (Some(k), Some(output)) = (contracted, event.output()) else {
        return Outcome::uncounted("its dimensions are not those of its operands");
    };
    let mac = (output.elements() / groups.max(1)).saturating_mul(k);
    Outcome::Counted(matmul::cost(event, mac, 0))
}
