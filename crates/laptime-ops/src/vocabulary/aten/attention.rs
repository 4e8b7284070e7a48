//! Scaled dot product attention in all its kernels.
//!
//! Composite and `_scaled_dot_product_` operators take `[batch, heads, length, size]`; the kernels
//! below them `[batch, length, heads, size]`, or `[tokens, heads, size]` with the lengths of the
//! sequences as offsets. Those offsets are data; where a feed has them it passes integers.

use laptime_core::Cost;

use crate::event::{Argument, Event};
use crate::family::attention::{Attention, Mask};
use crate::family::movement::{bytes, moved};
use crate::family::work::Work;
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, formula};

const FORWARD: &str = "2·B·Hq·Sq·Sk·(Dqk+Dv); scale and softmax of each score; active by a causal \
                       mask or a window";
const BACKWARD: &str =
    "twice the forward; executed 2·B·Hq·Sq·Sk·(3·Dqk+2·Dv) as scores are computed again";

pub const TABLE: &[Entry] = &[
    formula(
        "scaled_dot_product_attention _scaled_dot_product_attention_math \
         _scaled_dot_product_attention_math_for_mps _scaled_dot_product_efficient_attention \
         _scaled_dot_product_cudnn_attention _scaled_dot_product_flash_attention_for_cpu \
         _scaled_dot_product_fused_attention_overrideable _triton_scaled_dot_attention",
        FORWARD,
        |e| forward(e, &[heads_first(e, causal(e, Mask::CausalTopLeft))?]),
    ),
    formula("_scaled_dot_product_flash_attention", FORWARD, |e| {
        forward(e, &[heads_first(e, causal(e, Mask::CausalBottomRight))?])
    }),
    formula(
        "_scaled_dot_product_efficient_attention_backward \
         _scaled_dot_product_cudnn_attention_backward \
         _scaled_dot_product_flash_attention_for_cpu_backward \
         _scaled_dot_product_fused_attention_overrideable_backward",
        BACKWARD,
        |e| backward(e, &[heads_first(e, causal(e, Mask::CausalTopLeft))?]),
    ),
    formula(
        "_scaled_dot_product_flash_attention_backward",
        BACKWARD,
        |e| backward(e, &[heads_first(e, causal(e, Mask::CausalBottomRight))?]),
    ),
    formula(
        "_flash_attention_forward _flash_attention_forward_no_dropout_inplace \
         _efficient_attention_forward _cudnn_attention_forward \
         _cudnn_attention_forward_no_dropout_inplace",
        FORWARD,
        |e| forward(e, &length_first(e)?),
    ),
    formula(
        "_flash_attention_backward _efficient_attention_backward _cudnn_attention_backward",
        BACKWARD,
        |e| backward(e, &length_first(e)?),
    ),
];

/// A causal mask where the call asks for one.
fn causal(event: &Event, aligned: Mask) -> Mask {
    if event.is_set("is_causal") {
        aligned
    } else {
        Mask::Dense
    }
}

/// Query, key and value.
fn operands(event: &Event) -> Result<[&Tensor; 3], String> {
    Ok([
        event.require_any(&["query", "q"])?,
        event.require_any(&["key", "k"])?,
        event.require_any(&["value", "v"])?,
    ])
}

const RANK: &str = "its query, key and value have too few dimensions";

/// `[…, heads, length, size]`.
fn heads_first(event: &Event, mask: Mask) -> Result<Attention, String> {
    let [query, key, value] = operands(event)?;
    let mut operands = [query, key, value].into_iter();
    if operands.any(|tensor| tensor.stored.is_some()) {
        return Err("the lengths of its nested sequences are data".into());
    }
    let attention = Attention::of(query, key, value).ok_or(RANK)?;
    Ok(Attention { mask, ..attention })
}

/// `[batch, length, heads, size]`, or sequences of different lengths one after the other.
fn length_first(event: &Event) -> Result<Vec<Attention>, String> {
    let [query, key, value] = operands(event)?;
    let one = Attention {
        batch: 1,
        heads: query.dim(-2).ok_or(RANK)?,
        queries: query.dim(-3).ok_or(RANK)?,
        keys: key.dim(-3).ok_or(RANK)?,
        key_size: query.dim(-1).ok_or(RANK)?,
        value_size: value.dim(-1).ok_or(RANK)?,
        mask: kernel_mask(event),
    };
    let offsets = |names: [&str; 2]| {
        let mut passed = names.into_iter().map(|name| event.get(name));
        passed.find(|argument| !matches!(argument, Argument::Absent))
    };
    let queries = offsets(["cum_seq_q", "cu_seqlens_q"]);
    let keys = offsets(["cum_seq_k", "cu_seqlens_k"]);
    match (queries, keys) {
        (Some(Argument::Ints(queries)), Some(Argument::Ints(keys))) => {
            if queries.len() != keys.len() {
                return Err(
                    "it has offsets for more sequences of one side than of the other".into(),
                );
            }
            let (queries, keys) = (lengths(queries)?, lengths(keys)?);
            Ok(queries
                .zip(keys)
                .map(|(queries, keys)| Attention {
                    queries,
                    keys,
                    ..one
                })
                .collect())
        }
        (Some(Argument::Tensor(offsets)), Some(_)) => same_lengths(event, one, offsets),
        _ => {
            let batch = query.shape.len().checked_sub(3).ok_or(RANK)?;
            let batch = crate::tensor::product(&query.shape[..batch]);
            Ok(vec![Attention { batch, ..one }])
        }
    }
}

/// Differences of offsets.
fn lengths(offsets: &[i64]) -> Result<impl Iterator<Item = u128>, String> {
    if offsets.windows(2).any(|pair| pair[1] < pair[0]) {
        return Err("the offsets of its sequences fall".into());
    }
    Ok(offsets
        .windows(2)
        .map(|pair| u128::from(pair[1].abs_diff(pair[0]))))
}

/// Where the longest sequences fill all tokens, every sequence is as long.
fn same_lengths(event: &Event, one: Attention, offsets: &Tensor) -> Result<Vec<Attention>, String> {
    let sequences = offsets.elements().saturating_sub(1);
    let longest = |names: [&str; 2]| {
        let length = names.into_iter().find_map(|name| event.int(name));
        u128::try_from(length?).ok()
    };
    let queries = longest(["max_q", "max_seqlen_q"]);
    let keys = longest(["max_k", "max_seqlen_k"]);
    if let (Some(queries), Some(keys)) = (queries, keys)
        && queries.saturating_mul(sequences) == one.queries
        && keys.saturating_mul(sequences) == one.keys
    {
        return Ok(vec![Attention {
            batch: sequences,
            queries,
            keys,
            ..one
        }]);
    }
    Err("the lengths of its sequences are data: count with real tensors".into())
}

/// The mask of a kernel: causal, a kind of its own, or a window.
fn kernel_mask(event: &Event) -> Mask {
    let window = |name: &str| {
        let keys = event.int(name).filter(|keys| *keys >= 0)?;
        u64::try_from(keys).ok()
    };
    let (left, right) = (window("window_size_left"), window("window_size_right"));
    let flash = event.signature.name.contains("flash");
    let is_causal = event.is_set("is_causal");
    match (is_causal, event.int("custom_mask_type")) {
        (_, Some(kind @ (1 | 2))) => match (event.int("window_size"), kind) {
            (Some(size @ 1..), 2) => Mask::Window {
                left: u64::try_from(size - 1).ok(),
                right: Some(0),
            },
            (_, 1) => Mask::CausalTopLeft,
            _ => Mask::CausalBottomRight,
        },
        (true, _) if flash => Mask::Window {
            left,
            right: Some(0),
        },
        (true, _) => Mask::CausalTopLeft,
        (false, _) if left.is_some() || right.is_some() => Mask::Window { left, right },
        _ => Mask::Dense,
    }
}

/// A mask that is added, and dropout, of each score.
fn score_work(event: &Event) -> Work {
    let masked = u32::from(masks(event).next().is_some());
    let dropped = u32::from(event.number("dropout_p").is_some_and(|share| share > 0.0));
    Work::arithmetic(masked + dropped).and(Work::compare(dropped))
}

/// Masks that are added to the scores.
fn masks(event: &Event) -> impl Iterator<Item = &Tensor> {
    let names = ["attn_mask", "attn_bias", "bias"].into_iter();
    names.filter_map(|name| event.tensor(name))
}

/// Reads query, key, value and mask; writes the output and the logarithm of each row's sum.
fn forward(event: &Event, sequences: &[Attention]) -> Counted {
    let operands = operands(event)?;
    let dtype = operands[0].dtype;
    let each = score_work(event);
    let cost: Cost = sequences
        .iter()
        .map(|one| one.forward(dtype) + each.on(one.scores(), dtype))
        .sum();
    let read = bytes(operands.into_iter().chain(masks(event)));
    let written = bytes(event.outputs.iter().take(2));
    Ok(cost + moved(read, written))
}

/// Reads query, key, value, mask, output, its gradient and the logarithms of the rows' sums;
/// writes the gradients.
fn backward(event: &Event, sequences: &[Attention]) -> Counted {
    let dtype = operands(event)?[0].dtype;
    let each = score_work(event);
    let cost: Cost = sequences
        .iter()
        .map(|one| one.backward(dtype, true) + each.on(one.scores(), dtype))
        .sum();
    let read = "grad_out grad_out_ query key value out logsumexp attn_mask attn_bias bias";
    let read = bytes(read.split(' ').filter_map(|name| event.tensor(name)));
    Ok(cost + moved(read, bytes(event.outputs.iter())))
}

#[cfg(test)]
mod tests;
