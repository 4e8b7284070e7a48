//! Recurrent layers, whole and by the cell, of every backend.
//!
//! Every weight matrix has two dimensions and every bias one, so that a list of weights tells its
//! matrices: of each layer and direction that of the input, that of the hidden state and, with
//! projections, a third.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::recurrent::{Cell, Layer, Wanted};
use crate::family::work::Work;
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};

const FORWARD: &str = "2·B·G·H·(I+H) for each step, layer and direction, G = 4, 3, 1; gates of \
                       each unit";
const BACKWARD: &str = "twice the forward, less the first layer's input's and the first states' \
                        where nobody wants them";

pub const TABLE: &[Entry] = &[
    formula("lstm _lstm_mps", FORWARD, |e| {
        stack(e, Cell::Lstm, "params")
    }),
    formula("gru", FORWARD, |e| stack(e, Cell::Gru, "params")),
    formula("rnn_tanh", FORWARD, |e| stack(e, Cell::Tanh, "params")),
    formula("rnn_relu", FORWARD, |e| stack(e, Cell::Relu, "params")),
    formula("_cudnn_rnn miopen_rnn", FORWARD, |e| {
        stack(e, mode(e)?, "weight")
    }),
    formula(
        "_cudnn_rnn_backward miopen_rnn_backward",
        BACKWARD,
        stack_backward,
    ),
    formula("mkldnn_rnn_layer", FORWARD, |e| {
        let (layer, input) = single(e, mode(e)?, ["weight0", "weight1"])?;
        Ok(e.moving(layer.forward(input.dtype)))
    }),
    formula("mkldnn_rnn_layer_backward", BACKWARD, |e| {
        let (layer, input) = single(e, mode(e)?, ["weight1", "weight2"])?;
        let wanted = Wanted {
            input: input.needs_grad,
            hidden: e.tensor("hx_").is_some_and(|state| state.needs_grad),
            weight: true,
        };
        Ok(e.moving(layer.backward(wanted, input.dtype)))
    }),
    formula("lstm_cell quantized_lstm_cell", FORWARD, |e| {
        cell(e, Cell::Lstm)
    }),
    formula("gru_cell quantized_gru_cell", FORWARD, |e| {
        cell(e, Cell::Gru)
    }),
    formula("rnn_tanh_cell quantized_rnn_tanh_cell", FORWARD, |e| {
        cell(e, Cell::Tanh)
    }),
    formula("rnn_relu_cell quantized_rnn_relu_cell", FORWARD, |e| {
        cell(e, Cell::Relu)
    }),
    formula(
        "_thnn_fused_lstm_cell",
        "gates of each unit: 5 transcendentals",
        |e| gates(e, "cx", Cell::Lstm.unit(e.tensor("input_bias").is_some())),
    ),
    formula(
        "_thnn_fused_gru_cell",
        "gates of each unit: 3 transcendentals",
        |e| gates(e, "hx", Cell::Gru.unit(e.tensor("input_bias").is_some())),
    ),
    formula(
        "_thnn_fused_lstm_cell_backward _thnn_fused_lstm_cell_backward_impl \
         _thnn_differentiable_lstm_cell_backward",
        "gates of each unit; the biases' gradients",
        |e| gates(e, "cx", Cell::Lstm.unit_backward(e.is_set("has_bias"))),
    ),
    formula(
        "_thnn_fused_gru_cell_backward _thnn_differentiable_gru_cell_backward",
        "gates of each unit; the biases' gradients",
        |e| gates(e, "grad_hy", Cell::Gru.unit_backward(e.is_set("has_bias"))),
    ),
    plain("_cudnn_rnn_flatten_weight", Rule::Copy),
    plain(
        "quantized_lstm quantized_gru lstm_mps_backward",
        Rule::Unknown("its weights are packed: their sizes can't be seen"),
    ),
];

fn mode(event: &Event) -> Result<Cell, String> {
    event
        .int("mode")
        .and_then(Cell::from_mode)
        .ok_or_else(|| "what kind of cell it has is not said".into())
}

/// Steps of all sequences: the input without its last dimension.
fn steps(input: &Tensor) -> Result<u128, String> {
    let inputs = input.dim(-1).ok_or("its input has no dimension")?;
    Ok(input.held().checked_div(inputs).unwrap_or(0))
}

/// Sequences: the hidden state's elements by its last two dimensions, layers and units.
fn sequences(state: Option<&Tensor>) -> u128 {
    state.and_then(|state| state.dim(-2)).unwrap_or(1)
}

/// All layers and directions, the lowest first.
fn layers(event: &Event, cell: Cell, weights: &str) -> Result<(Vec<Layer>, usize), String> {
    let input = event.require_any(&["input", "data"])?;
    let matrices: Vec<&Tensor> = event
        .tensors(weights)
        .filter(|weight| weight.shape.len() == 2)
        .collect();
    let biases = event.tensors(weights).any(|weight| weight.shape.len() == 1);
    let directions = 1 + usize::from(event.is_set("bidirectional"));
    let depth = event.int("num_layers").unwrap_or(1);
    let depth = usize::try_from(depth).map_err(|_| "it has no layers")?;
    let count = depth.saturating_mul(directions);
    let each = matrices.len().checked_div(count).unwrap_or(0);
    if !matches!(each, 2 | 3) || each.saturating_mul(count) != matrices.len() {
        return Err(
            "its weights are not two or three matrices for each layer and direction".into(),
        );
    }
    let state = event.tensors("hx").next();
    let steps = steps(input)?;
    let layers = matrices.chunks(each).map(|matrices| Layer {
        cell,
        steps,
        sequences: sequences(state),
        units: matrices[0].dim(0).unwrap_or(0) / u128::from(cell.gates()),
        input_weight: matrices[0].held(),
        hidden_weight: matrices[1].held(),
        projection_weight: matrices.get(2).map_or(0, |weight| weight.held()),
        biases,
    });
    Ok((layers.collect(), directions))
}

fn stack(event: &Event, cell: Cell, weights: &str) -> Counted {
    let dtype = event.require_any(&["input", "data"])?.dtype;
    let (layers, _) = layers(event, cell, weights)?;
    Ok(event.moving(layers.iter().map(|layer| layer.forward(dtype)).sum()))
}

/// The mask says of the input, the states and the weights whose gradient is wanted; upper layers
/// always pass theirs on.
fn stack_backward(event: &Event) -> Counted {
    let dtype = event.require("input")?.dtype;
    let (layers, directions) = layers(event, mode(event)?, "weight")?;
    let [input, hidden, _, weight] = event.bools("output_mask").unwrap_or(&[true; 4]) else {
        return Err("its output mask has no four entries".into());
    };
    let cost: Cost = layers
        .iter()
        .enumerate()
        .map(|(index, layer)| {
            let wanted = Wanted {
                input: *input || index >= directions,
                hidden: *hidden,
                weight: *weight,
            };
            layer.backward(wanted, dtype)
        })
        .sum();
    Ok(event.moving(cost))
}

/// One layer in one direction, by its two matrices.
fn single<'a>(
    event: &'a Event,
    cell: Cell,
    weights: [&str; 2],
) -> Result<(Layer, &'a Tensor), String> {
    let input = event.require("input")?;
    let [first, second] = weights;
    let (first, second) = (event.require(first)?, event.require(second)?);
    // The reordered weights of oneDNN hide their sizes; the call tells them.
    let units = event
        .count("hidden_size")
        .or(second.dim(-1))
        .ok_or("how many units it has is not said")?;
    let rows = units.saturating_mul(u128::from(cell.gates()));
    let inputs = input.dim(-1).ok_or("its input has no dimension")?;
    let layer = Layer {
        cell,
        steps: steps(input)?,
        sequences: sequences(event.tensor("hx_")),
        units,
        input_weight: rows.saturating_mul(inputs),
        hidden_weight: rows.saturating_mul(units),
        projection_weight: 0,
        biases: event
            .bool("has_biases")
            .unwrap_or(first.dim(0) == second.dim(0)),
    };
    Ok((layer, input))
}

/// A step of one layer.
fn cell(event: &Event, cell: Cell) -> Counted {
    let input = event.require("input")?;
    let (first, second) = (event.require("w_ih")?, event.require("w_hh")?);
    let layer = Layer {
        cell,
        steps: steps(input)?,
        sequences: 1,
        units: second.dim(-1).unwrap_or(0),
        input_weight: first.held(),
        hidden_weight: second.held(),
        projection_weight: 0,
        biases: event.tensor("b_ih").is_some(),
    };
    Ok(event.moving(layer.forward(input.dtype)))
}

/// The elementwise part of a step, whose products ran before it.
fn gates(event: &Event, state: &str, each: Work) -> Counted {
    let state = event.require(state)?;
    Ok(event.moving(each.over(state)))
}

#[cfg(test)]
mod tests;
