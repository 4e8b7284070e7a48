//! Look-ups and indexed places: what each call costs, every column by hand.

use super::*;
use crate::family::by_hand::{assert_costs, call, f32, i64};

#[test]
fn look_ups_by_hand() {
    // A table of 100 rows of 4 numbers, 16 bytes each; 3 indices of 8 bytes.
    let (table, index) = (f32(&[100, 4]), ("indices", i64(&[3])));
    let embedded = [("weight", table.clone()), index.clone()];
    let bag = [&embedded[..], &[("offsets", i64(&[2]))]].concat();
    let weighted = [&bag[..], &[("per_sample_weights", f32(&[3]))]].concat();
    let source = [("grad_output", f32(&[3, 4])), index.clone()];
    let samples = [&[("grad", f32(&[2, 4]))], &embedded[..]].concat();
    assert_costs(&[
        (
            "3 rows and 3 indices",
            call("aten::embedding", &embedded, &[&[3, 4]]),
            &[("read", 72), ("written", 48)],
        ),
        (
            "3 rows, 3 indices, 2 offsets; 12 additions",
            call("aten::_embedding_bag", &bag, &[&[2, 4]]),
            &[("flop", 12), ("read", 88), ("written", 32)],
        ),
        (
            "and a product each",
            call("aten::_embedding_bag", &weighted, &[&[2, 4]]),
            &[("flop", 24), ("read", 88), ("written", 32)],
        ),
        (
            "3 rows, 3 indices and the rows that they are added to",
            call("aten::embedding_dense_backward", &source, &[&[100, 4]]),
            &[("flop", 12), ("read", 120), ("written", 48)],
        ),
        (
            "the same",
            call(
                "aten::index_select_backward",
                &[("grad", f32(&[3, 4])), ("index", i64(&[3]))],
                &[&[100, 4]],
            ),
            &[("flop", 12), ("read", 120), ("written", 48)],
        ),
        (
            "of each sample a product and an addition for 4 numbers",
            call(
                "aten::_embedding_bag_per_sample_weights_backward",
                &samples,
                &[&[3]],
            ),
            &[("flop", 24), ("read", 104), ("written", 12)],
        ),
    ]);
}

#[test]
fn places_by_hand() {
    // Into 100 rows of 4: 3 rows along `dim`, or 3 single places; 8 bytes an index.
    let into = |name: &str, index: &[u64], more: &[(&str, Argument)]| {
        let arguments = [
            &[
                ("self", f32(&[100, 4])),
                ("dim", Argument::Int(0)),
                ("index", i64(index)),
            ],
            more,
        ];
        call(name, &arguments.concat(), &[&[100, 4]])
    };
    let source = |shape: &[u64]| ("src", f32(shape));
    let text = |text: &str| ("reduce", Argument::Text(text.into()));
    let moved = |columns: &[(&'static str, u128)], read| {
        [columns, &[("read", read), ("written", 1600)]].concat()
    };
    let put = |accumulate| {
        let arguments = [
            ("self", f32(&[100, 4])),
            (
                "indices",
                Argument::Tensors(vec![Some(Tensor::new([3], crate::tensor::Dtype::I64))]),
            ),
            ("values", f32(&[1])),
            ("accumulate", Argument::Bool(accumulate)),
        ];
        call("aten::index_put", &arguments, &[&[100, 4]])
    };
    let rows = source(&[3, 4]);
    assert_costs(&[
        (
            "12 additions: the rest is copied",
            into("aten::index_add", &[3], std::slice::from_ref(&rows)),
            &moved(&[("flop", 12)], 48 + 24 + 1600),
        ),
        (
            "in place 12 places are read and written",
            into("aten::index_add_", &[3], &[rows]),
            &[("flop", 12), ("read", 48 + 24 + 48), ("written", 48)],
        ),
        (
            "3 additions",
            into("aten::scatter_add", &[3, 1], &[source(&[3, 1])]),
            &moved(&[("flop", 3)], 12 + 24 + 1600),
        ),
        (
            "3 sums",
            into(
                "aten::scatter_reduce",
                &[3, 1],
                &[source(&[3, 1]), text("sum")],
            ),
            &moved(&[("flop", 3)], 12 + 24 + 1600),
        ),
        (
            "3 of which the larger stays",
            into(
                "aten::scatter_reduce",
                &[3, 1],
                &[source(&[3, 1]), text("amax")],
            ),
            &moved(&[("compare", 3)], 12 + 24 + 1600),
        ),
        (
            "3 written over",
            into("aten::scatter", &[3, 1], &[source(&[3, 1])]),
            &moved(&[], 12 + 24 + 1600),
        ),
        (
            "12 filled with a number that isn't in memory",
            into("aten::index_fill", &[3], &[]),
            &moved(&[], 24 + 1600),
        ),
        (
            "3 rows of 4 written over",
            put(false),
            &moved(&[], 4 + 24 + 1600),
        ),
        (
            "3 rows of 4 added to",
            put(true),
            &moved(&[("flop", 12)], 4 + 24 + 1600),
        ),
    ]);
}
