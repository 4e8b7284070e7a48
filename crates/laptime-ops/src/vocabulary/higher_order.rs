//! Operators that take functions.
//!
//! Loops and branches are opened by the feed, which records what runs in them. Attention written
//! with functions (`flex_attention`) computes whole blocks of scores: those that its block mask
//! leaves, of which a feed passes `active_blocks` and `all_blocks` where the mask's values are known,
//! and a text as `active_blocks` where there is a mask and they are not.

use std::sync::LazyLock;

use laptime_core::Cost;

use super::table::{Counted, Dialect, Entry, formula};
use crate::event::{Argument, Event};
use crate::family::attention::Attention;
use crate::family::movement::{bytes, moved};

/// Operators that take functions.
pub const TABLE: &[Entry] = &[
    formula(
        "flex_attention",
        "2·B·Hq·Sq·Sk·(Dqk+Dv) of the blocks that its mask leaves; scale and softmax of each score",
        |e| flex(e, Attention::forward),
    ),
    formula(
        "flex_attention_backward",
        "twice the forward; executed 2·B·Hq·Sq·Sk·(3·Dqk+2·Dv)",
        |e| flex(e, |attention, dtype| attention.backward(dtype, true)),
    ),
];

/// The dialect of operators that take functions.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

fn flex(event: &Event, cost: fn(&Attention, crate::tensor::Dtype) -> Cost) -> Counted {
    let (query, key, value) = (
        event.require("query")?,
        event.require("key")?,
        event.require("value")?,
    );
    let rank = "its query, key and value have too few dimensions";
    query.dim(-3).ok_or(rank)?;
    let attention = Attention::of(query, key, value).ok_or(rank)?;
    let (active, all) = blocks(event)?;
    let read = bytes(event.inputs());
    let written = bytes(event.outputs.iter());
    let dense = cost(&attention, query.dtype);
    let part = |count: u128| count.saturating_mul(active) / all;
    Ok(Cost {
        mac: part(dense.mac),
        active_mac: part(dense.active_mac),
        executed_mac: part(dense.executed_mac),
        other_flop: part(dense.other_flop),
        transcendental: part(dense.transcendental),
        compare: part(dense.compare),
        ..moved(read, written)
    })
}

/// Blocks that a mask leaves, and all of them. One of one without a mask.
fn blocks(event: &Event) -> Result<(u128, u128), String> {
    match (event.get("active_blocks"), event.count("all_blocks")) {
        (Argument::Absent, _) => Ok((1, 1)),
        (Argument::Int(_), Some(all)) if all > 0 => {
            let active = event.count("active_blocks").unwrap_or(0);
            Ok((active.min(all), all))
        }
        _ => Err("which blocks its mask leaves is data: count with real tensors".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn blocks_by_hand() {
        let of = |name: &str, blocks: &[(&str, Argument)]| {
            let operands = [
                ("query", f32(&[2, 3, 4, 5])),
                ("key", f32(&[2, 3, 4, 5])),
                ("value", f32(&[2, 3, 4, 7])),
            ];
            let arguments = [&operands, blocks].concat();
            call(
                &format!("higher_order::{name}"),
                &arguments,
                &[&[2, 3, 4, 7]],
            )
        };
        let part = [
            ("active_blocks", Argument::Int(3)),
            ("all_blocks", Argument::Int(4)),
        ];
        // 96 scores, of which 3/4 are 72; 5 + 7 each, a scale and a softmax; back twice that, and 5 again.
        let columns =
            |mac: u128, executed: &[(&'static str, u128)], rest: &[(&'static str, u128)]| {
                [
                    &[("mac", mac)],
                    executed,
                    rest,
                    &[("read", 1632), ("written", 672)],
                ]
                .concat()
            };
        let each = |scores: u128| {
            [
                ("flop", 4 * scores),
                ("transcendental", scores),
                ("compare", scores),
            ]
        };
        let back = [("flop", 360), ("transcendental", 72)];
        assert_costs(&[
            (
                "96 · 12",
                of("flex_attention", &[]),
                &columns(1152, &[], &each(96)),
            ),
            (
                "72 · 12",
                of("flex_attention", &part),
                &columns(864, &[], &each(72)),
            ),
            (
                "72 · 24, and 72 · 5",
                of("flex_attention_backward", &part),
                &columns(1728, &[("executed", 2088)], &back),
            ),
        ]);
    }

    #[test]
    fn operands_without_heads_are_not_counted() {
        let operands = ["query", "key", "value"].map(|name| (name, f32(&[4, 5])));
        let event = Event::named("higher_order::flex_attention", &operands, vec![]);
        let outcome = crate::vocabulary::outcome(&event);
        assert!(matches!(outcome, crate::Outcome::Uncounted(_)));
    }
}
