//! Windows that slide over an operand.
//!
//! Source: the definitions of `jax.lax.reduce_window` and XLA's `SelectAndScatter`; what a window
//! costs is the pooling family's.

use crate::event::Event;
use crate::family::pooling;
use crate::family::work::Work;
use crate::outcome::Outcome;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    let sizes = event.ints("window_dimensions").unwrap_or_default();
    let window = sizes.iter().fold(1_u128, |all, size| {
        all.saturating_mul(u128::try_from(*size).unwrap_or(1))
    });
    let output = event.output()?;
    Some(match name {
        "reduce_window_sum" => {
            let cost = pooling::mean(output.elements(), window, output.dtype);
            Outcome::Counted(event.moving(cost))
        }
        "reduce_window_max" | "reduce_window_min" => {
            let cost = pooling::largest(output.elements(), window, output.dtype);
            Outcome::Counted(event.moving(cost))
        }
        // Each window's extreme is looked for again, and what comes from behind added there.
        "select_and_scatter_add" => {
            let source = event.input()?;
            let add = Work::arithmetic(1).on(source.elements(), source.dtype);
            let search = pooling::largest(source.elements(), window, source.dtype);
            Outcome::Counted(event.moving(add + search))
        }
        "reduce" | "reduce_window" | "select_and_scatter" => {
            Outcome::uncounted("what the function it reduces by does is not known")
        }
        _ => return None,
    })
}
