//! Matrix products: what each call costs, every column by hand.

use super::*;
use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32, i64};

/// What multiplies 2 × 3 by 3 × 5, and more: 30 multiply-accumulates, 10 results.
fn of(name: &str, names: [&'static str; 2], more: &[(&str, Argument)]) -> Cost {
    let [left, right] = names;
    let operands = [(left, f32(&[2, 3])), (right, f32(&[3, 5]))];
    call(name, &[&operands, more].concat(), &[&[2, 5]])
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn plain_products_by_hand() {
    let batches = |names: [&'static str; 2]| {
        let [left, right] = names;
        [(left, f32(&[7, 2, 3])), (right, f32(&[7, 3, 5]))]
    };
    let (vector, mut sparse) = (f32(&[3]), Tensor::f32([2, 3]));
    sparse.stored = Some(4);
    let sparse = Argument::Tensor(sparse);
    let spread = [("self", f32(&[4, 1, 2, 3])), ("other", f32(&[6, 3, 5]))];
    let self_and = ["self", "mat2"];
    let mac = |mac, read, written| [("mac", mac), ("read", read), ("written", written)];
    let added = |flop| [("mac", 30), ("flop", flop), ("read", 124), ("written", 40)];
    let matrix = ("self", f32(&[2, 5]));
    let addmm = |factors: &[(&'static str, f64)]| {
        let factors = factors
            .iter()
            .map(|&(name, factor)| (name, Argument::Float(factor)));
        let more: Vec<_> = [matrix.clone()].into_iter().chain(factors).collect();
        of("aten::addmm", ["mat1", "mat2"], &more)
    };
    let pairs = |name: &'static str, shape: [u64; 2]| {
        (name, Argument::Tensors(vec![Some(Tensor::f32(shape)); 2]))
    };
    assert_costs(&[
        ("10 · 3", of("aten::mm", self_and, &[]), &mac(30, 84, 40)),
        (
            "7 · 10 · 3",
            call("aten::bmm", &batches(self_and), &[&[7, 2, 5]]),
            &mac(210, 588, 280),
        ),
        (
            "4 · 6 batches of 30",
            call("aten::matmul", &spread, &[&[4, 6, 2, 5]]),
            &mac(720, 456, 960),
        ),
        ("+ C", addmm(&[]), &added(10)),
        ("β C", addmm(&[("beta", 0.5)]), &added(20)),
        (
            "β C + α",
            addmm(&[("beta", 0.5), ("alpha", 2.0)]),
            &added(30),
        ),
        (
            "no C, but α",
            addmm(&[("beta", 0.0), ("alpha", 2.0)]),
            &added(10),
        ),
        ("ones", addmm(&[("beta", 1.0), ("alpha", 1.0)]), &added(10)),
        (
            "7 · 30, + C",
            call(
                "aten::baddbmm",
                &batches(["batch1", "batch2"]),
                &[&[7, 2, 5]],
            ),
            &[("mac", 210), ("flop", 70), ("read", 588), ("written", 280)],
        ),
        (
            "7 · 30 into one, + C",
            call("aten::addbmm", &batches(["batch1", "batch2"]), &[&[2, 5]]),
            &[("mac", 210), ("flop", 10), ("read", 588), ("written", 40)],
        ),
        (
            "two pairs",
            call(
                "aten::_foreach_mm",
                &[pairs("self", [2, 3]), pairs("mat2", [3, 5])],
                &[&[2, 5], &[2, 5]],
            ),
            &mac(60, 168, 80),
        ),
        (
            "2 · 3",
            call(
                "aten::mv",
                &[("self", f32(&[2, 3])), ("vec", vector.clone())],
                &[&[2]],
            ),
            &mac(6, 36, 8),
        ),
        (
            "2 · 3, + c",
            call(
                "aten::addmv",
                &[("mat", f32(&[2, 3])), ("vec", vector.clone())],
                &[&[2]],
            ),
            &[("mac", 6), ("flop", 2), ("read", 36), ("written", 8)],
        ),
        (
            "3",
            call(
                "aten::dot",
                &[("self", vector.clone()), ("tensor", vector.clone())],
                &[&[]],
            ),
            &mac(3, 24, 4),
        ),
        (
            "10 · 3",
            call(
                "aten::inner",
                &[("self", f32(&[2, 3])), ("other", f32(&[5, 3]))],
                &[&[2, 5]],
            ),
            &mac(30, 84, 40),
        ),
        (
            "3 · 5 products",
            call(
                "aten::outer",
                &[("self", vector.clone()), ("vec2", f32(&[5]))],
                &[&[3, 5]],
            ),
            &[("flop", 15), ("read", 32), ("written", 60)],
        ),
        (
            "and their addition",
            call(
                "aten::addr",
                &[("self", f32(&[3, 5])), ("vec1", vector)],
                &[&[3, 5]],
            ),
            &[("flop", 30), ("read", 72), ("written", 60)],
        ),
        (
            "4 stored, by 5 columns",
            call(
                "aten::mm",
                &[("self", sparse.clone()), ("mat2", f32(&[3, 5]))],
                &[&[2, 5]],
            ),
            &mac(20, 76, 40),
        ),
        (
            "4 stored, by a vector",
            call(
                "aten::mv",
                &[("self", sparse.clone()), ("vec", f32(&[3]))],
                &[&[2]],
            ),
            &mac(4, 28, 8),
        ),
        (
            "4 rows by 4 stored",
            call(
                "aten::mm",
                &[("self", f32(&[4, 2])), ("mat2", sparse.clone())],
                &[&[4, 3]],
            ),
            &mac(16, 48, 48),
        ),
        (
            "a vector by 4 stored",
            call(
                "aten::matmul",
                &[("self", f32(&[2])), ("other", sparse.clone())],
                &[&[3]],
            ),
            &mac(4, 24, 12),
        ),
        (
            "4 wanted of 3 products and an addition",
            call(
                "aten::sparse_sampled_addmm",
                &[("self", sparse), ("mat1", f32(&[2, 3]))],
                &[&[2, 3]],
            ),
            &[("mac", 12), ("flop", 4), ("read", 40), ("written", 24)],
        ),
    ]);
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn layers_and_their_gradients_by_hand() {
    let bias = ("bias", f32(&[5]));
    let mut stored = Tensor::f32([5, 3]);
    stored.stored = Some(4);
    let layer = |name: &str, weight: Argument, more: &[(&str, Argument)]| {
        let arguments = [&[("input", f32(&[2, 3])), ("weight", weight)], more].concat();
        call(name, &arguments, &[&[2, 5]])
    };
    let back = |mask: [bool; 3]| {
        let arguments = [
            ("self", f32(&[2, 3])),
            ("grad_output", f32(&[2, 5])),
            ("output_mask", Argument::Bools(mask.to_vec())),
        ];
        call("aten::linear_backward", &arguments, &[&[2, 3]])
    };
    let one = |name: &str, other: &'static str, shape: &[u64], more: &[(&str, Argument)]| {
        let arguments = [&[("grad_output", f32(&[2, 5])), (other, f32(shape))], more].concat();
        call(name, &arguments, &[&[2, 3]])
    };
    let with_bias = ("bias_defined", Argument::Bool(true));
    let gradient =
        |columns: &[(&'static str, u128)]| [columns, &[("read", 64), ("written", 24)]].concat();
    assert_costs(&[
        (
            "10 · 3, a bias",
            layer("aten::linear", f32(&[5, 3]), std::slice::from_ref(&bias)),
            &[("mac", 30), ("flop", 10), ("read", 104), ("written", 40)],
        ),
        (
            "2 rows by 4 stored",
            layer("aten::linear", Argument::Tensor(stored), &[]),
            &[("mac", 8), ("read", 40), ("written", 40)],
        ),
        (
            "10 · 3, a bias",
            of(
                "aten::_scaled_mm",
                ["self", "mat2"],
                std::slice::from_ref(&bias),
            ),
            &[("mac", 30), ("flop", 10), ("read", 104), ("written", 40)],
        ),
        (
            "10 · 3; of the packed weight what is there",
            of("aten::_weight_int4pack_mm", ["self", "packed"], &[]),
            &[("mac", 30), ("read", 84), ("written", 40)],
        ),
        (
            "10 results of the 3 that are stored of 6",
            layer(
                "aten::_sparse_semi_structured_linear",
                f32(&[5, 3]),
                &[bias],
            ),
            &[("mac", 30), ("flop", 10), ("read", 104), ("written", 40)],
        ),
        (
            "the same, with what is added",
            of(
                "aten::_sparse_semi_structured_addmm",
                ["mat1", "input"],
                &[],
            ),
            &[("mac", 30), ("flop", 10), ("read", 84), ("written", 40)],
        ),
        (
            "10 results over 6, of which half is stored",
            call(
                "aten::_cslt_sparse_mm",
                &[("compressed", f32(&[9])), ("dense_B", f32(&[6, 5]))],
                &[&[2, 5]],
            ),
            &[("mac", 30), ("read", 156), ("written", 40)],
        ),
        ("dx", back([true, false, false]), &gradient(&[("mac", 30)])),
        (
            "dx, dw",
            back([true, true, false]),
            &gradient(&[("mac", 60)]),
        ),
        (
            "dw, db",
            back([false, true, true]),
            &gradient(&[("mac", 30), ("flop", 10)]),
        ),
        (
            "dx",
            one("aten::mkldnn_linear_backward_input", "weight", &[5, 3], &[]),
            &[("mac", 30), ("read", 100), ("written", 24)],
        ),
        (
            "dw, db",
            one(
                "aten::mkldnn_linear_backward_weights",
                "input",
                &[2, 3],
                &[with_bias],
            ),
            &gradient(&[("mac", 30), ("flop", 10)]),
        ),
        (
            "4 rows of 5, each a sum over 3 · 2; a bias",
            call(
                "aten::bilinear",
                &[
                    ("input1", f32(&[4, 3])),
                    ("weight", f32(&[5, 3, 2])),
                    ("bias", f32(&[5])),
                ],
                &[&[4, 5]],
            ),
            &[("mac", 120), ("flop", 20), ("read", 188), ("written", 80)],
        ),
    ]);
}

#[test]
fn groups_by_hand() {
    let grouped = |left: &[u64], right: &[u64], offsets: Argument, output: &[u64]| {
        let arguments = [("self", f32(left)), ("mat2", f32(right)), ("offs", offsets)];
        call("aten::_grouped_mm", &arguments, &[output]).mac
    };
    let known = |last| Argument::Ints(vec![1, last]);
    // Rows, columns or what is summed over are split at 8; of 10 that there is room for.
    let rows = |offsets| grouped(&[10, 3], &[2, 3, 5], offsets, &[10, 5]);
    assert_eq!(
        (rows(known(8)), rows(known(99)), rows(i64(&[2]))),
        (120, 150, 150)
    );
    assert_eq!(grouped(&[2, 4, 3], &[3, 10], known(8), &[4, 10]), 4 * 8 * 3);
    assert_eq!(grouped(&[4, 10], &[10, 5], known(8), &[2, 4, 5]), 4 * 5 * 8);
    assert_eq!(
        grouped(&[2, 4, 3], &[2, 3, 5], Argument::Absent, &[2, 4, 5]),
        2 * 4 * 5 * 3
    );
}

#[test]
fn a_sum_of_products_of_three_by_hand() {
    let of = |rows| {
        let arguments = [
            ("i1", f32(&[rows, 3])),
            ("i2", f32(&[5, 3, 4])),
            ("i3", f32(&[rows, 4])),
            ("expand1", Argument::Ints(vec![1, 3])),
            ("expand2", Argument::Ints(vec![0])),
            ("expand3", Argument::Ints(vec![1, 2])),
        ];
        call("aten::_trilinear", &arguments, &[&[rows, 5]]).mac
    };
    assert_eq!((of(2), of(1), of(0)), (2 * 5 * 3 * 4, 5 * 3 * 4, 0));
}
