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
