//! Matrix products.
//!
//! What is summed over is the last dimension of one argument, so that the multiply-accumulates are
//! the elements of the result times its size, whatever is broadcast.

use crate::event::Event;
use crate::family::matmul::{self, cost, work};
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};
use laptime_core::Cost;

pub const TABLE: &[Entry] = &[
    formula("mm bmm _int_mm linalg_matmul", "2·B·M·N·K", |e| {
        product(
            e,
            e.require("self")?,
            e.require("mat2").or_else(|_| e.require("other"))?,
            0,
        )
    }),
    formula("matmul", "2·B·M·N·K after broadcasting", |e| {
        product(e, e.require("self")?, e.require("other")?, 0)
    }),
    formula(
        "addmm _addmm_activation _sparse_addmm sspaddmm _scaled_addmm",
        "2·M·N·K; the addition other FLOP, a factor that isn't 1 too",
        |e| product(e, e.require("mat1")?, e.require("mat2")?, added(e)?),
    ),
    formula("baddbmm", "2·B·M·N·K; the addition other FLOP", |e| {
        product(e, e.require("batch1")?, e.require("batch2")?, added(e)?)
    }),
    formula("addbmm", "2·B·M·N·K; the addition other FLOP", |e| {
        let (left, right) = (e.require("batch1")?, e.require("batch2")?);
        let mac = left.held().saturating_mul(last(right)?);
        Ok(cost(e, mac, added(e)?))
    }),
    formula("_foreach_mm", "2·M·N·K of each pair", |e| {
        let pairs = e.tensors("self").zip(e.tensors("mat2"));
        let macs = pairs.map(|(left, right)| Ok(left.held().saturating_mul(last(right)?)));
        let all = macs.sum::<Result<u128, String>>()?;
        Ok(e.moving(work(e, all)))
    }),
    formula("mv", "2·M·N", |e| {
        product(e, e.require("self")?, e.require("vec")?, 0)
    }),
    formula("addmv", "2·M·N; the addition other FLOP", |e| {
        product(e, e.require("mat")?, e.require("vec")?, added(e)?)
    }),
    formula("dot vdot linalg_vecdot", "2·N", |e| {
        let first = e.require_any(&["self", "x"])?;
        Ok(e.moving(work(e, first.held())))
    }),
    formula("inner", "2·M·N·K", |e| {
        product(e, e.require("self")?, e.require("other")?, 0)
    }),
    formula("outer ger", "M·N other FLOP", |e| {
        Ok(e.moving(Cost {
            other_flop: elements(e)?,
            ..Cost::default()
        }))
    }),
    formula("addr", "M·N other FLOP, and the addition", |e| {
        let other_flop = elements(e)?.saturating_add(added(e)?);
        Ok(e.moving(Cost {
            other_flop,
            ..Cost::default()
        }))
    }),
    formula(
        "linear mkldnn_linear _mixed_dtypes_linear",
        "2·M·N·K; the bias other FLOP",
        linear,
    ),
    formula(
        "_scaled_mm _scaled_mm_v2",
        "2·M·N·K; the bias other FLOP; scales as stored",
        |e| product(e, e.require("self")?, e.require("mat2")?, bias(e)?),
    ),
    formula(
        "_weight_int4pack_mm _weight_int4pack_mm_for_cpu _weight_int8pack_mm \
         _weight_int4pack_mm_with_scales_and_zeros _dyn_quant_matmul_4bit",
        "2·M·N·K; weights as stored",
        |e| rows_times(e, e.require_any(&["self", "inp"])?),
    ),
    formula(
        "_grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2",
        "2·rows·N·K of the rows routed; of all, with a warning, where the offsets are not known",
        grouped,
    ),
    formula("_sparse_mm", "2·stored·N", |e| {
        product(e, e.require("sparse")?, e.require("dense")?, 0)
    }),
    formula("hspmm", "2·stored·N", |e| {
        product(e, e.require("mat1")?, e.require("mat2")?, 0)
    }),
    formula("_sparse_mm_reduce_impl", "2·stored·N", |e| {
        product(e, e.require("self")?, e.require("other")?, 0)
    }),
    formula(
        "sparse_sampled_addmm",
        "2·stored·K; the addition other FLOP",
        |e| {
            let stored = e.require("self")?.held();
            let mac = stored.saturating_mul(last(e.require("mat1")?)?);
            Ok(cost(e, mac, stored))
        },
    ),
    formula(
        "_sparse_semi_structured_linear",
        "2·M·N·K of the weights that are stored, half of all",
        |e| {
            let mac = elements(e)?.saturating_mul(last(e.require("weight")?)?);
            Ok(cost(e, mac, bias(e)?))
        },
    ),
    formula(
        "_sparse_semi_structured_mm _sparse_semi_structured_addmm",
        "2·M·N·K of the elements that are stored, half of all",
        |e| {
            let mac = elements(e)?.saturating_mul(last(e.require("mat1")?)?);
            let added = u128::from(e.tensor("input").is_some());
            Ok(cost(e, mac, elements(e)?.saturating_mul(added)))
        },
    ),
    formula(
        "_cslt_sparse_mm",
        "2·M·N·K of the elements that are stored, half of all",
        |e| {
            let rows = e
                .require("dense_B")?
                .dim(0)
                .ok_or("its matrix has no rows")?;
            let mac = elements(e)?.saturating_mul(rows) / 2;
            Ok(cost(e, mac, bias(e)?))
        },
    ),
    formula(
        "linear_backward mkldnn_linear_backward",
        "2·M·N·K for each gradient wanted; that of the bias other FLOP",
        linear_backward,
    ),
    formula("mkldnn_linear_backward_input", "2·M·N·K", |e| {
        let gradient = e.require("grad_output")?;
        let mac = gradient.held().saturating_mul(last(e.require("weight")?)?);
        Ok(e.moving(work(e, mac)))
    }),
    formula(
        "mkldnn_linear_backward_weights",
        "2·M·N·K; that of the bias other FLOP",
        |e| {
            let gradient = e.require("grad_output")?.held();
            let mac = gradient.saturating_mul(last(e.require("input")?)?);
            let biases = u128::from(e.is_set("bias_defined"));
            Ok(cost(e, mac, gradient.saturating_mul(biases)))
        },
    ),
    formula("_trilinear", "2·the product of all sizes", trilinear),
    formula("bilinear", "2·B·O·I·J; the bias other FLOP", |e| {
        let taps = e.require("weight")?.shape.get(1..).unwrap_or_default();
        let mac = elements(e)?.saturating_mul(crate::tensor::product(taps));
        Ok(cost(e, mac, bias(e)?))
    }),
    plain(
        "_sparse_sparse_matmul",
        Rule::Unknown("how many stored elements meet is data"),
    ),
    plain(
        "_sparse_mm_reduce_impl_backward",
        Rule::Unknown("which of its elements were kept is data"),
    ),
    plain(
        "_cslt_sparse_mm_search",
        Rule::Unknown("it tries kernels until it has the fastest"),
    ),
    plain(
        "chain_matmul linalg_multi_dot tensordot linalg_matrix_power matrix_power einsum kron \
         matmul_backward",
        Rule::Unknown("it is made of products that are counted where they are recorded one by one"),
    ),
];

/// Size of the last dimension.
fn last(tensor: &Tensor) -> Result<u128, String> {
    tensor
        .dim(-1)
        .ok_or_else(|| "a matrix was expected, and a number came".into())
}

/// Elements of the result.
fn elements(event: &Event) -> Result<u128, String> {
    event
        .results()
        .next()
        .map(Tensor::held)
        .ok_or_else(|| "it gave no tensor".into())
}

/// Additions of a bias.
fn bias(event: &Event) -> Result<u128, String> {
    match event.tensor("bias").or_else(|| event.tensor("B")) {
        Some(_) => elements(event),
        None => Ok(0),
    }
}

/// What `beta · self + alpha · product` takes beside the product.
fn added(event: &Event) -> Result<u128, String> {
    let (beta, alpha) = (event.number("beta"), event.number("alpha"));
    let each = match beta {
        Some(0.0) => 0,
        None | Some(1.0) => 1,
        Some(_) => 2,
    } + u128::from(alpha.is_some_and(|alpha| alpha.to_bits() != 1_f64.to_bits()));
    Ok(elements(event)?.saturating_mul(each))
}

/// A product whose sum runs over the last dimension of the left one. A sparse one takes part with
/// what it stores.
pub fn product(event: &Event, left: &Tensor, right: &Tensor, other_flop: u128) -> Counted {
    let k = last(left)?;
    let mac = match (left.stored, right.stored) {
        (Some(_), Some(_)) => return Err("how many stored elements meet is data".into()),
        (Some(stored), None) => {
            let is_vector = right.shape.len() < 2;
            let columns = if is_vector { 1 } else { last(right)? };
            u128::from(stored).saturating_mul(columns)
        }
        (None, Some(stored)) => u128::from(stored).saturating_mul(left.dim(-2).unwrap_or(1)),
        (None, None) => elements(event)?.saturating_mul(k),
    };
    Ok(cost(event, mac, other_flop))
}

/// Rows times a packed matrix, whose sizes only the result tells.
fn rows_times(event: &Event, rows: &Tensor) -> Counted {
    let mac = elements(event)?.saturating_mul(last(rows)?);
    Ok(cost(event, mac, bias(event)?))
}

/// A linear layer: its weight is `[N, K]`, and the input's last dimension is summed over.
///
/// Dialects differ in what they call the arguments. What a packed weight holds, its bias too, is
/// not seen.
pub fn linear(event: &Event) -> Counted {
    let input = event.require_any(&["input", "self", "X", "qx", "x"])?;
    match event.tensor("weight").and_then(|weight| weight.stored) {
        None => rows_times(event, input),
        Some(stored) => {
            let rows = input.held().checked_div(last(input)?).unwrap_or(0);
            let mac = u128::from(stored).saturating_mul(rows);
            Ok(cost(event, mac, bias(event)?))
        }
    }
}

/// Gradients of a linear layer: of the input, the weight and the bias, as the mask wants them.
fn linear_backward(event: &Event) -> Counted {
    let (input, gradient) = (event.require("self")?, event.require("grad_output")?);
    let [dx, dw, db] = event.bools("output_mask").unwrap_or(&[true; 3]) else {
        return Err("its output mask has no three entries".into());
    };
    let each = gradient.held().saturating_mul(last(input)?);
    let mac = each.saturating_mul(u128::from(*dx) + u128::from(*dw));
    let other_flop = if *db { gradient.held() } else { 0 };
    Ok(cost(event, mac, other_flop))
}

/// A matrix for each group. Rows, columns or what is summed over are split at offsets, the last of
/// which tells how much there is; where they aren't known, all that there is room for is counted.
fn grouped(event: &Event) -> Counted {
    let (left, right) = (event.require("self")?, event.require("mat2")?);
    let end = event.ints("offs").and_then(|offsets| offsets.last());
    let end = end.and_then(|end| u128::try_from(*end).ok());
    let upto = |room: u128| end.map_or(room, |end| end.min(room));
    let (rows, k, columns) = (left.dim(-2).unwrap_or(0), last(left)?, last(right)?);
    let sizes = match (left.shape.len(), right.shape.len()) {
        // The sum is split: each group has a result.
        (2, 2) => [1, rows, columns, upto(k)],
        (2, 3) => [1, upto(rows), columns, k],
        (3, 2) => [1, rows, upto(columns), k],
        (3, 3) => [left.dim(0).unwrap_or(0), rows, columns, k],
        _ => return Err("its matrices have neither two dimensions nor three".into()),
    };
    Ok(cost(event, matmul::product(sizes), bias(event)?))
}

/// Why a product may be counted too high.
pub fn doubt(event: &Event) -> Option<&'static str> {
    let grouped = event.signature.name.contains("grouped_mm");
    (grouped && event.tensor("offs").is_some())
        .then_some("where its groups end is data: everything that there is room for was counted")
}

/// `Σ i1 · i2 · i3` over some dimensions of three tensors that are expanded to each other.
fn trilinear(event: &Event) -> Counted {
    let mut sizes: Vec<u64> = Vec::new();
    for (tensor, expand) in [("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")] {
        let mut shape = event.require(tensor)?.shape.clone();
        let mut expanded = event.ints(expand).unwrap_or_default().to_vec();
        expanded.sort_unstable();
        for index in expanded {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            if index > shape.len() {
                return Err("it expands a dimension that isn't there".into());
            }
            shape.insert(index, 1);
        }
        sizes.resize(sizes.len().max(shape.len()), 1);
        for (all, one) in sizes.iter_mut().zip(shape) {
            // A dimension of one is as long as the others' are, and none where they have none.
            if one != 1 {
                *all = one;
            }
        }
    }
    Ok(event.moving(work(event, crate::tensor::product(&sizes))))
}

#[cfg(test)]
mod tests;
