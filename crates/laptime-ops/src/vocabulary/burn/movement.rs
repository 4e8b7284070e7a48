//! Look-ups, adding into indexed places, copies, fills and views.
//!
//! burn doesn't say which copies a backend avoids: a slice counts as a copy of its part; what is
//! reshaped, transposed or expanded is a view.

use crate::event::{Argument, Event};
use crate::family::collective::{self, Collective::AllReduce};
use crate::family::movement::{lookup, moved, scatter};
use crate::family::work::Work;

use crate::vocabulary::table::{Counted, Entry, Rule, formula, moves, plain};

pub const TABLE: &[Entry] = &[
    moves(
        "embedding select gather gather_nd",
        "zero: rows touched and index read, result written; not the table",
        |e| {
            let table = e.require_any(&["weights", "tensor", "data"])?;
            let index = e.require("indices")?;
            Ok(lookup(table, index.bytes(), e.require_output(0)?))
        },
    ),
    formula(
        "embedding_backward",
        "1 FLOP for each element that comes in; source and index read, what is touched read and \
         written",
        |e| {
            let source = e.require("out_grad")?;
            let read = source.bytes().saturating_add(e.require("indices")?.bytes());
            let cost = Work::arithmetic(1).over(source);
            Ok(cost + scatter(e.require_output(0)?, source.held(), read))
        },
    ),
    formula(
        "select_assign scatter scatter_nd",
        "1 FLOP for each value that is added or multiplied in, 1 compare where the larger or \
         smaller stays; none where it is written over",
        assigned,
    ),
    moves("slice", "zero: the part read, the result written", |e| {
        let bytes = e.require_output(0)?.bytes();
        Ok(moved(bytes, bytes))
    }),
    plain(
        "slice_assign flip cat repeat_dim cast into_int into_float pad unfold4d",
        Rule::Copy,
    ),
    plain("reshape swap_dims permute expand unfold", Rule::Nothing),
    plain("empty sync_collective", Rule::Nothing),
    plain("ones zeros full random int_random init", Rule::Fill),
    formula(
        "all_reduce",
        "(p − 1) / p additions among p devices, 2 (p − 1) / p of the bytes over links",
        |e| {
            let Argument::Tensors(devices) = e.get("device_ids") else {
                return Err("among how many devices it reduces is not known".into());
            };
            let tensor = e.require("tensor")?;
            let devices = devices.len() as u128;
            let cost = collective::cost(AllReduce, devices, tensor.held(), tensor.dtype);
            Ok(e.moving(cost))
        },
    ),
    plain(
        "ctc_loss ctc_loss_backward",
        Rule::Unknown("how long its sequences are is data"),
    ),
];

/// Values that meet what stands at their place, in a copy of the tensor.
fn assigned(event: &Event) -> Counted {
    let value = event.require_any(&["value", "values"])?;
    let update = event.text("update").or_else(|| event.text("reduction"));
    let each = match update {
        Some("Assign") => Work::NONE,
        Some("Add" | "Mul") => Work::arithmetic(1),
        Some("Min" | "Max") => Work::compare(1),
        _ => return Err("how it updates is not known".into()),
    };
    Ok(event.moving(each.over(value)))
}
