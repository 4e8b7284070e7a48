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
