//! Look-ups by index, and adding into or writing over indexed places.

use laptime_core::Cost;

use crate::event::{Argument, Event};
use crate::family::movement::{bytes, lookup, moved, scatter};
use crate::family::work::Work;
use crate::tensor::{Kind, Tensor};
use crate::vocabulary::table::{Counted, Entry, Rule, computed_in, formula, moves, plain};

pub const TABLE: &[Entry] = &[
    moves(
        "embedding index_select gather take index _unsafe_index _unsafe_masked_index \
         take_along_dim",
        "zero: rows touched and index read, result written; not the table",
        |e| {
            let (table, result) = (e.require_any(&["weight", "self"])?, e.require_output(0)?);
            Ok(lookup(table, index_bytes(e), result))
        },
    ),
    formula(
        "_embedding_bag _embedding_bag_forward_only embedding_bag",
        "1 FLOP for each element looked up, 2 with weights of samples; rows touched, not the table",
        |e| {
            let (table, result) = (e.require("weight")?, e.require_output(0)?);
            let rows = u64::try_from(e.require("indices")?.held()).unwrap_or(u64::MAX);
            let row = table.shape.last().copied().unwrap_or(1);
            let looked_up = Tensor::new([rows, row], table.dtype);
            let each = 1 + u32::from(e.tensor("per_sample_weights").is_some());
            let moved = lookup(table, index_bytes(e), &looked_up);
            Ok(Cost {
                bytes_written: result.bytes(),
                ..moved
            } + Work::arithmetic(each).on(looked_up.held(), result.dtype))
        },
    ),
    formula(
        "embedding_dense_backward _embedding_bag_dense_backward _embedding_bag_backward \
         embedding_sparse_backward",
        "1 FLOP for each element that comes in; source and index read, what is touched read and \
         written",
        |e| {
            let source = e.require_any(&["grad_output", "grad"])?;
            let target = e.output().unwrap_or(source);
            let cost = Work::arithmetic(1).over(source);
            Ok(cost + gradient(e, target, source))
        },
    ),
    formula(
        "scatter_add index_add _unsafe_masked_index_put_accumulate",
        "1 FLOP for each element of the source",
        |e| adding(e, 1),
    ),
    formula(
        "scatter_reduce index_reduce scatter put",
        "1 FLOP for each element of the source; a compare where the largest or smallest is kept; \
         none where it is written over",
        |e| match e.text("reduce") {
            Some("amax" | "amin" | "max" | "min") => places(e, Work::compare(1)),
            Some(_) => adding(e, 1),
            None => adding(e, u32::from(e.is_set("accumulate"))),
        },
    ),
    formula(
        "index_put _index_put_impl _unsafe_index_put",
        "1 FLOP for each value that is added; none where it is written over",
        |e| adding(e, u32::from(e.is_set("accumulate"))),
    ),
    moves(
        "index_copy index_fill masked_scatter slice_scatter select_scatter diagonal_scatter \
         as_strided_scatter",
        "zero: source and index read, what is touched written; the rest copied unless in place",
        |e| adding(e, 0),
    ),
    formula(
        "index_select_backward gather_backward",
        "1 FLOP for each element that comes in",
        |e| {
            let source = e.require("grad")?;
            let cost = Work::arithmetic(1).over(source);
            Ok(cost + gradient(e, e.require_output(0)?, source))
        },
    ),
    moves(
        "masked_select masked_select_backward",
        "zero: read and written",
        |e| Ok(e.moving(Cost::default())),
    ),
    formula(
        "_embedding_bag_per_sample_weights_backward",
        "2 FLOP for each element looked up; rows touched, not the table",
        |e| {
            let (table, output) = (e.require("weight")?, e.require_output(0)?);
            let row = table.dim(-1).unwrap_or(1);
            let elements = output.held().saturating_mul(row);
            let read = table.bytes_of(elements).min(table.bytes());
            let read = read.saturating_add(e.require("grad")?.bytes());
            let cost = Work::arithmetic(2).on(elements, table.dtype);
            Ok(cost + moved(read.saturating_add(index_bytes(e)), output.bytes()))
        },
    ),
    plain("one_hot", Rule::Copy),
    plain(
        "embedding_renorm",
        Rule::Unknown("which rows are too long is data"),
    ),
];

/// Bytes of the tensors that say where.
fn index_bytes(event: &Event) -> u128 {
    let names = ["index", "indices", "offsets", "offset2bag"].into_iter();
    bytes(names.flat_map(|name| event.tensors(name)))
}

/// A gradient that comes in, added to the rows it belongs to.
fn gradient(event: &Event, target: &Tensor, source: &Tensor) -> Cost {
    let read = source.bytes().saturating_add(index_bytes(event));
    scatter(target, source.held(), read)
}

/// So much work for each place that is written: of a tensor of sources, or, where a single number
/// goes to many, of the index. In place only what is touched moves; else the rest is copied.
fn places(event: &Event, work: Work) -> Counted {
    let target = event.require("self")?;
    let mut sources = ["src", "source", "values", "value"].into_iter();
    let source = sources.find_map(|name| event.tensor(name));
    let elements = match (source, indexed(event, target)) {
        (Some(source), indexed) => source.held().max(indexed.unwrap_or(0)),
        (None, Some(indexed)) => indexed,
        (None, None) => return Err("how many places it writes is data".into()),
    };
    let read = source.map_or(0, Tensor::bytes);
    let read = read.saturating_add(index_bytes(event));
    let result = event.output().unwrap_or(target);
    let cost = work.on(elements, computed_in(event, result));
    Ok(cost
        + if event.is_in_place() {
            scatter(target, elements, read)
        } else {
            let read = read.saturating_add(target.bytes());
            moved(read, target.bytes_of(target.held()))
        })
}

/// Places that an index names: of single elements, of slices along `dim`, or by a list with an
/// index for each of the first dimensions. `None`: truth values, whose number is data.
fn indexed(event: &Event, target: &Tensor) -> Option<u128> {
    if let Some(index) = event.tensor("index") {
        let slices = event.signature.name.contains("::index_");
        let all = target
            .dim(event.int("dim").unwrap_or(0))
            .unwrap_or(1)
            .max(1);
        let each = if slices { target.held() / all } else { 1 };
        return Some(index.held().saturating_mul(each));
    }
    let Argument::Tensors(indices) = event.get("indices") else {
        return None;
    };
    if indices
        .iter()
        .flatten()
        .any(|index| index.dtype.kind == Kind::Bool)
    {
        return None;
    }
    let met = indices.iter().flatten().map(Tensor::held).max()?;
    let rest = target.shape.iter().enumerate();
    let rest = rest.filter(|(dim, _)| indices.get(*dim).is_none_or(Option::is_none));
    Some(rest.fold(met, |all, (_, &size)| all.saturating_mul(u128::from(size))))
}

fn adding(event: &Event, each: u32) -> Counted {
    places(event, Work::arithmetic(each))
}

#[cfg(test)]
mod tests;
