use super::DIALECT;
use crate::event::{Argument, Event, Signature};
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Tensor};
use laptime_core::Cost;

/// All operations of `burn-ir` 0.22.1 but `Custom` and `Drop`.
const ALL: &str = "exp log log1p erf powf_scalar sqrt cos cosh sin sinh tan tanh arc_cos arc_cosh arc_sin \
    arc_sinh arc_tan arc_tanh arc_tan2 round floor ceil trunc into_int matmul cross random recip \
    is_nan is_inf quantize dequantize grid_sample2d powf hypot batch_norm embedding \
    embedding_backward linear linear_x_backward linear_weight_backward linear_bias_backward \
    conv1d conv1d_x_backward conv1d_weight_backward conv1d_bias_backward conv2d \
    conv2d_x_backward conv2d_weight_backward conv2d_bias_backward conv3d conv3d_x_backward \
    conv3d_weight_backward conv3d_bias_backward deformable_conv2d deformable_conv2d_backward \
    conv_transpose1d conv_transpose2d conv_transpose3d avg_pool1d avg_pool2d avg_pool1d_backward \
    avg_pool2d_backward adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool1d_backward \
    adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward max_pool1d \
    max_pool1d_with_indices max_pool1d_with_indices_backward max_pool2d max_pool2d_with_indices \
    max_pool2d_with_indices_backward interpolate interpolate_backward attention ctc_loss \
    ctc_loss_backward layer_norm unfold4d conv_transpose1d_weight_backward \
    conv_transpose1d_bias_backward conv_transpose2d_weight_backward \
    conv_transpose2d_bias_backward conv_transpose3d_weight_backward \
    conv_transpose3d_bias_backward reshape swap_dims permute flip expand unfold slice \
    slice_assign select select_assign mask_where mask_fill gather scatter scatter_nd gather_nd \
    equal equal_elem repeat_dim cat cast empty ones zeros not_equal not_equal_elem all any \
    all_dim any_dim add add_scalar sub sub_scalar div div_scalar rem rem_scalar mul mul_scalar \
    abs full mean_dim mean sum sum_dim sum_dims prod prod_dim greater greater_elem greater_equal \
    greater_equal_elem lower lower_elem lower_equal lower_equal_elem arg_max arg_top_k top_k \
    top_k_with_indices arg_min max max_dim_with_indices min_dim_with_indices min max_dim min_dim \
    max_abs max_abs_dim clamp int_random powi powi_scalar cum_sum cum_prod cum_min cum_max neg \
    sign clamp_min clamp_max sort sort_with_indices arg_sort pad into_float bitwise_and \
    bitwise_and_scalar bitwise_or bitwise_or_scalar bitwise_xor bitwise_xor_scalar bitwise_not \
    bitwise_left_shift bitwise_left_shift_scalar bitwise_right_shift bitwise_right_shift_scalar \
    not and or xor all_reduce sync_collective relu relu_backward leaky_relu p_relu gelu \
    gelu_backward sigmoid sigmoid_backward hard_sigmoid log_sigmoid log_sigmoid_backward softmax \
    log_softmax softmin init";

#[test]
fn every_operation_of_the_representation_has_a_rule() {
    let unknown: Vec<&str> = ALL
        .split_whitespace()
        .filter(|name| DIALECT.rule(name).is_none())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The cost of a call with these tensors, of which the last is the result.
fn cost(name: &str, tensors: &[(&str, &[u64])], others: &[(&str, Argument)]) -> Cost {
    let ((_, output), inputs) = tensors.split_last().expect("a result");
    let mut names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    names.extend(others.iter().map(|(name, _)| *name));
    let mut arguments: Vec<Argument> = inputs
        .iter()
        .map(|(_, shape)| Argument::Tensor(Tensor::f32(shape.to_vec())))
        .collect();
    arguments.extend(others.iter().map(|(_, argument)| argument.clone()));
    let signature = Signature::new(format!("burn::{name}"), &names);
    let event = Event::new(signature, arguments, vec![Tensor::f32(output.to_vec())]);
    match DIALECT.outcome(name, &event) {
        Some(Outcome::Counted(cost) | Outcome::Zero(cost)) => cost,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_linear_layer_and_its_gradients_cost_the_same_products() {
    let (x, w, y): (&[u64], &[u64], &[u64]) = (&[4, 3], &[3, 5], &[4, 5]);
    let forward = cost(
        "linear",
        &[("x", x), ("weight", w), ("bias", &[5]), ("", y)],
        &[],
    );
    assert_eq!((forward.mac, forward.other_flop), (60, 20));
    let dx = cost(
        "linear_x_backward",
        &[("weight", w), ("output_grad", y), ("", x)],
        &[],
    );
    let dw = cost(
        "linear_weight_backward",
        &[("x", x), ("output_grad", y), ("", w)],
        &[],
    );
    assert_eq!((dx.mac, dw.mac), (60, 60));
    // 20 of dy and 15 of the weight in, 12 out.
    assert_eq!((dx.bytes_read, dx.bytes_written), (140, 48));
}

#[test]
fn a_gradient_of_a_grouped_convolution_is_divided_by_the_groups() {
    let (x, w, y): (&[u64], &[u64], &[u64]) = (&[1, 8, 6, 6], &[8, 2, 3, 3], &[1, 8, 4, 4]);
    let conv = |name: &str, out: &[u64]| {
        let out = ("", out);
        cost(
            name,
            &[("x", x), ("weight", w), ("output_grad", y), out],
            &[],
        )
    };
    // 128 results of 18 taps.
    assert_eq!(conv("conv2d", y).mac, 2304);
    assert_eq!(conv("conv2d_x_backward", x).mac, 2304);
    assert_eq!(conv("conv2d_weight_backward", w).mac, 2304);
    // The gradient of the weight doesn't read the weight.
    assert_eq!(
        conv("conv2d_weight_backward", w).bytes_read,
        4 * (288 + 128)
    );
}

#[test]
fn a_transposed_convolution_is_counted_over_its_input() {
    let tensors: &[(&str, &[u64])] = &[
        ("x", &[1, 8, 4, 4]),
        ("weight", &[8, 2, 3, 3]),
        ("", &[1, 2, 6, 6]),
    ];
    assert_eq!(cost("conv_transpose2d", tensors, &[]).mac, 128 * 18);
}

#[test]
fn a_causal_mask_is_aligned_with_the_last_key() {
    let tensors: &[(&str, &[u64])] = &[
        ("query", &[1, 1, 2, 1]),
        ("key", &[1, 1, 5, 1]),
        ("value", &[1, 1, 5, 1]),
        ("", &[1, 1, 2, 1]),
    ];
    let cost = cost("attention", tensors, &[("is_causal", Argument::Bool(true))]);
    assert_eq!((cost.mac, cost.active_mac), (20, 18));
}

#[test]
fn a_square_is_a_product_and_another_power_is_none() {
    let square = |exponent: f64| {
        let rhs = [("rhs", Argument::Float(exponent))];
        cost("powf_scalar", &[("lhs", &[10]), ("", &[10])], &rhs)
    };
    assert_eq!(
        (square(2.0).other_flop, square(2.0).transcendental),
        (10, 0)
    );
    assert_eq!(
        (square(2.5).other_flop, square(2.5).transcendental),
        (0, 10)
    );
}

#[test]
fn what_is_added_into_places_is_arithmetic_and_what_overwrites_is_none() {
    let update = |word: &str| {
        let tensors: &[(&str, &[u64])] = &[
            ("tensor", &[10, 4]),
            ("indices", &[3]),
            ("value", &[3, 4]),
            ("", &[10, 4]),
        ];
        cost(
            "select_assign",
            tensors,
            &[("update", Argument::Text(word.into()))],
        )
    };
    assert_eq!(update("Add").other_flop, 12);
    assert_eq!(update("Max").compare, 12);
    assert_eq!(update("Assign").other_flop, 0);
}

#[test]
fn a_look_up_reads_its_rows() {
    let signature = Signature::new("burn::embedding", &["weights", "indices"]);
    let index = Argument::Tensor(Tensor::new([2, 3], Dtype::I64));
    let table = Argument::Tensor(Tensor::f32([1000, 8]));
    let event = Event::new(signature, vec![table, index], vec![Tensor::f32([2, 3, 8])]);
    let Some(Outcome::Zero(cost)) = DIALECT.outcome("embedding", &event) else {
        panic!("not zero by definition");
    };
    assert_eq!(cost.bytes_read, 6 * 8 * 4 + 6 * 8);
}

#[test]
fn sorting_rows_of_eight_takes_twenty_four_compares_each() {
    let tensors: &[(&str, &[u64])] = &[("input", &[8, 5]), ("", &[8, 5])];
    let along = [("dim", Argument::Int(0))];
    assert_eq!(cost("sort", tensors, &along).compare, 5 * 24);
}

#[test]
fn what_arguments_change_by_hand() {
    let (ten, shift): (&[u64], &[u64]) = (&[2, 5], &[5]);
    let scaled = cost("layer_norm", &[("x", ten), ("", ten)], &[]);
    let shifted = cost("layer_norm", &[("x", ten), ("beta", shift), ("", ten)], &[]);
    // 5 and a scale; a shift.
    assert_eq!((scaled.other_flop, shifted.other_flop), (60, 70));
    let reduced = |devices: usize| {
        let devices = Argument::Tensors(vec![None; devices]);
        let tensors: &[(&str, &[u64])] = &[("tensor", &[1000]), ("", &[1000])];
        cost("all_reduce", tensors, &[("device_ids", devices)])
    };
    let among_four = reduced(4);
    assert_eq!(
        (among_four.communication_bytes, among_four.other_flop),
        (6000, 750)
    );
    let added: &[(&str, &[u64])] = &[("out_grad", &[3, 4]), ("indices", &[3]), ("", &[100, 4])];
    let rows = cost("embedding_backward", added, &[]);
    // 12 numbers and 3 indices in, 12 places read and written.
    assert_eq!(
        (rows.other_flop, rows.bytes_read, rows.bytes_written),
        (12, 48 + 12 + 48, 48)
    );
    let gradient: &[(&str, &[u64])] = &[("x", &[4, 3]), ("output_grad", &[4, 5]), ("", &[5])];
    let bias = cost("linear_bias_backward", gradient, &[]);
    assert_eq!(
        (bias.other_flop, bias.bytes_read, bias.bytes_written),
        (20, 80, 20)
    );
}
