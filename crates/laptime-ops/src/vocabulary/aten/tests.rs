//! Calls as the dispatcher makes them, worked by hand.

use laptime_core::Cost;

use crate::event::{Argument, Event};
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
    let outputs = outputs.iter().map(|shape| Tensor::f32(*shape));
    Event::named(name, arguments, outputs.collect())
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

#[test]
fn what_falls_off_beside_a_result_is_not_counted_again() {
    let arguments = [
        ("input", f32([10])),
        ("p", Argument::Float(0.5)),
        ("train", Argument::Bool(true)),
    ];
    let mut dropout = event("aten::native_dropout", &arguments, &[&[10]]);
    dropout.outputs.push(Tensor::new([10], Dtype::BOOL));
    let Outcome::Counted(cost) = vocabulary::outcome(&dropout) else {
        panic!("it is counted");
    };
    assert_eq!((cost.compare, cost.other_flop), (10, 20));
    assert_eq!(cost.bytes_written, 40 + 10);
}

#[test]
fn dropout_outside_training_does_nothing() {
    let arguments = [("input", f32([10])), ("train", Argument::Bool(false))];
    assert_eq!(cost("aten::dropout", &arguments, &[&[10]]), Cost::default());
}

#[test]
fn groups_of_rows_are_counted_to_the_last_offset_where_it_is_known() {
    let arguments = |offsets| {
        [
            ("self", f32([10, 3])),
            ("mat2", f32([2, 3, 5])),
            ("offs", offsets),
        ]
    };
    let known = arguments(Argument::Ints(vec![4, 8]));
    assert_eq!(
        cost("aten::_grouped_mm", &known, &[&[10, 5]]).mac,
        8 * 3 * 5
    );
    let unknown = arguments(i64([2]));
    assert_eq!(
        cost("aten::_grouped_mm", &unknown, &[&[10, 5]]).mac,
        10 * 3 * 5
    );
    let mut ledger = crate::Ledger::default();
    ledger.add(&event("aten::_grouped_mm", &known, &[&[10, 5]]));
    ledger.add(&event("aten::_grouped_mm", &unknown, &[&[10, 5]]));
    let warnings = ledger.finish().warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].message.contains("aten::_grouped_mm"),
        "{warnings:?}"
    );
}

#[test]
fn an_encoder_layer_on_the_fast_path_costs_what_its_modules_cost() {
    let arguments = [
        ("src", f32([2, 128, 256])),
        ("num_heads", Argument::Int(8)),
        ("ffn_weight_1", f32([1024, 256])),
        ("ffn_weight_2", f32([256, 1024])),
    ];
    let layer = cost(
        "aten::_transformer_encoder_layer_fwd",
        &arguments,
        &[&[2, 128, 256]],
    );
    // 12 B S C² + 2 B S² C.
    assert_eq!(layer.mac, 218_103_808);
}

#[test]
fn the_size_of_a_complex_number_takes_a_root() {
    let input = Argument::Tensor(Tensor::new([5], Dtype::complex(64)));
    let size = cost("aten::abs", &[("self", input)], &[&[5]]);
    assert_eq!((size.other_flop, size.transcendental), (15, 5));
    let real = cost("aten::abs", &[("self", f32([5]))], &[&[5]]);
    assert_eq!((real.other_flop, real.transcendental), (5, 0));
}

#[test]
fn an_adamw_step_moves_seven_numbers_a_parameter() {
    let list = || Argument::Tensors(vec![Some(Tensor::f32([100])), Some(Tensor::f32([11]))]);
    let arguments = [
        ("self", list()),
        ("grads", list()),
        ("exp_avgs", list()),
        ("exp_avg_sqs", list()),
        ("max_exp_avg_sqs", Argument::Tensors(vec![])),
        ("weight_decay", Argument::Float(0.01)),
        ("amsgrad", Argument::Bool(false)),
    ];
    let step = cost("aten::_fused_adamw_", &arguments, &[]);
    assert_eq!((step.other_flop, step.transcendental), (14 * 111, 111));
    assert_eq!(step.bytes(), 28 * 111);
}

#[test]
fn collectives_tell_their_ranks_by_their_sizes_or_are_told() {
    let gather = [("output_tensor", f32([400])), ("input_tensor", f32([100]))];
    let all = cost("c10d::_allgather_base_", &gather, &[&[400]]);
    assert_eq!(all.communication_bytes, 1600 * 3 / 4);
    let mut reduce = vec![
        ("input", f32([1000])),
        ("reduce_op", Argument::Text("sum".into())),
    ];
    let unknown = event("_c10d_functional::all_reduce", &reduce, &[&[1000]]);
    assert!(
        matches!(vocabulary::outcome(&unknown), Outcome::Uncounted(reason) if reason.contains("ranks"))
    );
    reduce.push(("group_size", Argument::Int(4)));
    let known = cost("_c10d_functional::all_reduce", &reduce, &[&[1000]]);
    assert_eq!((known.communication_bytes, known.other_flop), (6000, 750));
    let send = cost("c10d::send", &[("tensors", f32([10]))], &[]);
    assert_eq!(send.communication_bytes, 40);
}

#[test]
fn a_flexible_attention_computes_the_blocks_that_its_mask_leaves() {
    let mut arguments = vec![
        ("query", f32([2, 8, 128, 64])),
        ("key", f32([2, 8, 128, 64])),
        ("value", f32([2, 8, 128, 64])),
    ];
    let flex = |arguments: &[(&str, Argument)]| {
        cost(
            "higher_order::flex_attention",
            arguments,
            &[&[2, 8, 128, 64]],
        )
        .mac
    };
    assert_eq!(flex(&arguments), 33_554_432);
    arguments.push(("active_blocks", Argument::Int(3)));
    arguments.push(("all_blocks", Argument::Int(4)));
    assert_eq!(flex(&arguments), 33_554_432 * 3 / 4);
    arguments[3].1 = Argument::Text("not known".into());
    let unknown = event(
        "higher_order::flex_attention",
        &arguments,
        &[&[2, 8, 128, 64]],
    );
    assert!(matches!(
        vocabulary::outcome(&unknown),
        Outcome::Uncounted(_)
    ));
}

#[test]
fn solving_a_system_is_an_lu_and_both_triangles() {
    let arguments = [("A", f32([7, 6, 6])), ("B", f32([7, 6, 2]))];
    let solved = cost("aten::_linalg_solve_ex", &arguments, &[&[7, 6, 2]]);
    assert_eq!(solved.other_flop, 7 * (131 + 132));
    let singular = event("aten::_linalg_svd", &[("A", f32([6, 6]))], &[&[6, 6]]);
    assert!(matches!(
        vocabulary::outcome(&singular),
        Outcome::Uncounted(_)
    ));
}

#[test]
fn an_image_that_is_halved_smoothly_is_summed_along_both_sides() {
    let arguments = [
        ("self", f32([1, 1, 4, 4])),
        ("align_corners", Argument::Bool(false)),
    ];
    let halved = cost(
        "aten::_upsample_bilinear2d_aa",
        &arguments,
        &[&[1, 1, 2, 2]],
    );
    // Four rows of 6 taps for 2 results, then two columns of 6 taps for 2.
    assert_eq!(halved.other_flop, 2 * (4 * 6 + 2 * 6) - (4 * 2 + 2 * 2));
}

#[test]
fn a_bilinear_form_over_no_rows_costs_nothing() {
    let arguments = |rows| {
        [
            ("i1", f32([rows, 3])),
            ("i2", f32([5, 3, 4])),
            ("i3", f32([rows, 4])),
            ("expand1", Argument::Ints(vec![1, 3])),
            ("expand2", Argument::Ints(vec![0])),
            ("expand3", Argument::Ints(vec![1, 2])),
        ]
    };
    let of = |rows| cost("aten::_trilinear", &arguments(rows), &[&[rows, 5]]).mac;
    assert_eq!((of(2), of(0)), (2 * 5 * 3 * 4, 0));
}

#[test]
fn alignments_are_counted_where_their_lengths_are_numbers() {
    let arguments = |lengths: Argument| {
        [
            ("log_probs", f32([10, 2, 5])),
            ("input_lengths", lengths.clone()),
            ("target_lengths", lengths),
        ]
    };
    let known = arguments(Argument::Ints(vec![10, 4]));
    let loss = cost("aten::_ctc_loss", &known, &[&[2]]);
    assert_eq!(loss.compare, 2 * (10 * 21 + 4 * 9));
    let unknown = event("aten::_ctc_loss", &arguments(i64([2])), &[&[2]]);
    assert!(matches!(
        vocabulary::outcome(&unknown),
        Outcome::Uncounted(_)
    ));
}

#[test]
fn primitives_cost_what_they_are_decomposed_from() {
    let arguments = [("self", f32([10])), ("other", f32([10]))];
    assert_eq!(
        cost("prims::mul", &arguments, &[&[10]]),
        cost("aten::mul", &arguments, &[&[10]])
    );
    let wave = [("self", f32([2, 8])), ("dim", Argument::Ints(vec![1]))];
    assert_eq!(
        cost("prims::fft_r2c", &wave, &[&[2, 5]]).other_flop,
        2 * 5 * 8 * 3 / 2
    );
    let copied = [("a", f32([10])), ("b", f32([5]))];
    assert_eq!(moved("prims::copy_to", &copied, &[&[10]]), (20, 40));
}
