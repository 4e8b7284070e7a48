//! Matrix products and convolutions: what each call costs, every column by hand.

use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};

#[test]
fn matrices_by_hand() {
    // 2 × 3 by 3 × 5: 6 + 15 numbers in, 10 out.
    let of = |name: &str, more: &[(&str, Argument)]| {
        let arguments = [&[("A", f32(&[2, 3])), ("B", f32(&[3, 5]))], more].concat();
        call(&format!("onnx::{name}"), &arguments, &[&[2, 5]])
    };
    let shaped = |left: &[u64], right: &[u64], more: &[(&str, Argument)], output: &[u64]| {
        let arguments = [&[("A", f32(left)), ("B", f32(right))], more].concat();
        call("onnx::MatMul", &arguments, &[output]).mac
    };
    let (alpha, beta) = (
        ("alpha", Argument::Float(2.0)),
        ("beta", Argument::Float(0.5)),
    );
    let added = ("C", f32(&[5]));
    let bits = [("N", Argument::Int(5))];
    let biased = [&bits[..], &[("bias", f32(&[5]))]].concat();
    let one = |name: &'static str| (name, f32(&[1]));
    let zeros = [one("a_zero_point"), one("b_zero_point")];
    let scales = [one("b_scale"), ("bias", f32(&[5]))];
    let requantised = [one("b_scale"), one("y_scale")];
    let columns = |columns: &[(&'static str, u128)], read| {
        [&[("mac", 30)], columns, &[("read", read), ("written", 40)]].concat()
    };
    assert_costs(&[
        ("10 · 3", of("MatMul", &[]), &columns(&[], 84)),
        (
            "· 2",
            of("FusedMatMul", std::slice::from_ref(&alpha)),
            &columns(&[("flop", 10)], 84),
        ),
        ("10 · 3", of("Gemm", &[]), &columns(&[], 84)),
        (
            "+ C",
            of("Gemm", std::slice::from_ref(&added)),
            &columns(&[("flop", 10)], 104),
        ),
        (
            "· 2, + C, · 1/2 of 5",
            of("Gemm", &[alpha, added, beta]),
            &columns(&[("flop", 25)], 104),
        ),
        ("6 · 5", of("MatMulNBits", &bits), &columns(&[], 84)),
        (
            "and a bias",
            of("MatMulNBits", &biased),
            &columns(&[("flop", 10)], 104),
        ),
        (
            "zeros off 6 and 15",
            of("MatMulInteger", &zeros),
            &columns(&[("integer", 21)], 92),
        ),
        (
            "zeros off 6",
            of("MatMulInteger", &zeros[..1]),
            &columns(&[("integer", 6)], 88),
        ),
        (
            "a scale, a bias",
            of("MatMulIntegerToFloat", &scales),
            &columns(&[("flop", 20)], 108),
        ),
        (
            "scale, shift, round, two ends",
            of("QLinearMatMul", &requantised),
            &columns(&[("flop", 30), ("compare", 20)], 92),
        ),
    ]);
    let turned = |name: &'static str| [(name, Argument::Bool(true))];
    assert_eq!(shaped(&[3], &[3, 5], &[], &[5]), 15);
    assert_eq!(shaped(&[2, 3], &[3], &[], &[2]), 6);
    assert_eq!(shaped(&[7, 2, 3], &[3, 5], &[], &[7, 2, 5]), 210);
    assert_eq!(shaped(&[3, 2], &[3, 5], &turned("transA"), &[2, 5]), 30);
    assert_eq!(shaped(&[2, 3], &[5, 3], &turned("transB"), &[2, 5]), 30);
    let tall = [
        ("A", f32(&[3, 2])),
        ("B", f32(&[3, 5])),
        ("transA", Argument::Bool(true)),
    ];
    assert_eq!(call("onnx::Gemm", &tall, &[&[2, 5]]).mac, 30);
}

#[test]
fn convolutions_by_hand() {
    // 4 channels to 6, 5 × 5 to 3 × 3 by 3 × 3: 54 results of 36 taps.
    let of = |name: &str, more: &[(&str, Argument)]| {
        let operands = [("X", f32(&[1, 4, 5, 5])), ("W", f32(&[6, 4, 3, 3]))];
        call(
            &format!("onnx::{name}"),
            &[&operands, more].concat(),
            &[&[1, 6, 3, 3]],
        )
    };
    let (bias, residual) = (("B", f32(&[6])), ("Z", f32(&[1, 6, 3, 3])));
    let then = |name: &str| [("activation", Argument::Text(name.into()))];
    let one = |name: &'static str| (name, f32(&[1]));
    let quantised = [
        one("x_scale"),
        one("x_zero_point"),
        one("w_zero_point"),
        one("y_scale"),
        ("B", f32(&[6])),
    ];
    let offsets = |groups: i64| {
        [
            ("offset", f32(&[1, 18 * groups.unsigned_abs(), 3, 3])),
            ("offset_group", Argument::Int(groups)),
        ]
    };
    let columns = |columns: &[(&'static str, u128)], read| {
        [
            &[("mac", 1944)],
            columns,
            &[("read", read), ("written", 216)],
        ]
        .concat()
    };
    let sampled = |read| columns(&[("flop", 36 * 9 * 7)], read);
    assert_costs(&[
        ("54 · 36", of("Conv", &[]), &columns(&[], 1264)),
        (
            "a bias",
            of("Conv", std::slice::from_ref(&bias)),
            &columns(&[("flop", 54)], 1288),
        ),
        (
            "a bias, a sum",
            of("FusedConv", &[bias, residual]),
            &columns(&[("flop", 108)], 1504),
        ),
        (
            "a rectifier",
            of("FusedConv", &then("Relu")),
            &columns(&[("compare", 54)], 1264),
        ),
        (
            "two ends",
            of("FusedConv", &then("Clip")),
            &columns(&[("compare", 108)], 1264),
        ),
        (
            "a sigmoid",
            of("FusedConv", &then("Sigmoid")),
            &columns(&[("flop", 108), ("transcendental", 54)], 1264),
        ),
        (
            "100 pixels in, each by 36 taps",
            of("ConvTranspose", &[]),
            &[("mac", 3600), ("read", 1264), ("written", 216)],
        ),
        (
            "zeros off 100 and 216; scale, shift, round, two ends; a bias",
            of("QLinearConv", &quantised),
            &columns(&[("flop", 216), ("integer", 316), ("compare", 108)], 1304),
        ),
        // 4 channels of 9 places of 9 taps, each 7 FLOP; every group of channels has offsets of its own.
        (
            "36 · 9 samples",
            of("DeformConv", &offsets(1)),
            &sampled(1912),
        ),
        (
            "36 · 9 samples",
            of("DeformConv", &offsets(2)),
            &sampled(2560),
        ),
    ]);
}
