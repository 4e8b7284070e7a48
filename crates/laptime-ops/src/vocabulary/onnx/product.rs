//! Matrix products and convolutions, in floating point and quantised.

use laptime_core::Cost;

use super::einsum::einsum;
use crate::event::Event;
use crate::family::convolution::Convolution;
use crate::family::elementwise::work;
use crate::family::matmul::{self, macs};
use crate::family::work::Work;
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "MatMul FusedMatMul",
        "2·B·M·N·K after broadcasting",
        |e| {
            let scale = scaled(e, "alpha", e.require_output(0)?);
            Ok(matmul::cost(e, matrices(e)?, scale))
        },
    ),
    formula(
        "MatMulInteger MatMulIntegerToFloat DynamicQuantizeMatMul QLinearMatMul",
        "2·B·M·N·K after broadcasting; taking off zero points integer operations, the new scale \
         other FLOP",
        |e| Ok(matmul::cost(e, matrices(e)?, 0) + quantised(e, "A", "B")?),
    ),
    formula("MatMulNBits", "2·M·N·K; the bias other FLOP", |e| {
        let (rows, columns) = (e.require("A")?.held(), e.int("N").unwrap_or(0));
        let columns = u128::try_from(columns).map_err(|_| "its N is negative")?;
        let results = e.require_output(0)?.held();
        let bias = e.tensor("bias").map_or(0, |_| results);
        let mac = rows.saturating_mul(columns);
        Ok(e.moving(Cost {
            other_flop: bias,
            ..macs(mac)
        }))
    }),
    formula(
        "Gemm FusedGemm",
        "2·M·N·K; scaling and what is added other FLOP",
        |e| {
            let (left, output) = (e.require("A")?, e.require_output(0)?);
            let k = left.dim(i64::from(!e.is_set("transA")));
            let k = k.ok_or("its A is no matrix")?;
            let mut other = scaled(e, "alpha", output);
            if let Some(added) = e.tensor("C") {
                let scale = scaled(e, "beta", added);
                other = other.saturating_add(output.held()).saturating_add(scale);
            }
            Ok(e.moving(Cost {
                other_flop: other,
                ..macs(output.held().saturating_mul(k))
            }))
        },
    ),
    formula(
        "Einsum",
        "2·prod(letters) for each two operands, from the left",
        einsum,
    ),
    formula(
        "Conv FusedConv",
        "2·B·prod(out)·C_out·(C_in/groups)·prod(kernel); the bias other FLOP",
        |e| convolution(e, false),
    ),
    formula(
        "ConvTranspose",
        "2·B·prod(in)·C_in·(C_out/groups)·prod(kernel); the bias other FLOP",
        |e| convolution(e, true),
    ),
    formula(
        "ConvInteger QLinearConv",
        "2·B·prod(out)·C_out·(C_in/groups)·prod(kernel); taking off zero points integer \
         operations, the new scale other FLOP",
        |e| Ok(convolution(e, false)? + quantised(e, "X", "W")?),
    ),
    formula(
        "DeformConv",
        "as a convolution; 7 FLOP for each bilinear sample of its taps",
        |e| {
            let (output, offset) = (e.require_output(0)?, e.require("offset")?);
            let channels = e.require("X")?.dim(1).unwrap_or(0);
            let groups = e.int("offset_group").unwrap_or(1).max(1);
            // Two offsets for each tap, of each group.
            let samples = offset.held() / 2 / u128::from(groups.unsigned_abs());
            let samples = samples.saturating_mul(channels);
            let sampled = Work::arithmetic(7).on(samples, output.dtype);
            Ok(convolution(e, false)? + sampled)
        },
    ),
];

/// Products of a tensor with an attribute, where that is a factor that changes something.
fn scaled(event: &Event, name: &str, tensor: &Tensor) -> u128 {
    let factor = event.number(name);
    let factor = factor.filter(|factor| (factor - 1.0).abs() > f64::EPSILON);
    factor.map_or(0, |_| tensor.held())
}

/// Multiply-accumulates of a product with broadcast batches, rows and columns as the operator turns them.
fn matrices(event: &Event) -> Result<u128, String> {
    let (left, right) = (event.require("A")?, event.require("B")?);
    let output = event.require_output(0)?;
    let is_row = left.shape.len() == 1;
    let k = match (is_row, event.is_set("transA")) {
        (true, _) => left.dim(0),
        (false, false) => left.dim(-1),
        (false, true) => left.dim(-2),
    };
    let k = k.ok_or("its A is no matrix")?;
    let n = match (right.shape.len(), event.is_set("transB")) {
        (1, _) => Some(1),
        (_, false) => right.dim(-1),
        (_, true) => right.dim(-2),
    };
    let n = n.ok_or("its B is no matrix")?;
    // What isn't a column of the result is one of its rows, in one batch or the other.
    let rows = output.held().checked_div(n).unwrap_or(0);
    let m = left.dim(if event.is_set("transA") { -1 } else { -2 });
    let m = m.filter(|_| !is_row).unwrap_or(1);
    let batch = rows.checked_div(m).unwrap_or(0);
    Ok(matmul::product([batch, m, n, k]))
}

/// What quantised numbers cost beside the product: zero points that are taken off, and the scale
/// of the result.
fn quantised(event: &Event, left: &str, right: &str) -> Counted {
    let zero = |names: &[&str]| names.iter().any(|name| event.tensor(name).is_some());
    let mut cost = Cost::default();
    for (operand, zeros) in [
        (left, ["a_zero_point", "x_zero_point"]),
        (right, ["b_zero_point", "w_zero_point"]),
    ] {
        if zero(&zeros) {
            cost += Work::integer(1).on(event.require(operand)?.held(), Dtype::integer(8));
        }
    }
    let results = event.require_output(0)?.held();
    if event.tensor("y_scale").is_some() {
        let scale = work("quantize").unwrap_or(Work::NONE);
        cost += scale.on(results, Dtype::F32);
    }
    for (name, flop) in [("b_scale", 1), ("bias", 1), ("B", 1)] {
        let is_added = event.tensor(name).is_some() && name != right && name != left;
        let is_scaled_already = name == "b_scale" && event.tensor("y_scale").is_some();
        if is_added && !is_scaled_already {
            cost += Work::arithmetic(flop).on(results, Dtype::F32);
        }
    }
    Ok(cost)
}

fn convolution(event: &Event, transposed: bool) -> Counted {
    let (input, output) = (event.require("X")?, event.require_output(0)?);
    let side = if transposed { input } else { output };
    let convolution = Convolution::of(side, event.require("W")?)?;
    let is_quantised = event.tensor("x_scale").is_some();
    let added = |name| event.tensor(name).map_or(0, |_| output.held());
    let other_flop = if is_quantised {
        0
    } else {
        added("B") + added("Z")
    };
    let after = match event.text("activation") {
        None | Some("") => Work::NONE,
        Some("Relu" | "LeakyRelu") => Work::compare(1),
        Some("Clip") => Work::compare(2),
        Some(name @ ("Sigmoid" | "Tanh" | "HardSigmoid")) => {
            work(&name.to_lowercase()).unwrap_or(Work::NONE)
        }
        Some(other) => return Err(format!("its activation {other:?} is not known")),
    };
    let cost = event.moving(Cost {
        other_flop,
        ..convolution.forward()
    });
    Ok(cost + after.over(output))
}

#[cfg(test)]
mod tests;
