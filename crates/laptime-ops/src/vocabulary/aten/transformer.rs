//! Whole attention blocks and encoder layers, as inference on the fast path runs them.
//!
//! Source: the modules they stand for, `MultiheadAttention` and `TransformerEncoderLayer`: a joint
//! projection, attention, another projection; two linear layers, two normalisations and two
//! residual additions around them.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::attention::{Attention, Mask};
use crate::family::elementwise::work;
use crate::family::matmul::macs;
use crate::family::normalization::{Affine, centred};
use crate::family::work::Work;
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "_native_multi_head_attention _triton_multi_head_attention",
        "as its parts: four projections, attention; biases other FLOP",
        |e| {
            let key = e.require("key")?;
            Ok(e.moving(block(e, e.require("query")?, key)?))
        },
    ),
    formula(
        "_transformer_encoder_layer_fwd",
        "as its parts: four projections, attention, two linear layers, their activation, two \
         normalisations, two additions",
        encoder_layer,
    ),
];

/// Projections and attention of queries and keys `[batch, length, size]`.
fn block(event: &Event, query: &Tensor, key: &Tensor) -> Counted {
    if query.stored.is_some() || key.stored.is_some() {
        return Err("the lengths of its nested sequences are data".into());
    }
    let (Some(batch), Some(queries), Some(keys)) = (query.dim(-3), query.dim(-2), key.dim(-2))
    else {
        return Err("its query and key have too few dimensions".into());
    };
    let size = query.dim(-1).unwrap_or(0);
    let heads = event.int("num_heads").or_else(|| event.int("num_head"));
    let heads = u128::try_from(heads.unwrap_or(0)).unwrap_or(0);
    let each = size.checked_div(heads).ok_or("it has no heads")?;
    let attention = Attention {
        batch,
        heads,
        queries,
        keys,
        key_size: each,
        value_size: each,
        mask: Mask::Dense,
    };
    // Queries and results by rows of the query; keys and values by rows of the key.
    let rows = batch
        .saturating_mul(queries.saturating_add(keys))
        .saturating_mul(2);
    let projected = rows.saturating_mul(size);
    let biases = Work::arithmetic(1).on(projected, query.dtype);
    Ok(macs(projected.saturating_mul(size)) + biases + attention.forward(query.dtype))
}

fn encoder_layer(event: &Event) -> Counted {
    let source = event.require("src")?;
    let inside = event.require("ffn_weight_1")?;
    let rows = source.held().checked_div(source.dim(-1).unwrap_or(0));
    let rows = rows.unwrap_or(0);
    let wide = rows.saturating_mul(inside.dim(0).unwrap_or(0));
    let weights = inside
        .held()
        .saturating_add(event.require("ffn_weight_2")?.held());
    let gelu = event.is_set("use_gelu");
    let activation = work(if gelu { "gelu" } else { "relu" }).unwrap_or(Work::NONE);
    let both = Affine {
        weight: true,
        bias: true,
    };
    // A bias and a residual twice, and two normalisations.
    let narrow = centred(both).and(centred(both)).and(Work::arithmetic(3));
    let around = activation.and(Work::arithmetic(1)).on(wide, source.dtype) + narrow.over(source);
    let products: Cost = macs(rows.saturating_mul(weights));
    Ok(event.moving(block(event, source, source)? + products + around))
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn blocks_and_layers_by_hand() {
        let heads = |name: &'static str| (name, Argument::Int(2));
        let block = |keys: u64| {
            let arguments = [
                ("query", f32(&[3, 4, 6])),
                ("key", f32(&[3, keys, 6])),
                heads("num_head"),
            ];
            call(
                "aten::_native_multi_head_attention",
                &arguments,
                &[&[3, 4, 6]],
            )
        };
        let layer = |gelu| {
            let arguments = [
                ("src", f32(&[3, 4, 6])),
                heads("num_heads"),
                ("ffn_weight_1", f32(&[10, 6])),
                ("ffn_weight_2", f32(&[6, 10])),
                ("use_gelu", Argument::Bool(gelu)),
            ];
            call(
                "aten::_transformer_encoder_layer_fwd",
                &arguments,
                &[&[3, 4, 6]],
            )
        };
        // Two projections of 3 · 4 rows and two of 3 · 5, 6 by 6, each result with a bias; 3 · 2 · 4 · 5 scores of
        // 3 + 3, with a scale and a softmax.
        // A layer: four projections of 12 rows; 96 scores; 12 · (60 + 60) and 12 · 10 biases; 72 numbers, each with a
        // bias, two residuals and two normalisations of 7.
        assert_costs(&[
            (
                "2 · 27 · 36 + 120 · 6; 2 · 27 · 6 + 120 · 4",
                block(5),
                &[
                    ("mac", 2664),
                    ("flop", 804),
                    ("transcendental", 120),
                    ("compare", 120),
                    ("read", 648),
                    ("written", 288),
                ],
            ),
            (
                "2 · 24 · 36 + 96 · 6 + 1440; 288 + 384 + 120 + 72 · 17; 120 rectifiers",
                layer(false),
                &[
                    ("mac", 3744),
                    ("flop", 2016),
                    ("transcendental", 96),
                    ("compare", 216),
                    ("read", 768),
                    ("written", 288),
                ],
            ),
            (
                "120 times 4 and an error function for them",
                layer(true),
                &[
                    ("mac", 3744),
                    ("flop", 2496),
                    ("transcendental", 216),
                    ("compare", 96),
                    ("read", 768),
                    ("written", 288),
                ],
            ),
        ]);
    }
}
