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

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn every_call_by_hand() {
        let sorted = |name: &str, arguments: &[(&str, Argument)]| {
            let arguments = [&[("self", f32(&[4, 8]))], arguments].concat();
            call(name, &arguments, &[&[4, 8]])
        };
        let found = |name: &str, sorted: &str| {
            let arguments = [(sorted, f32(&[8])), ("self", f32(&[10]))];
            call(name, &arguments, &[&[10]])
        };
        let compare = |compare| [("compare", compare), ("read", 128), ("written", 128)];
        let search = [("compare", 40), ("read", 72), ("written", 40)];
        assert_costs(&[
            ("4 rows: 8 · 3", sorted("aten::sort", &[]), &compare(96)),
            (
                "8 columns: 4 · 2",
                sorted("aten::sort", &[("dim", Argument::Int(0))]),
                &compare(64),
            ),
            ("8 columns: 4 · 2", sorted("aten::msort", &[]), &compare(64)),
            ("32 · 5", sorted("aten::_unique", &[]), &compare(160)),
            ("32", sorted("aten::unique_consecutive", &[]), &compare(32)),
            (
                "10 values: 3 halvings and one",
                found("aten::searchsorted", "sorted_sequence"),
                &search,
            ),
            (
                "10 values: 3 halvings and one",
                found("aten::bucketize", "boundaries"),
                &search,
            ),
        ]);
    }
}
