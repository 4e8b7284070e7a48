//! Collectives of one device among `ranks`.
//!
//! Source: bus bandwidth as the NCCL tests reckon it (`PERFORMANCE.md`): an all-reduce of `n`
//! bytes puts `2·(p−1)/p·n` on each link, a gather, scatter or exchange `(p−1)/p·n`, of the whole.

use laptime_core::Cost;

use crate::event::Event;
use crate::outcome::Outcome;

/// What one call costs on one device.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    let name = name.strip_suffix("_start").unwrap_or(name);
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
        "psum" | "psum_invariant" | "unreduced_psum" => shared(event, Work::Add, 2, false),
        "pmax" | "pmin" => shared(event, Work::Compare, 2, false),
        "reduce_scatter" | "unreduced_reduce_scatter" => shared(event, Work::Add, 1, false),
        "all_gather" | "all_gather_invariant" | "all_gather_reduced" => {
            shared(event, Work::Nothing, 1, true)
        }
        "all_to_all" => shared(event, Work::Nothing, 1, false),
        "ppermute" => {
            let (bytes_read, bytes_written) = event.traffic();
            Outcome::Zero(Cost {
                bytes_read,
                bytes_written,
                communication_bytes: bytes_read,
                ..Cost::default()
            })
        }
        "ragged_all_to_all" => Outcome::uncounted("how much each device sends is data"),
        _ => return None,
    })
}

/// What is done with what arrives.
#[derive(Clone, Copy)]
enum Work {
    Nothing,
    Add,
    Compare,
}

/// A collective that passes `passes · (p−1)/p` of the whole over each link. The whole is what
/// goes in, or what comes out where it is gathered there.
fn shared(event: &Event, work: Work, passes: u128, gathers: bool) -> Outcome {
    let Some(ranks) = event
        .int("ranks")
        .and_then(|ranks| u128::try_from(ranks).ok())
    else {
        return Outcome::uncounted("how many devices take part is not known");
    };
    let ranks = ranks.max(1);
    let (bytes_read, bytes_written) = event.traffic();
    let whole = if gathers { bytes_written } else { bytes_read };
    let part = |all: u128| all.saturating_mul(ranks - 1) / ranks;
    let elements = event
        .inputs()
        .fold(0, |all: u128, input| all.saturating_add(input.elements()));
    let cost = Cost {
        bytes_read,
        bytes_written,
        communication_bytes: part(whole.saturating_mul(passes)),
        ..Cost::default()
    };
    match work {
        Work::Nothing => Outcome::Zero(cost),
        Work::Add => Outcome::Counted(Cost {
            other_flop: part(elements),
            ..cost
        }),
        Work::Compare => Outcome::Counted(Cost {
            compare: part(elements),
            ..cost
        }),
    }
}
