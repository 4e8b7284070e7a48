//! Matrix products, convolutions and attention.
//!
//! What is summed over is a dimension of one argument, so that the multiply-accumulates are the
//! elements of the other side times its size, whatever is broadcast. burn computes each gradient of
//! a convolution by an operation of its own, which reads two of the three tensors that it names.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::attention::{Attention, Mask};
use crate::family::convolution::Convolution;
use crate::family::matmul::work;
use crate::family::movement::moved;
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};

pub const TABLE: &[Entry] = &[
    formula("matmul", "2·B·M·N·K after broadcasting", |e| {
        summed(e, e.require_output(0)?, e.require("lhs")?)
    }),
    formula("linear", "2·M·N·K; the bias other FLOP", |e| {
        let output = e.require_output(0)?;
        let cost = summed(e, output, e.require("x")?)?;
        Ok(biased(e, cost, output))
    }),
    formula("linear_x_backward", "2·M·N·K", |e| {
        summed(e, e.require_output(0)?, e.require("output_grad")?)
    }),
    formula("linear_weight_backward", "2·M·N·K", |e| {
        summed(e, e.require("output_grad")?, e.require("x")?)
    }),
    formula(
        "conv1d conv2d conv3d",
        "2·B·prod(out)·C_out·(C_in/groups)·prod(kernel); the bias other FLOP",
        |e| forward(e, e.require_output(0)?),
    ),
    formula(
        "conv_transpose1d conv_transpose2d conv_transpose3d",
        "2·B·prod(in)·C_in·(C_out/groups)·prod(kernel); the bias other FLOP",
        |e| forward(e, e.require("x")?),
    ),
    formula(
        "conv1d_x_backward conv2d_x_backward conv3d_x_backward",
        "the forward's",
        |e| {
            let gradient = e.require("output_grad")?;
            backward(e, gradient, gradient, e.require("weight")?)
        },
    ),
    formula(
        "conv1d_weight_backward conv2d_weight_backward conv3d_weight_backward",
        "the forward's, divided by the groups as it is",
        |e| {
            let gradient = e.require("output_grad")?;
            backward(e, gradient, gradient, e.require("x")?)
        },
    ),
    formula(
        "conv_transpose1d_weight_backward conv_transpose2d_weight_backward \
         conv_transpose3d_weight_backward",
        "the forward's, divided by the groups as it is",
        |e| {
            let input = e.require("x")?;
            backward(e, input, e.require("output_grad")?, input)
        },
    ),
    formula(
        "linear_bias_backward conv1d_bias_backward conv2d_bias_backward conv3d_bias_backward \
         conv_transpose1d_bias_backward conv_transpose2d_bias_backward \
         conv_transpose3d_bias_backward",
        "1 FLOP for each gradient that comes in",
        |e| {
            let (gradient, output) = (e.require("output_grad")?, e.require_output(0)?);
            let moved = moved(gradient.bytes(), output.bytes());
            Ok(Cost {
                other_flop: gradient.held(),
                ..moved
            })
        },
    ),
    formula(
        "attention",
        "2·B·H·Sq·Sk·(Dqk+Dv); scale and softmax of each score; active by a causal mask",
        attention,
    ),
    plain(
        "deformable_conv2d deformable_conv2d_backward",
        Rule::Unknown("no formula for it is known in this dialect"),
    ),
];

/// So many results, each a sum along the last dimension of a factor.
fn summed(event: &Event, results: &Tensor, factor: &Tensor) -> Counted {
    let along = factor.dim(-1).ok_or("a factor has no dimension")?;
    let mac = results.held().saturating_mul(along);
    Ok(event.moving(work(event, mac)))
}

/// With the bias, where there is one.
fn biased(event: &Event, cost: Cost, output: &Tensor) -> Cost {
    let other_flop = event.tensor("bias").map_or(0, |_| output.held());
    Cost { other_flop, ..cost }
}

/// Every element of a side meets every tap.
fn convolution(event: &Event, side: &Tensor) -> Result<Convolution, String> {
    Convolution::of(side, event.require("weight")?)
}

fn forward(event: &Event, side: &Tensor) -> Counted {
    let cost = event.moving(convolution(event, side)?.forward());
    Ok(biased(event, cost, event.require_output(0)?))
}

/// One gradient, which reads what comes from behind and one more tensor.
fn backward(event: &Event, side: &Tensor, gradient: &Tensor, other: &Tensor) -> Counted {
    let read = gradient.bytes().saturating_add(other.bytes());
    let moved = moved(read, event.require_output(0)?.bytes());
    Ok(convolution(event, side)?.backward(true, false) + moved)
}

/// `[batch, heads, length, size]`.
fn attention(event: &Event) -> Counted {
    let (query, key) = (event.require("query")?, event.require("key")?);
    let value = event.require("value")?;
    let size = |tensor: &Tensor, index: i64| tensor.dim(index).ok_or("it has too few dimensions");
    let causal = event.is_set("is_causal");
    let sizes = Attention {
        batch: size(query, 0)?,
        heads: size(query, 1)?,
        queries: size(query, 2)?,
        keys: size(key, 2)?,
        key_size: size(query, 3)?,
        value_size: size(value, 3)?,
        mask: if causal {
            Mask::CausalBottomRight
        } else {
            Mask::Dense
        },
    };
    Ok(event.moving(sizes.forward(query.dtype)))
}
