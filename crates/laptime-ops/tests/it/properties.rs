//! What must hold of costs whatever the sizes.

use laptime_ops::vocabulary::{self, known};
use laptime_ops::{Argument, Cost, Event, Ledger, Outcome, Signature, Tensor};
use proptest::prelude::*;

/// A call with arguments by name; results are single-precision tensors.
fn event(name: &str, arguments: Vec<(&str, Argument)>, outputs: &[Vec<u64>]) -> Event {
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    Event::new(
        Signature::new(name, &names),
        arguments.into_iter().map(|(_, value)| value).collect(),
        outputs.iter().cloned().map(Tensor::f32).collect(),
    )
}

fn f32(shape: impl Into<Vec<u64>>) -> Argument {
    Argument::Tensor(Tensor::f32(shape))
}

/// What a call costs that is counted.
fn cost(event: &Event) -> Cost {
    match vocabulary::outcome(event) {
        Outcome::Counted(cost) => cost,
        other => panic!("{} is not counted: {other:?}", event.signature.name),
    }
}

fn convolution(batch: u64, groups: u64, channels: [u64; 2], image: u64, kernel: u64) -> Event {
    let out = image - kernel + 1;
    event(
        "aten::convolution",
        vec![
            ("input", f32([batch, groups * channels[0], image, image])),
            (
                "weight",
                f32([groups * channels[1], channels[0], kernel, kernel]),
            ),
            ("transposed", Argument::Bool(false)),
            ("groups", Argument::Int(groups as i64)),
        ],
        &[vec![batch, groups * channels[1], out, out]],
    )
}

fn attention(batch: u64, heads: u64, length: [u64; 2], size: u64, causal: bool) -> Event {
    event(
        "aten::scaled_dot_product_attention",
        vec![
            ("query", f32([batch, heads, length[0], size])),
            ("key", f32([batch, heads, length[1], size])),
            ("value", f32([batch, heads, length[1], size])),
            ("is_causal", Argument::Bool(causal)),
        ],
        &[vec![batch, heads, length[0], size]],
    )
}

fn lstm(batch: u64, steps: u64, inputs: u64, units: u64) -> Event {
    let weights = [vec![4 * units, inputs], vec![4 * units, units]];
    let weights = weights.into_iter().map(|shape| Some(Tensor::f32(shape)));
    event(
        "aten::lstm",
        vec![
            ("input", f32([steps, batch, inputs])),
            (
                "hx",
                Argument::Tensors(vec![Some(Tensor::f32([1, batch, units]))]),
            ),
            ("params", Argument::Tensors(weights.collect())),
            ("num_layers", Argument::Int(1)),
        ],
        &[vec![steps, batch, units]],
    )
}

fn norm(batch: u64, size: u64) -> Event {
    event(
        "aten::native_layer_norm",
        vec![("input", f32([batch, size])), ("weight", f32([size]))],
        &[vec![batch, size]],
    )
}

fn elementwise(name: &str, batch: u64, size: u64) -> Event {
    event(
        name,
        vec![("self", f32([batch, size]))],
        &[vec![batch, size]],
    )
}

/// Everything but bytes, which weights share.
fn work(cost: Cost) -> Cost {
    Cost {
        bytes_read: 0,
        bytes_written: 0,
        ..cost
    }
}

proptest! {
    #[test]
    fn twice_the_batch_is_twice_the_work(
        batch in 1_u64..50,
        a in 1_u64..20,
        b in 1_u64..20,
        kernel in 1_u64..4,
    ) {
        let of = |batch: u64| {
            [
                convolution(batch, 1, [a, b], kernel + 5, kernel),
                attention(batch, a, [b, b + 3], 8, true),
                lstm(batch, a, b, kernel),
                norm(batch, a),
                elementwise("aten::gelu", batch, a),
                elementwise("aten::_softmax", batch, a),
                elementwise("aten::sum", batch, a),
                event(
                    "aten::bmm",
                    vec![("self", f32([batch, a, b])), ("mat2", f32([batch, b, a]))],
                    &[vec![batch, a, a]],
                ),
            ]
        };
        for (one, two) in of(batch).iter().zip(&of(2 * batch)) {
            prop_assert_eq!(work(cost(one)).times(2), work(cost(two)), "{}", one.signature.name);
        }
    }

    #[test]
    fn an_account_is_the_sum_of_its_calls(sizes in prop::collection::vec(1_u64..40, 1..12)) {
        let events: Vec<Event> = sizes
            .iter()
            .flat_map(|&size| [norm(size, 7), elementwise("aten::exp", size, 3), lstm(size, 2, 3, 4)])
            .collect();
        let mut ledger = Ledger::default();
        for event in &events {
            ledger.add(event);
        }
        let summed: Cost = events.iter().map(cost).sum();
        prop_assert_eq!(ledger.finish().total.total().cost, summed);
    }

    #[test]
    fn a_convolution_by_single_pixels_is_a_matrix_product(
        batch in 1_u64..8,
        image in 1_u64..12,
        inputs in 1_u64..16,
        outputs in 1_u64..16,
    ) {
        let rows = batch * image * image;
        let product = event(
            "aten::mm",
            vec![("self", f32([rows, inputs])), ("mat2", f32([inputs, outputs]))],
            &[vec![rows, outputs]],
        );
        let convolution = convolution(batch, 1, [inputs, outputs], image, 1);
        prop_assert_eq!(cost(&convolution), cost(&product));
    }

    #[test]
    fn a_kernel_as_large_as_its_image_is_a_matrix_product(
        batch in 1_u64..8,
        image in 1_u64..9,
        inputs in 1_u64..9,
        outputs in 1_u64..9,
    ) {
        let taps = inputs * image * image;
        let product = event(
            "aten::mm",
            vec![("self", f32([batch, taps])), ("mat2", f32([taps, outputs]))],
            &[vec![batch, outputs]],
        );
        prop_assert_eq!(cost(&convolution(batch, 1, [inputs, outputs], image, image)), cost(&product));
    }

    #[test]
    fn groups_are_as_many_small_convolutions(
        groups in 1_u64..9,
        inputs in 1_u64..6,
        outputs in 1_u64..6,
        kernel in 1_u64..4,
    ) {
        let together = cost(&convolution(2, groups, [inputs, outputs], 8, kernel));
        let one = cost(&convolution(2, 1, [inputs, outputs], 8, kernel));
        prop_assert_eq!(together, one.times(groups));
        if groups == 1 {
            prop_assert_eq!(together, one);
        }
    }

    #[test]
    fn a_transposed_convolution_is_the_gradient_of_the_plain_ones_input(
        batch in 1_u64..5,
        groups in 1_u64..4,
        inputs in 1_u64..6,
        outputs in 1_u64..6,
        image in 4_u64..9,
        kernel in 1_u64..4,
    ) {
        let out = image - kernel + 1;
        let x = [batch, groups * inputs, image, image];
        let y = [batch, groups * outputs, out, out];
        let weight = [groups * outputs, inputs, kernel, kernel];
        let gradient = event(
            "aten::convolution_backward",
            vec![
                ("grad_output", f32(y)),
                ("input", f32(x)),
                ("weight", f32(weight)),
                ("transposed", Argument::Bool(false)),
                ("output_mask", Argument::Bools(vec![true, false, false])),
            ],
            &[x.to_vec()],
        );
        let transposed = event(
            "aten::convolution",
            vec![
                ("input", f32(y)),
                ("weight", f32(weight)),
                ("transposed", Argument::Bool(true)),
            ],
            &[x.to_vec()],
        );
        prop_assert_eq!(cost(&gradient), cost(&transposed));
    }

    #[test]
    fn a_mask_leaves_no_more_than_there_is(
        heads in 1_u64..5,
        queries in 0_u64..40,
        keys in 0_u64..40,
    ) {
        let causal = cost(&attention(2, heads, [queries, keys], 8, true));
        let dense = cost(&attention(2, heads, [queries, keys], 8, false));
        prop_assert!(causal.active_mac <= causal.mac);
        prop_assert_eq!(causal.mac, dense.mac);
        prop_assert_eq!(dense.active_mac, dense.mac);
        prop_assert_eq!(causal.executed_mac, causal.mac);
    }
}

/// Names that arguments have, of whatever operator.
const ARGUMENTS: &[&str] = &[
    "self",
    "input",
    "weight",
    "mat1",
    "mat2",
    "other",
    "bias",
    "query",
    "key",
    "value",
    "dim",
    "kernel_size",
    "output_mask",
    "grad_output",
    "grad_out",
    "hx",
    "params",
    "mode",
    "num_layers",
    "cum_seq_q",
    "cum_seq_k",
    "max_q",
    "max_k",
    "is_causal",
    "indices",
    "index",
    "groups",
    "transposed",
    "A",
    "B",
    "tau",
    "p",
    "ord",
    "exponent",
    "reduction",
    "target",
    "x1",
    "x2",
    "batch1",
    "batch2",
    "vec",
    "group_size",
    "tensors",
    "sampling_ratio",
    "i1",
    "i2",
    "i3",
    "expand1",
    "active_blocks",
    "all_blocks",
    "window_size_left",
    "custom_mask_type",
    "grads",
    "interpolation_mode",
    "weight0",
    "weight1",
    "weight2",
    "hidden_size",
    "boundaries",
    "grad",
    "window_size",
    "per_sample_weights",
    "qx",
    "X",
    "W",
    "hx_",
    "w_ih",
    "w_hh",
    "src",
    "equation",
    "cu_seqlens_q",
    "cu_seqlens_k",
    "stored",
    "v",
    "g",
    "cx",
    "mean",
];

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        1..5_u64,
        Just(u64::from(u32::MAX)),
        Just(u64::MAX),
        Just(1 << 62)
    ]
}

fn tensor() -> impl Strategy<Value = Tensor> {
    let shape = prop::collection::vec(size(), 0..6);
    let stride = prop_oneof![Just(0_i64), Just(1), Just(-3), Just(i64::MIN)];
    let strides = prop::option::of(prop::collection::vec(stride, 0..7));
    let dtype = prop_oneof![
        Just("float32"),
        Just("bfloat16"),
        Just("complex64"),
        Just("int64"),
        Just("bool"),
        Just("uint4"),
    ];
    (shape, strides, dtype, prop::option::of(size())).prop_map(|(shape, strides, dtype, stored)| {
        let dtype = laptime_ops::Dtype::from_name(dtype).unwrap_or(laptime_ops::Dtype::F32);
        Tensor {
            strides,
            stored,
            ..Tensor::new(shape, dtype)
        }
    })
}

fn argument() -> impl Strategy<Value = Argument> {
    let int = prop_oneof![Just(0_i64), -3..9_i64, Just(i64::MIN), Just(i64::MAX)];
    prop_oneof![
        4 => tensor().prop_map(Argument::Tensor),
        1 => prop::collection::vec(prop::option::of(tensor()), 0..4).prop_map(Argument::Tensors),
        1 => int.clone().prop_map(Argument::Int),
        1 => prop::collection::vec(int, 0..5).prop_map(Argument::Ints),
        1 => prop::collection::vec(any::<bool>(), 0..5).prop_map(Argument::Bools),
        1 => any::<bool>().prop_map(Argument::Bool),
        1 => any::<f64>().prop_map(Argument::Float),
        1 => Just(Argument::Text("amax".into())),
        1 => Just(Argument::Absent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_operator_fails_on_whatever_is_passed(
        values in prop::collection::vec(argument(), ARGUMENTS.len()),
        shift in 0..ARGUMENTS.len(),
        kept in 0..ARGUMENTS.len(),
        outputs in prop::collection::vec(tensor(), 0..4),
    ) {
        let names: Vec<&str> = ARGUMENTS.iter().cycle().skip(shift).take(kept).copied().collect();
        let values: Vec<Argument> = values.into_iter().take(kept).collect();
        for known in known() {
            for name in known.names {
                let name = format!("{}::{name}", known.dialect);
                let event = Event::new(Signature::new(name, &names), values.clone(), outputs.clone());
                if let Outcome::Uncounted(reason) = vocabulary::outcome(&event) {
                    prop_assert!(!reason.is_empty());
                    prop_assert!(!reason.ends_with('.'), "{}", reason);
                }
            }
        }
    }
}
