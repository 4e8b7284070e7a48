//! Convolutions of every backend.

use crate::event::Event;
use crate::family::convolution::Convolution;
use crate::family::movement::moved;
use crate::tensor::{Kind, Tensor, product};
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};
use laptime_core::Cost;

pub const TABLE: &[Entry] = &[
    formula(
        "convolution _convolution conv1d conv2d conv3d _convolution_mode convolution_overrideable",
        "2·B·prod(out)·C_out·(C_in/groups)·prod(kernel), transposed over the input; the bias \
         other FLOP",
        |e| forward(e, e.is_set("transposed")),
    ),
    formula(
        "cudnn_convolution miopen_convolution miopen_depthwise_convolution mkldnn_convolution \
         thnn_conv2d _slow_conv2d_forward slow_conv3d slow_conv3d_forward slow_conv_dilated2d \
         slow_conv_dilated3d _conv_depthwise2d conv_depthwise3d _nnpack_spatial_convolution \
         _mps_convolution",
        "2·B·prod(out)·C_out·(C_in/groups)·prod(kernel); the bias other FLOP",
        |e| forward(e, false),
    ),
    formula(
        "cudnn_convolution_relu miopen_convolution_relu cudnn_convolution_add_relu \
         miopen_convolution_add_relu",
        "as its parts: the convolution, the additions other FLOP, a compare",
        |e| {
            let results = e.require_output(0)?.held();
            let added = if e.tensor("z").is_some() { results } else { 0 };
            let fused = Cost {
                other_flop: added,
                compare: results,
                ..Cost::default()
            };
            Ok(forward(e, false)? + fused)
        },
    ),
    formula(
        "conv_transpose1d conv_transpose2d conv_transpose3d cudnn_convolution_transpose \
         miopen_convolution_transpose slow_conv_transpose2d slow_conv_transpose3d \
         _mps_convolution_transpose",
        "2·B·prod(in)·C_in·(C_out/groups)·prod(kernel); the bias other FLOP",
        |e| forward(e, true),
    ),
    formula(
        "convolution_backward convolution_backward_overrideable _slow_conv2d_backward \
         mps_convolution_backward",
        "the forward's for the input's gradient if it is wanted, and for the weight's; the \
         bias' other FLOP",
        |e| backward(e, e.is_set("transposed")),
    ),
    formula(
        "mps_convolution_transpose_backward",
        "the forward's for each gradient that is wanted",
        |e| backward(e, true),
    ),
    formula(
        "conv_tbc",
        "2·T·B·C_out·C_in·kernel; the bias other FLOP",
        |e| by_time(e, e.require_output(0)?.held(), Convolution::forward),
    ),
    formula(
        "conv_tbc_backward",
        "twice the forward's; the bias' other FLOP",
        |e| by_time(e, e.require("self")?.held(), |all| all.backward(true, true)),
    ),
    plain(
        "_convolution_double_backward",
        Rule::Unknown(
            "it is made of convolutions that are counted where they are recorded one by one",
        ),
    ),
];

/// A convolution over time, whose channels come last.
fn by_time(event: &Event, elements: u128, cost: fn(Convolution) -> Cost) -> Counted {
    let [kernel, inputs, _] = event.require("weight")?.shape[..] else {
        return Err("its weight has no three dimensions".into());
    };
    let taps = product(&[kernel, inputs]);
    Ok(event.moving(Cost {
        other_flop: elements,
        ..cost(Convolution { elements, taps })
    }))
}

/// Four real multiply-accumulates for a complex one.
fn on_numbers(cost: Cost, tensor: &Tensor) -> Cost {
    if tensor.dtype.kind == Kind::Complex {
        cost.times(4)
    } else {
        cost
    }
}

/// A convolution of any dialect: they differ in what they call its arguments. A weight that is
/// packed is no tensor.
pub fn forward(event: &Event, transposed: bool) -> Counted {
    let input = event.require_any(&["input", "self", "X", "qx"])?;
    let weight = event
        .require_any(&["weight", "W", "qw", "packed_weight"])
        .map_err(|_| "its weight is packed: its kernel's size can't be seen")?;
    let output = event.results().next().ok_or("it gave no tensor")?;
    let side = if transposed { input } else { output };
    let convolution = Convolution::of(side, weight)?;
    let bias = event.tensor("bias").or_else(|| event.tensor("B"));
    let other_flop = bias.map_or(0, |_| output.held());
    Ok(event.moving(Cost {
        other_flop,
        ..on_numbers(convolution.forward(), output)
    }))
}

/// Each gradient is a convolution of its own, with traffic of its own: that of the input reads
/// `dy` and the weight, that of the weight reads `dy` and the input.
fn backward(event: &Event, transposed: bool) -> Counted {
    let gradient = event.require("grad_output")?;
    let input = event.require_any(&["input", "self"])?;
    let weight = event.require("weight")?;
    let wanted = event.bools("output_mask").unwrap_or(&[true; 3]);
    let wanted = |index: usize| wanted.get(index) == Some(&true);
    let side = if transposed { input } else { gradient };
    let convolution = Convolution::of(side, weight)?;
    let bytes = |tensor: &Tensor| tensor.bytes_of(tensor.elements());
    let mut cost = on_numbers(convolution.backward(wanted(0), wanted(1)), gradient);
    for (index, with, of) in [(0, weight, input), (1, input, weight)] {
        if wanted(index) {
            cost += moved(gradient.bytes().saturating_add(with.bytes()), bytes(of));
        }
    }
    if wanted(2) {
        let channels = weight.shape.first().copied().map_or(0, u128::from);
        let alone = !wanted(0) && !wanted(1);
        let read = if alone { gradient.bytes() } else { 0 };
        cost += moved(read, gradient.bytes_of(channels));
        cost.other_flop = gradient.held();
    }
    Ok(cost)
}

#[cfg(test)]
mod tests;
