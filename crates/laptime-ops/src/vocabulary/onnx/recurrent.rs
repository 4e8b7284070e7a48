//! Recurrent layers.

use laptime_core::Cost;

use crate::event::{Argument, Event};
use crate::family::recurrent::{Cell, Layer};
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[formula(
    "LSTM GRU RNN",
    "2·B·gates·H·(I+H) for each step and direction; the gates other FLOP and transcendental",
    layer,
)];

/// One layer, in one direction or both.
fn layer(event: &Event) -> Counted {
    let cell = match &event.signature.name[..] {
        "onnx::LSTM" => Cell::Lstm,
        "onnx::GRU" => Cell::Gru,
        _ => match event.get("activations") {
            Argument::Texts(names) if names.iter().any(|name| name == "Relu") => Cell::Relu,
            _ => Cell::Tanh,
        },
    };
    let (input, weight, hidden) = (
        event.require("X")?,
        event.require("W")?,
        event.require("R")?,
    );
    let rank = "its input and weights have not three dimensions";
    let (Some(directions), Some(units), Some(inputs)) =
        (weight.dim(0), hidden.dim(2), input.dim(2))
    else {
        return Err(rank.into());
    };
    let batch_axis = i64::from(event.bool("layout") != Some(true));
    // Each direction meets its own part of the weights.
    let each = |elements: u128| elements.checked_div(directions).unwrap_or(0);
    let one = Layer {
        cell,
        steps: input.held().checked_div(inputs).unwrap_or(0),
        sequences: input.dim(batch_axis).unwrap_or(1),
        units,
        input_weight: each(weight.held()),
        hidden_weight: each(hidden.held()),
        projection_weight: 0,
        biases: event.tensor("B").is_some(),
    };
    let directions = u64::try_from(directions).map_err(|_| rank)?;
    let cost: Cost = one.forward(input.dtype).times(directions);
    Ok(event.moving(cost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn layers_by_hand() {
        // 4 steps of 3 sequences of 5 numbers through 2 units, in both directions.
        let of = |name: &str, gates: u64, more: &[(&str, Argument)]| {
            let operands = [
                ("X", f32(&[4, 3, 5])),
                ("W", f32(&[2, 2 * gates, 5])),
                ("R", f32(&[2, 2 * gates, 2])),
            ];
            call(
                &format!("onnx::{name}"),
                &[&operands, more].concat(),
                &[&[4, 2, 3, 2]],
            )
        };
        let relu = [("activations", Argument::Texts(vec!["Relu".into(); 2]))];
        let bias = [("B", f32(&[2, 16]))];
        // Each direction 12 steps by `gates` · 2 rows of 5 + 2; 24 units.
        assert_costs(&[
            (
                "2 · 12 · 56; 48 of 14",
                of("LSTM", 4, &[]),
                &[
                    ("mac", 1344),
                    ("flop", 672),
                    ("transcendental", 240),
                    ("read", 688),
                    ("written", 192),
                ],
            ),
            (
                "48 of 22",
                of("LSTM", 4, &bias),
                &[
                    ("mac", 1344),
                    ("flop", 1056),
                    ("transcendental", 240),
                    ("read", 816),
                    ("written", 192),
                ],
            ),
            (
                "2 · 12 · 42; 48 of 11",
                of("GRU", 3, &[]),
                &[
                    ("mac", 1008),
                    ("flop", 528),
                    ("transcendental", 144),
                    ("read", 576),
                    ("written", 192),
                ],
            ),
            (
                "2 · 12 · 14; 48 of 1",
                of("RNN", 1, &[]),
                &[
                    ("mac", 336),
                    ("flop", 48),
                    ("transcendental", 48),
                    ("read", 352),
                    ("written", 192),
                ],
            ),
            (
                "a rectifier",
                of("RNN", 1, &relu),
                &[
                    ("mac", 336),
                    ("flop", 48),
                    ("compare", 48),
                    ("read", 352),
                    ("written", 192),
                ],
            ),
        ]);
    }
}
