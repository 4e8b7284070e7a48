//! Sorting, selecting and searching.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::sorting::{search, sort};
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};

pub const TABLE: &[Entry] = &[
    formula(
        "sort argsort msort topk mode quantile nanquantile",
        "N·log2 N compares for each row",
        |e| {
            let input = e.require("self")?;
            let first = e.signature.name.ends_with("msort");
            let dim = e.int("dim").unwrap_or(if first { 0 } else { -1 });
            Ok(rows(e, input, dim))
        },
    ),
    formula("_unique _unique2 unique_dim", "N·log2 N compares", |e| {
        let input = e.require("self")?;
        Ok(e.moving(sort(input.held(), 1)))
    }),
    formula(
        "unique_consecutive unique_dim_consecutive",
        "N compares",
        |e| {
            let compare = e.require("self")?.held();
            Ok(e.moving(Cost {
                compare,
                ..Cost::default()
            }))
        },
    ),
    formula("searchsorted", "log2 N + 1 compares for each value", |e| {
        places(e, e.require("sorted_sequence")?)
    }),
    formula("bucketize", "log2 N + 1 compares for each value", |e| {
        places(e, e.require("boundaries")?)
    }),
    plain(
        "histogramdd _histogramdd_bin_edges",
        Rule::Unknown("its bins are data"),
    ),
];

fn rows(event: &Event, input: &Tensor, dim: i64) -> Cost {
    let row = input.dim(dim).unwrap_or(1);
    let times = input.held().checked_div(row).unwrap_or(0);
    event.moving(sort(row, times))
}

fn places(event: &Event, sorted: &Tensor) -> Counted {
    let times = event.require_output(0)?.held();
    Ok(event.moving(search(sorted.dim(-1).unwrap_or(0), times)))
}
