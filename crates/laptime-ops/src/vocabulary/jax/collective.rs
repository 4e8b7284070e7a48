//! Collectives, as one device among `ranks` sees them; sums and bytes are the family's.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::collective::{Collective, cost};
use crate::outcome::Outcome;

/// What one call costs on one device.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    let name = name.strip_suffix("_start").unwrap_or(name);
    let given = || {
        let inputs = event.inputs();
        inputs.fold(0, |all: u128, input| all.saturating_add(input.elements()))
    };
    Some(match name {
        // These only say how a value lies on the devices.
        "pvary" | "pbroadcast" | "axis_index" | "vary_unreduced_cast_p" | "reduced_vary_cast_p" => {
            Outcome::NOTHING
        }
        "all_gather_done"
        | "psum_done"
        | "ppermute_done"
        | "all_to_all_done"
        | "reduce_scatter_done" => Outcome::NOTHING,
        "psum" | "psum_invariant" | "unreduced_psum" => {
            among(event, Collective::AllReduce, given())
        }
        "pmax" | "pmin" => compared(among(event, Collective::AllReduce, given())),
        "reduce_scatter" | "unreduced_reduce_scatter" => {
            among(event, Collective::ReduceScatter, given())
        }
        "all_gather" | "all_gather_invariant" | "all_gather_reduced" => {
            among(event, Collective::Exchange, event.output_elements())
        }
        "all_to_all" => among(event, Collective::Exchange, given()),
        "ppermute" => among(event, Collective::Send, given()),
        "ragged_all_to_all" => Outcome::uncounted("how much each device sends is data"),
        _ => return None,
    })
}

/// A collective among an event's ranks, over so many elements; what comes in and goes out besides.
fn among(event: &Event, collective: Collective, elements: u128) -> Outcome {
    let ranks = event.int("ranks").map(u128::try_from);
    let (Some(Ok(ranks)), Some(input)) = (ranks, event.input()) else {
        return Outcome::uncounted("how many devices take part is not known");
    };
    Outcome::Counted(event.moving(cost(collective, ranks, elements, input.dtype)))
}

/// An outcome with compares in place of sums.
fn compared(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Counted(cost) => Outcome::Counted(Cost {
            compare: cost.other_flop + cost.integer_op,
            other_flop: 0,
            integer_op: 0,
            ..cost
        }),
        other => other,
    }
}
