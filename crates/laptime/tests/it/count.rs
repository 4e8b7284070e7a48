//! Operations that a program tells.
#![cfg(feature = "count")]

use laptime::count::{Argument, Count, Dtype, Phase, Tensor};

const F32: Dtype = Dtype::F32;

#[test]
fn a_training_step_is_told_by_its_products() {
    let counts = Count::new(F32)
        .module("net.linear")
        .matmul(1, 64, 1024, 256)
        .phase(Phase::Backward)
        .matmul(1, 256, 1024, 64)
        .params(256 * 1024)
        .finish();
    let product = 64 * 1024 * 256;
    assert_eq!(counts.total.phase(Phase::Forward).cost.mac, product);
    assert_eq!(counts.total.phase(Phase::Backward).cost.mac, product);
    assert_eq!(counts.params, Some(256 * 1024));
    let paths: Vec<&str> = counts.by_module.iter().map(|row| &row.path[..]).collect();
    assert_eq!(paths, ["", "net", "net.linear"]);
}

#[test]
fn bytes_follow_the_type() {
    let bytes = |dtype| {
        let counts = Count::new(dtype).matmul(2, 3, 4, 5).finish();
        counts.total.total().cost.bytes()
    };
    // 30 and 40 numbers in, 24 out.
    assert_eq!(bytes(F32), 4 * 94);
    assert_eq!(bytes(Dtype::BF16), 2 * 94);
}

#[test]
fn what_happens_more_often_costs_more() {
    let counts = Count::new(F32).times(80).matmul(1, 2, 3, 4).finish();
    assert_eq!(counts.total.total().cost.mac, 80 * 24);
    assert_eq!(counts.total.total().counted, 80);
}

#[test]
fn a_transposed_convolution_is_counted_over_its_input() {
    let counts = Count::new(F32)
        .conv_transpose(&[1, 8, 4, 4], &[8, 2, 3, 3], &[1, 4, 6, 6])
        .finish();
    // Two groups: 128 numbers in, each met by 2 · 9 taps.
    assert_eq!(counts.total.total().cost.mac, 128 * 18);
}

#[test]
fn attention_with_grouped_heads_counts_those_of_the_queries() {
    let counts = Count::new(F32)
        .attention(&[2, 8, 128, 64], &[2, 2, 128, 64], &[2, 2, 128, 64], true)
        .finish();
    let cost = counts.total.total().cost;
    assert_eq!((cost.mac, cost.active_mac), (33_554_432, 16_908_288));
    // Queries in, keys and values with a quarter of the heads, the result out.
    assert_eq!(
        cost.bytes_read,
        4 * (2 * 8 * 128 * 64 + 2 * 2 * 2 * 128 * 64)
    );
}

#[test]
fn shapes_that_do_not_fit_are_uncounted_and_said() {
    let counts = Count::new(F32)
        .conv(&[1, 3, 8, 8], &[16, 2, 3, 3], &[1, 16, 6, 6])
        .attention(&[2, 8, 4, 64], &[2, 8, 4, 32], &[2, 8, 4, 64], false)
        .finish();
    assert_eq!(counts.total.total().cost.mac, 0);
    let reasons: Vec<&str> = counts.uncounted.iter().map(|row| &row.reason[..]).collect();
    assert_eq!(
        reasons,
        [
            "its shapes do not fit: [2, 8, 4, 64], [2, 8, 4, 32], [2, 8, 4, 64], [2, 8, 4, 64]",
            "its shapes do not fit: [1, 3, 8, 8], [16, 2, 3, 3], [1, 16, 6, 6]",
        ]
    );
}

#[test]
fn a_function_that_is_not_known_is_uncounted() {
    let counts = Count::new(F32)
        .elementwise("exp", &[&[10]], &[10])
        .elementwise("frobnicate", &[&[10]], &[10])
        .reduce("sum", &[10], &[])
        .finish();
    let cost = counts.total.total().cost;
    assert_eq!((cost.transcendental, cost.other_flop), (10, 10));
    assert_eq!(counts.uncounted.len(), 1);
    assert_eq!(counts.uncounted[0].name, "aten::frobnicate");
    assert_eq!(counts.uncounted[0].elements, 10);
}

#[test]
fn an_operator_is_told_by_its_name_in_any_dialect() {
    let tensor = |shape: &[u64]| Argument::Tensor(Tensor::f32(shape));
    let counts = Count::new(F32)
        .phase(Phase::Backward)
        .operator(
            "burn::conv2d_weight_backward",
            &[
                ("x", tensor(&[1, 8, 6, 6])),
                ("weight", tensor(&[8, 2, 3, 3])),
                ("output_grad", tensor(&[1, 8, 4, 4])),
            ],
            &[Tensor::f32([8, 2, 3, 3])],
        )
        .finish();
    assert_eq!(counts.total.total().cost.mac, 128 * 18);
}
