use laptime_core::Cost;
use proptest::prelude::*;

use crate::event::{Argument, Event, Signature};
use crate::formulas::Formulas;
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Tensor};

type Parameter<'a> = (&'a str, Argument);

fn call(
    name: &str,
    inputs: &[Option<Tensor>],
    parameters: &[Parameter<'_>],
    output: Tensor,
) -> Outcome {
    let mut names = vec!["inputs"];
    let mut arguments = vec![Argument::Tensors(inputs.to_vec())];
    for (name, value) in parameters {
        names.push(name);
        arguments.push(value.clone());
    }
    let signature = Signature::new(format!("jax::{name}"), &names);
    Formulas::standard().outcome(&Event::new(signature, arguments, vec![output]))
}

fn cost(
    name: &str,
    inputs: &[Option<Tensor>],
    parameters: &[Parameter<'_>],
    output: Tensor,
) -> Cost {
    match call(name, inputs, parameters, output) {
        Outcome::Counted(cost) | Outcome::Zero(cost) => cost,
        Outcome::Uncounted(reason) => panic!("{name} is not counted: {reason}"),
    }
}

fn ints(values: &[i64]) -> Argument {
    Argument::Ints(values.to_vec())
}

/// A convolution in two dimensions, in the order batch, features, rows, columns.
fn convolution(
    shapes: ([u64; 4], [u64; 4], [u64; 4]),
    stride: i64,
    dilation: i64,
    batch_groups: i64,
    gradient: Option<&str>,
) -> Outcome {
    let order = ints(&[0, 1, 2, 3]);
    let mut parameters = vec![
        ("window_strides", ints(&[stride, stride])),
        ("lhs_dilation", ints(&[dilation, dilation])),
        ("dimension_numbers.lhs_spec", order.clone()),
        ("dimension_numbers.rhs_spec", order.clone()),
        ("dimension_numbers.out_spec", order),
        ("batch_group_count", Argument::Int(batch_groups)),
    ];
    if let Some(gradient) = gradient {
        parameters.push(("gradient", Argument::Text(gradient.into())));
    }
    let (left, kernel, output) = shapes;
    call(
        "conv_general_dilated",
        &[Some(Tensor::f32(left)), Some(Tensor::f32(kernel))],
        &parameters,
        Tensor::f32(output),
    )
}

fn mac(outcome: &Outcome) -> u128 {
    match outcome {
        Outcome::Counted(cost) => cost.mac,
        other => panic!("not counted: {other:?}"),
    }
}

#[test]
fn a_dot_general_sums_over_its_contracted_dimensions() {
    // [4, 2, 3] · [4, 3, 5] with the first as batch: 4 · 2 · 5 results of 3 products.
    let parameters = [
        ("dimension_numbers.0.0", ints(&[2])),
        ("dimension_numbers.0.1", ints(&[1])),
        ("dimension_numbers.1.0", ints(&[0])),
        ("dimension_numbers.1.1", ints(&[0])),
    ];
    let inputs = [Some(Tensor::f32([4, 2, 3])), Some(Tensor::f32([4, 3, 5]))];
    let cost = cost("dot_general", &inputs, &parameters, Tensor::f32([4, 2, 5]));
    assert_eq!(cost.mac, 120);
    assert_eq!(
        (cost.bytes_read, cost.bytes_written),
        ((24 + 60) * 4, 40 * 4)
    );
}

#[test]
fn rows_of_a_ragged_product_meet_the_matrix_of_one_group() {
    const NUMBERS: &str = "ragged_dot_dimension_numbers.dot_dimension_numbers.0.0";
    const RAGGED: &str = "ragged_dot_dimension_numbers.lhs_ragged_dimensions";
    let sizes = Some(Tensor::new([4], Dtype::integer(32)));
    let inputs = [
        Some(Tensor::f32([16, 8])),
        Some(Tensor::f32([4, 8, 6])),
        sizes.clone(),
    ];
    let forward = [(NUMBERS, ints(&[1])), (RAGGED, ints(&[0]))];
    let forward = cost(
        "ragged_dot_general",
        &inputs,
        &forward,
        Tensor::f32([16, 6]),
    );
    assert_eq!(forward.mac, 16 * 8 * 6);
    // The matrices' gradient sums over the rows, each in its own group.
    let inputs = [
        Some(Tensor::f32([16, 8])),
        Some(Tensor::f32([16, 6])),
        sizes,
    ];
    let gradient = [(NUMBERS, ints(&[0])), (RAGGED, ints(&[0]))];
    let gradient = cost(
        "ragged_dot_general",
        &inputs,
        &gradient,
        Tensor::f32([4, 8, 6]),
    );
    assert_eq!(gradient.mac, forward.mac);
}

#[test]
fn a_strided_convolution_and_both_its_gradients_cost_the_same() {
    // 2 images, 3 → 5 features, 9 × 9, kernel 3 × 3, stride 2, no padding: 4 × 4 out.
    let by_hand = 2 * 5 * 4 * 4 * 3 * 9;
    let forward = ([2, 3, 9, 9], [5, 3, 3, 3], [2, 5, 4, 4]);
    assert_eq!(mac(&convolution(forward, 2, 1, 1, None)), by_hand);
    // The result's gradient, zeros between its elements, under the kernel turned around.
    let input = ([2, 5, 4, 4], [3, 5, 3, 3], [2, 3, 9, 9]);
    assert_eq!(mac(&convolution(input, 1, 2, 1, Some("input"))), by_hand);
    // The input under the result's gradient: features and batch change their places.
    let kernel = ([3, 2, 9, 9], [5, 2, 4, 4], [3, 5, 3, 3]);
    assert_eq!(mac(&convolution(kernel, 1, 1, 1, Some("kernel"))), by_hand);
}

#[test]
fn the_input_gradient_of_a_plain_convolution_has_no_taps_on_what_it_pads() {
    // 1 image of 32 × 32 to 30 × 30: the gradient slides over 30 × 30, padded to 34 × 34.
    let input = ([1, 1, 30, 30], [1, 1, 3, 3], [1, 1, 32, 32]);
    assert_eq!(
        mac(&convolution(input, 1, 1, 1, Some("input"))),
        30 * 30 * 9
    );
}

#[test]
fn a_transposed_convolution_and_both_its_gradients_cost_the_same() {
    // 2 images, 8 → 4 features, 32 × 32 to 64 × 64, kernel 3 × 3.
    let by_hand = 2 * 32 * 32 * 8 * 4 * 9;
    let forward = ([2, 8, 32, 32], [4, 8, 3, 3], [2, 4, 64, 64]);
    assert_eq!(mac(&convolution(forward, 1, 2, 1, None)), by_hand);
    let input = ([2, 4, 64, 64], [8, 4, 3, 3], [2, 8, 32, 32]);
    assert_eq!(mac(&convolution(input, 2, 1, 1, Some("input"))), by_hand);
    let kernel = ([8, 2, 32, 32], [4, 2, 64, 64], [8, 4, 3, 3]);
    assert_eq!(mac(&convolution(kernel, 1, 2, 1, Some("kernel"))), by_hand);
}

#[test]
fn groups_divide_a_convolution_and_its_kernel_gradient() {
    // Depthwise: 8 features, each with its own 3 × 3 kernel, 2 images of 16 × 16.
    let by_hand = 2 * 8 * 16 * 16 * 9;
    let forward = ([2, 8, 16, 16], [8, 1, 3, 3], [2, 8, 16, 16]);
    assert_eq!(mac(&convolution(forward, 1, 1, 1, None)), by_hand);
    let kernel = ([8, 2, 16, 16], [8, 2, 16, 16], [1, 8, 3, 3]);
    assert_eq!(mac(&convolution(kernel, 1, 1, 8, Some("kernel"))), by_hand);
}

#[test]
fn a_stride_over_a_dilated_input_is_not_guessed() {
    let shapes = ([1, 1, 8, 8], [1, 1, 3, 3], [1, 1, 6, 6]);
    assert!(matches!(
        convolution(shapes, 3, 2, 1, None),
        Outcome::Uncounted(_)
    ));
}

#[test]
fn functions_of_elements_are_in_the_column_they_are_of() {
    let x = [Some(Tensor::f32([6]))];
    assert_eq!(cost("exp", &x, &[], Tensor::f32([6])).transcendental, 6);
    assert_eq!(
        cost("logistic", &x, &[], Tensor::f32([6])).transcendental,
        6
    );
    assert_eq!(cost("max", &x, &[], Tensor::f32([6])).compare, 6);
    // x⁵ = x · (x²)²: three products; x⁻² takes a division besides.
    let power = |y| [("y", Argument::Int(y))];
    assert_eq!(
        cost("integer_pow", &x, &power(5), Tensor::f32([6])).other_flop,
        18
    );
    assert_eq!(
        cost("integer_pow", &x, &power(-2), Tensor::f32([6])).other_flop,
        12
    );
    let index = [Some(Tensor::new([6], Dtype::integer(32)))];
    let sum = cost("add", &index, &[], Tensor::new([6], Dtype::integer(32)));
    assert_eq!((sum.other_flop, sum.integer_op), (0, 6));
}

#[test]
fn reductions_work_on_what_goes_in() {
    let x = [Some(Tensor::f32([4, 6]))];
    assert_eq!(cost("reduce_sum", &x, &[], Tensor::f32([4])).other_flop, 24);
    assert_eq!(cost("reduce_max", &x, &[], Tensor::f32([4])).compare, 24);
    assert_eq!(cost("cumsum", &x, &[], Tensor::f32([4, 6])).other_flop, 24);
}

#[test]
fn windows_of_four_take_three_compares() {
    let window = [("window_dimensions", ints(&[1, 2, 2, 1]))];
    let x = [Some(Tensor::f32([1, 8, 8, 3]))];
    let pooled = cost("reduce_window_max", &x, &window, Tensor::f32([1, 4, 4, 3]));
    assert_eq!(pooled.compare, 48 * 3);
    let inputs = [
        Some(Tensor::f32([1, 4, 4, 3])),
        Some(Tensor::f32([1, 8, 8, 3])),
    ];
    let back = cost(
        "select_and_scatter_add",
        &inputs,
        &window,
        Tensor::f32([1, 8, 8, 3]),
    );
    assert_eq!((back.compare, back.other_flop), (48 * 3, 48));
}

#[test]
fn a_gather_reads_its_rows_and_not_the_table() {
    let index = Some(Tensor::new([512, 1], Dtype::integer(32)));
    let inputs = [Some(Tensor::f32([50_000, 256])), index];
    let cost = cost("gather", &inputs, &[], Tensor::f32([512, 256]));
    assert_eq!(cost.bytes_read, 512 * 256 * 4 + 512 * 4);
    assert_eq!(cost.mac + cost.other_flop, 0);
}

#[test]
fn what_is_added_into_places_is_an_addition_for_each() {
    let index = Some(Tensor::new([5, 1], Dtype::integer(32)));
    let inputs = [
        Some(Tensor::f32([100, 16])),
        index.clone(),
        Some(Tensor::f32([5, 16])),
    ];
    let sum = cost("scatter-add", &inputs, &[], Tensor::f32([100, 16]));
    assert_eq!(sum.other_flop, 80);
    // A number written into the program is one element.
    let one = cost(
        "scatter-add",
        &[Some(Tensor::f32([100])), index, None],
        &[],
        Tensor::f32([100]),
    );
    assert_eq!(one.other_flop, 1);
}

#[test]
fn arrays_that_are_changed_in_place_move_what_is_read_and_what_is_put_there() {
    let (whole, row) = (Some(Tensor::f32([100, 16])), Some(Tensor::f32([16])));
    let read = cost("get", std::slice::from_ref(&whole), &[], Tensor::f32([16]));
    assert_eq!((read.bytes_read, read.bytes_written), (64, 64));
    let put = cost(
        "swap",
        &[whole.clone(), row.clone()],
        &[],
        Tensor::f32([16]),
    );
    assert_eq!((put.bytes_read, put.bytes_written), (64, 64));
    let sum = cost("addupdate", &[whole, row], &[], Tensor::f32([0]));
    assert_eq!(
        (sum.other_flop, sum.bytes_read, sum.bytes_written),
        (16, 128, 64)
    );
}

#[test]
fn an_all_reduce_among_four_passes_one_and_a_half_times_its_bytes() {
    let ranks = [("ranks", Argument::Int(4))];
    let sum = cost(
        "psum",
        &[Some(Tensor::f32([256]))],
        &ranks,
        Tensor::f32([256]),
    );
    assert_eq!((sum.communication_bytes, sum.other_flop), (1536, 192));
    let gather = cost(
        "all_gather",
        &[Some(Tensor::f32([256]))],
        &ranks,
        Tensor::f32([1024]),
    );
    assert_eq!(gather.communication_bytes, 3072);
    let scatter = cost(
        "reduce_scatter",
        &[Some(Tensor::f32([256]))],
        &ranks,
        Tensor::f32([64]),
    );
    assert_eq!(
        (scatter.communication_bytes, scatter.other_flop),
        (768, 192)
    );
}

#[test]
fn transforms_and_sorts_are_reckoned_as_in_other_dialects() {
    // 32 transforms of 512 real points: 5 · 512 · 9 / 2 each.
    let parameters = [
        ("fft_type", Argument::Text("RFFT".into())),
        ("fft_lengths", ints(&[512])),
    ];
    let result = Tensor::new([4, 8, 257], Dtype::complex(64));
    let forward = cost(
        "fft",
        &[Some(Tensor::f32([4, 8, 512]))],
        &parameters,
        result.clone(),
    );
    assert_eq!(forward.other_flop, 368_640);
    let parameters = [
        ("fft_type", Argument::Text("IRFFT".into())),
        ("fft_lengths", ints(&[512])),
    ];
    let back = cost(
        "fft",
        &[Some(result)],
        &parameters,
        Tensor::f32([4, 8, 512]),
    );
    assert_eq!(back.other_flop, 368_640);
    let axis = [("dimension", Argument::Int(0))];
    let sort = cost(
        "sort",
        &[Some(Tensor::f32([8, 3]))],
        &axis,
        Tensor::f32([8, 3]),
    );
    assert_eq!(sort.compare, 3 * 8 * 3);
}

#[test]
fn a_triangle_is_solved_for_each_right_side() {
    let inputs = [Some(Tensor::f32([2, 4, 4])), Some(Tensor::f32([2, 4, 3]))];
    let solved = cost("triangular_solve", &inputs, &[], Tensor::f32([2, 4, 3]));
    assert_eq!(solved.other_flop, 2 * 3 * 4 * 4);
}

#[test]
fn a_factorisation_into_q_and_r_is_that_of_other_dialects() {
    let qr = |rows, columns, full, q: [u64; 3]| {
        let parameters = [
            ("full_matrices", Argument::Bool(full)),
            ("pivoting", Argument::Bool(false)),
        ];
        let inputs = [Some(Tensor::f32([2, rows, columns]))];
        cost("qr", &inputs, &parameters, Tensor::f32(q)).other_flop
    };
    // 622 for GEQRF of 9 × 6; ORGQR of 9 × 6: 1296 − 1080 + 288 + 108 − 54 − 36 − 8.
    assert_eq!(qr(9, 6, false, [2, 9, 6]), 2 * (622 + 514));
    // All nine columns: 4·9·9·6 − 2·18·36 + 4·216/3 + 3·54 − 54 − 36 − 8.
    assert_eq!(qr(9, 6, true, [2, 9, 9]), 2 * (622 + 1000));
    let inputs = [Some(Tensor::f32([9, 6]))];
    let pivoting = [("pivoting", Argument::Bool(true))];
    let pivoted = call("qr", &inputs, &pivoting, Tensor::f32([9, 6]));
    assert!(matches!(pivoted, Outcome::Uncounted(reason) if reason.contains("data")));
}

#[test]
fn a_factorisation_of_complex_numbers_is_four_of_real_ones() {
    let complex = Tensor::new([6, 6], Dtype::complex(64));
    let factor = cost("cholesky", &[Some(complex.clone())], &[], complex);
    assert_eq!(factor.other_flop, 4 * 91);
}

#[test]
fn factorisations_by_hand() {
    let of = |name: &str, shapes: &[&[u64]]| {
        let inputs: Vec<_> = shapes
            .iter()
            .map(|shape| Some(Tensor::f32(*shape)))
            .collect();
        cost(name, &inputs, &[], Tensor::f32(shapes[0])).other_flop
    };
    // 72 + 18 + 1; 144 − 18 + 5; 36 · 9 − 72 − 18 + 5; 648 − 144 + 54 + 36 + 28; Q's columns as above.
    assert_eq!(of("cholesky", &[&[2, 6, 6]]), 2 * 91);
    assert_eq!(of("lu", &[&[2, 6, 6]]), 2 * 131);
    assert_eq!(of("lu", &[&[9, 6]]), 239);
    assert_eq!(of("geqrf", &[&[9, 6]]), 622);
    assert_eq!(of("householder_product", &[&[9, 6], &[6]]), 514);
    // Along the last dimension unless told otherwise: 4 rows of 8 · 3.
    let rows = [Some(Tensor::f32([4, 8]))];
    assert_eq!(
        cost("top_k", &rows, &[], Tensor::f32([4, 2])).compare,
        4 * 24
    );
}

#[test]
fn collectives_of_other_kinds_by_hand() {
    let of = |name: &str, ranks| {
        let ranks = [("ranks", Argument::Int(ranks))];
        let cost = cost(
            name,
            &[Some(Tensor::f32([256]))],
            &ranks,
            Tensor::f32([256]),
        );
        (
            cost.communication_bytes,
            cost.compare,
            cost.other_flop + cost.integer_op,
        )
    };
    // 1024 bytes among four: 2 · 3/4 and 3/4 of the compares; 3/4; once.
    assert_eq!(of("pmax", 4), (1536, 192, 0));
    assert_eq!(of("all_to_all", 4), (768, 0, 0));
    assert_eq!(of("ppermute", 4), (1024, 0, 0));
}

#[test]
fn powers_by_hand() {
    let x = [Some(Tensor::f32([10]))];
    let of = |y| {
        cost(
            "integer_pow",
            &x,
            &[("y", Argument::Int(y))],
            Tensor::f32([10]),
        )
        .other_flop
    };
    // x, x², x · x², (x²)², x · x² · (x²)².
    assert_eq!([0, 1, 2, 3, 4, 7].map(of), [0, 0, 10, 20, 20, 40]);
    // A division besides.
    assert_eq!([-1, -3].map(of), [10, 30]);
    let complex = || Tensor::new([10], Dtype::complex(64));
    let cube = [("y", Argument::Int(3))];
    assert_eq!(
        cost("integer_pow", &[Some(complex())], &cube, complex()).other_flop,
        2 * 60
    );
    let scattered = |name: &str| {
        let index = Some(Tensor::new([5, 1], Dtype::integer(32)));
        let inputs = [
            Some(Tensor::f32([100, 16])),
            index,
            Some(Tensor::f32([5, 16])),
        ];
        let cost = cost(name, &inputs, &[], Tensor::f32([100, 16]));
        (
            cost.other_flop,
            cost.compare,
            cost.bytes_read,
            cost.bytes_written,
        )
    };
    // 80 numbers and 5 indices of 4 bytes in; 80 places read and written.
    assert_eq!(scattered("scatter"), (0, 0, 660, 320));
    assert_eq!(scattered("scatter-add"), (80, 0, 660, 320));
    assert_eq!(scattered("scatter-mul"), (80, 0, 660, 320));
    assert_eq!(scattered("scatter-max"), (0, 80, 660, 320));
}

#[test]
fn a_product_with_q_is_by_the_side_it_stands_on() {
    // Q of 6 × 6 from 3 reflectors, on the left of 6 × 2 and on the right of 2 × 6.
    let product = |left, sizes: [u64; 2]| {
        let reflectors = [Some(Tensor::f32([6, 3])), Some(Tensor::f32([3]))];
        let inputs = [reflectors.as_slice(), &[Some(Tensor::f32(sizes))]].concat();
        let parameters = [("left", Argument::Bool(left))];
        cost("ormqr", &inputs, &parameters, Tensor::f32(sizes)).other_flop
    };
    assert_eq!(product(true, [6, 2]), 144 - 36 + 18);
    assert_eq!(product(false, [2, 6]), 144 - 36 + 18);
}

#[test]
fn a_symmetric_product_is_a_dense_one() {
    let inputs = [Some(Tensor::f32([4, 7])), Some(Tensor::f32([4, 4]))];
    let product = |alpha, beta| {
        let factors = [
            ("alpha", Argument::Float(alpha)),
            ("beta", Argument::Float(beta)),
        ];
        cost("symmetric_product", &inputs, &factors, Tensor::f32([4, 4]))
    };
    assert_eq!(
        (product(1.0, 0.0).mac, product(1.0, 0.0).other_flop),
        (112, 0)
    );
    assert_eq!(
        (product(2.0, 0.5).mac, product(2.0, 0.5).other_flop),
        (112, 48)
    );
}

#[test]
fn what_nobody_can_look_into_says_why_it_is_not_counted() {
    for name in [
        "cond",
        "pallas_call",
        "pure_callback",
        "ffi_call",
        "reduce",
        "psum",
        "svd",
        "hessenberg",
        "geqp3",
    ] {
        let outcome = call(name, &[Some(Tensor::f32([4, 4]))], &[], Tensor::f32([4]));
        assert!(
            matches!(outcome, Outcome::Uncounted(reason) if !reason.is_empty()),
            "{name}"
        );
    }
}

proptest! {
    #[test]
    fn a_pointwise_convolution_is_a_matrix_product(
        batch in 1_u64..5, features in 1_u64..9, out in 1_u64..9, size in 1_u64..9,
    ) {
        let shapes = ([batch, features, size, size], [out, features, 1, 1], [batch, out, size, size]);
        let rows = batch * size * size;
        let parameters = [("dimension_numbers.0.0", ints(&[1]))];
        let inputs = [Some(Tensor::f32([rows, features])), Some(Tensor::f32([features, out]))];
        let product = cost("dot_general", &inputs, &parameters, Tensor::f32([rows, out]));
        prop_assert_eq!(mac(&convolution(shapes, 1, 1, 1, None)), product.mac);
    }
}
