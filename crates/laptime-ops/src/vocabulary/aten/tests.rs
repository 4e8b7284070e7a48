//! Calls as the dispatcher makes them, worked by hand.

use laptime_core::Cost;

use crate::event::{Argument, Event, Signature};
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary;

/// A single-precision tensor.
fn f32<const RANK: usize>(shape: [u64; RANK]) -> Argument {
    Argument::Tensor(Tensor::f32(shape))
}

/// Indices.
fn i64<const RANK: usize>(shape: [u64; RANK]) -> Argument {
    Argument::Tensor(Tensor::new(shape, Dtype::I64))
}

/// A call with arguments by name; its results are single-precision tensors.
fn event(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> Event {
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    Event::new(
        Signature::new(name, &names),
        arguments.iter().map(|(_, value)| value.clone()).collect(),
        outputs.iter().map(|shape| Tensor::f32(*shape)).collect(),
    )
}

/// What a call costs that is counted.
fn cost(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> Cost {
    match vocabulary::outcome(&event(name, arguments, outputs)) {
        Outcome::Counted(cost) => cost,
        other => panic!("{name} is not counted: {other:?}"),
    }
}

/// What a call moves that costs nothing.
fn moved(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> (u128, u128) {
    match vocabulary::outcome(&event(name, arguments, outputs)) {
        Outcome::Zero(cost) => (cost.bytes_read, cost.bytes_written),
        other => panic!("{name} is not zero: {other:?}"),
    }
}

#[test]
fn a_bias_is_other_flop_and_its_factors_too() {
    let arguments = [
        ("self", f32([5])),
        ("mat1", f32([2, 3])),
        ("mat2", f32([3, 5])),
    ];
    let plain = cost("aten::addmm", &arguments, &[&[2, 5]]);
    assert_eq!((plain.flop(), plain.other_flop), (60, 10));
    assert_eq!(plain.bytes_read, 4 * (5 + 6 + 15));
    let mut scaled = arguments.to_vec();
    scaled.push(("beta", Argument::Float(0.5)));
    scaled.push(("alpha", Argument::Int(2)));
    assert_eq!(cost("aten::addmm", &scaled, &[&[2, 5]]).other_flop, 30);
    scaled[3].1 = Argument::Int(0);
    assert_eq!(cost("aten::addmm", &scaled, &[&[2, 5]]).other_flop, 10);
}

#[test]
fn a_sparse_matrix_takes_part_with_what_it_stores() {
    let mut sparse = Tensor::f32([100, 100]);
    sparse.stored = Some(7);
    let arguments = [("self", Argument::Tensor(sparse)), ("mat2", f32([100, 5]))];
    assert_eq!(cost("aten::mm", &arguments, &[&[100, 5]]).mac, 35);
}

#[test]
fn matmul_broadcasts_its_batches() {
    let arguments = [("self", f32([4, 1, 2, 3])), ("other", f32([6, 3, 5]))];
    assert_eq!(
        cost("aten::matmul", &arguments, &[&[4, 6, 2, 5]]).mac,
        24 * 2 * 5 * 3
    );
    let vectors = [("self", f32([7])), ("tensor", f32([7]))];
    assert_eq!(cost("aten::dot", &vectors, &[&[]]).mac, 7);
}

#[test]
fn a_depthwise_convolution_has_gradients_of_its_own_size() {
    let arguments = |transposed| {
        [
            ("grad_output", f32([1, 64, 32, 32])),
            ("input", f32([1, 64, 32, 32])),
            ("weight", f32([64, 1, 3, 3])),
            ("transposed", Argument::Bool(transposed)),
            ("groups", Argument::Int(64)),
            ("output_mask", Argument::Bools(vec![true, true, false])),
        ]
    };
    let outputs: &[&[u64]] = &[&[1, 64, 32, 32], &[64, 1, 3, 3]];
    let both = cost("aten::convolution_backward", &arguments(false), outputs);
    assert_eq!(both.mac, 2 * 9 * 64 * 32 * 32);
    let (image, weight) = (4 * 64 * 32 * 32, 4 * 64 * 9);
    assert_eq!(both.bytes_read, 3 * image + weight);
    assert_eq!(both.bytes_written, image + weight);
}

#[test]
fn causal_attention_is_dense_in_the_headline() {
    let mut arguments = vec![
        ("query", f32([2, 8, 128, 64])),
        ("key", f32([2, 2, 128, 64])),
        ("value", f32([2, 2, 128, 64])),
        ("is_causal", Argument::Bool(true)),
    ];
    let outputs: &[&[u64]] = &[&[2, 8, 128, 64], &[2, 8, 128]];
    let name = "aten::_scaled_dot_product_flash_attention_for_cpu";
    let forward = cost(name, &arguments, outputs);
    assert_eq!((forward.mac, forward.active_mac), (33_554_432, 16_908_288));
    assert_eq!(forward.bytes_read, 4 * 128 * 64 * (16 + 4 + 4));
    assert_eq!(forward.bytes_written, 4 * 2 * 8 * 128 * (64 + 1));
    arguments[3].1 = Argument::Bool(false);
    let dense = cost(name, &arguments, outputs);
    assert_eq!(dense.mac, dense.active_mac);
}

#[test]
fn sequences_of_different_lengths_are_counted_where_their_offsets_are_known() {
    let arguments = |offsets: Argument| {
        [
            ("query", f32([6, 2, 8])),
            ("key", f32([6, 2, 8])),
            ("value", f32([6, 2, 8])),
            ("cum_seq_q", offsets.clone()),
            ("cum_seq_k", offsets),
            ("max_q", Argument::Int(4)),
            ("max_k", Argument::Int(4)),
            ("is_causal", Argument::Bool(false)),
        ]
    };
    let outputs: &[&[u64]] = &[&[6, 2, 8], &[2, 6]];
    let name = "aten::_flash_attention_forward";
    let known = arguments(Argument::Ints(vec![0, 2, 6]));
    assert_eq!(cost(name, &known, outputs).mac, 2 * (4 + 16) * 16);
    let unknown = event(name, &arguments(i64([3])), outputs);
    assert!(
        matches!(vocabulary::outcome(&unknown), Outcome::Uncounted(reason) if reason.contains("data"))
    );
    let mut even = arguments(i64([3]));
    even[5].1 = Argument::Int(3);
    even[6].1 = Argument::Int(3);
    assert_eq!(cost(name, &even, outputs).mac, 2 * 2 * 9 * 16);
}

#[test]
fn names_that_differ_by_how_they_write_cost_the_same() {
    let arguments = [("self", f32([3, 4])), ("other", f32([3, 4]))];
    let plain = cost("aten::mul", &arguments, &[&[3, 4]]);
    assert_eq!(plain.other_flop, 12);
    assert_eq!(cost("aten::mul_", &arguments, &[&[3, 4]]), plain);
    let list = Argument::Tensors(vec![Some(Tensor::f32([3, 4])), Some(Tensor::f32([5]))]);
    let lists = [("self", list.clone()), ("other", list)];
    // In place, and so without a result.
    let each = cost("aten::_foreach_mul_", &lists, &[]);
    assert_eq!((each.other_flop, each.bytes_written), (17, 68));
}

#[test]
fn copies_read_and_write_and_views_do_nothing() {
    assert_eq!(
        moved("aten::clone", &[("self", f32([10]))], &[&[10]]),
        (40, 40)
    );
    assert_eq!(
        moved("aten::zeros_like", &[("self", f32([10]))], &[&[10]]),
        (0, 40)
    );
    assert_eq!(
        moved("aten::permute", &[("self", f32([2, 5]))], &[&[5, 2]]),
        (0, 0)
    );
    let copy = [("self", f32([10])), ("src", f32([1]))];
    assert_eq!(moved("aten::copy_", &copy, &[&[10]]), (4, 40));
}

#[test]
fn a_look_up_costs_no_flop_and_its_gradient_one_an_element() {
    let arguments = [("weight", f32([50_000, 256])), ("indices", i64([4, 128]))];
    let rows = 4 * 512 * 256;
    assert_eq!(
        moved("aten::embedding", &arguments, &[&[4, 128, 256]]),
        (rows + 512 * 8, rows)
    );
    let backward = [
        ("grad_output", f32([4, 128, 256])),
        ("indices", i64([4, 128])),
    ];
    let cost = cost(
        "aten::embedding_dense_backward",
        &backward,
        &[&[50_000, 256]],
    );
    assert_eq!(cost.other_flop, 131_072);
    assert_eq!(cost.bytes(), 3 * rows + 512 * 8);
}

#[test]
fn a_batch_norm_in_training_takes_seven_an_element_and_else_two() {
    let arguments = |training| {
        [
            ("input", f32([2, 3, 4])),
            ("weight", f32([3])),
            ("bias", f32([3])),
            ("training", Argument::Bool(training)),
        ]
    };
    let flop = |training| {
        cost(
            "aten::native_batch_norm",
            &arguments(training),
            &[&[2, 3, 4]],
        )
        .other_flop
    };
    assert_eq!(flop(true), 7 * 24);
    assert_eq!(flop(false), 2 * 24);
}

#[test]
fn a_pooling_window_of_one_size_is_as_wide_as_high() {
    let arguments = [
        ("self", f32([1, 1, 6, 6])),
        ("kernel_size", Argument::Ints(vec![3])),
    ];
    let largest = cost(
        "aten::max_pool2d_with_indices",
        &arguments,
        &[&[1, 1, 2, 2]],
    );
    assert_eq!(largest.compare, 4 * 8);
    let mean = cost("aten::avg_pool2d", &arguments, &[&[1, 1, 2, 2]]);
    assert_eq!(mean.other_flop, 4 * 9);
}

#[test]
fn powers_that_are_products_are_counted_as_products() {
    let power = |exponent| {
        cost(
            "aten::pow",
            &[("self", f32([10])), ("exponent", exponent)],
            &[&[10]],
        )
    };
    assert_eq!(power(Argument::Int(2)).other_flop, 10);
    assert_eq!(power(Argument::Int(2)).transcendental, 0);
    assert_eq!(power(Argument::Float(0.5)).transcendental, 10);
}
