//! Recurrent layers: what each call costs, every column by hand.

use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};
use crate::tensor::Tensor;

/// Weights of so many gates: over 5 numbers, and over 3 units; with 2 biases.
fn weights(layers: &[[u64; 2]], gates: u64, biases: bool) -> Argument {
    let shapes = layers.iter().flat_map(|&[inputs, states]| {
        let rows = gates * 3;
        let bias = if biases { vec![vec![rows]; 2] } else { vec![] };
        [vec![vec![rows, inputs], vec![rows, states]], bias].concat()
    });
    Argument::Tensors(shapes.map(|shape| Some(Tensor::f32(shape))).collect())
}

#[test]
fn stacks_by_hand() {
    // 4 steps of 2 sequences of 5 numbers: 8 rows through 3 units.
    let of = |name: &str, more: &[(&str, Argument)]| {
        let operands = [("input", f32(&[4, 2, 5])), ("hx", f32(&[2, 2, 3]))];
        call(
            &format!("aten::{name}"),
            &[&operands, more].concat(),
            &[&[4, 2, 3]],
        )
    };
    let int = |name: &'static str, value| (name, Argument::Int(value));
    let one = |gates, biases| [("params", weights(&[[5, 3]], gates, biases))];
    let two = [
        ("params", weights(&[[5, 3], [3, 3]], 1, false)),
        int("num_layers", 2),
    ];
    let both = [
        (
            "params",
            weights(&[[5, 3], [5, 3], [6, 3], [6, 3]], 1, false),
        ),
        int("num_layers", 2),
        ("bidirectional", Argument::Bool(true)),
    ];
    let mode = |mode| {
        [
            &[int("mode", mode)][..],
            &[("weight", weights(&[[5, 3]], 1, false))],
        ]
        .concat()
    };
    let columns = |mac, flop, rest: [&'static str; 1], read| {
        [
            ("mac", mac),
            ("flop", flop),
            (rest[0], 24),
            ("read", read),
            ("written", 96),
        ]
    };
    let gates = |mac, flop, transcendental, read| {
        [
            ("mac", mac),
            ("flop", flop),
            ("transcendental", transcendental),
            ("read", read),
            ("written", 96),
        ]
    };
    // 40 inputs and 12 states; `gates` · 3 rows of 5 + 3.
    assert_costs(&[
        (
            "8 · 96; 24 of 14 and 5",
            of("lstm", &one(4, false)),
            &gates(768, 336, 120, 592),
        ),
        (
            "24 of 22 and 5",
            of("lstm", &one(4, true)),
            &gates(768, 528, 120, 688),
        ),
        (
            "8 · 72; 24 of 11 and 3",
            of("gru", &one(3, false)),
            &gates(576, 264, 72, 496),
        ),
        (
            "8 · 24; 24 of 1 and 1",
            of("rnn_tanh", &one(1, false)),
            &columns(192, 24, ["transcendental"], 304),
        ),
        (
            "8 · 24; 24 of 1 and 1",
            of("rnn_relu", &one(1, false)),
            &columns(192, 24, ["compare"], 304),
        ),
        (
            "mode 0",
            of("_cudnn_rnn", &mode(0)),
            &columns(192, 24, ["compare"], 304),
        ),
        (
            "mode 1",
            of("_cudnn_rnn", &mode(1)),
            &columns(192, 24, ["transcendental"], 304),
        ),
        (
            "8 (24 + 18); 48",
            of("rnn_tanh", &two),
            &gates(336, 48, 48, 376),
        ),
        (
            "8 (2 · 24 + 2 · 27); 96",
            of("rnn_tanh", &both),
            &gates(816, 96, 96, 616),
        ),
    ]);
}

#[test]
fn gradients_by_hand() {
    let back = |layers: &[[u64; 2]], mask: [bool; 4], more: &[(&str, Argument)]| {
        let operands = [
            ("input", f32(&[4, 2, 5])),
            ("weight", weights(layers, 1, false)),
            ("hx", f32(&[2, 2, 3])),
            ("mode", Argument::Int(1)),
            ("output_mask", Argument::Bools(mask.to_vec())),
        ];
        call(
            "aten::_cudnn_rnn_backward",
            &[&operands, more].concat(),
            &[],
        )
        .mac
    };
    let no = false;
    let two = [("num_layers", Argument::Int(2))];
    let both = [
        ("num_layers", Argument::Int(2)),
        ("bidirectional", Argument::Bool(true)),
    ];
    let layers = [[5, 3], [3, 3]];
    let directions = [[5, 3], [5, 3], [6, 3], [6, 3]];
    // Weights 15 and 9: 8 rows; 2 first states of 9.
    assert_eq!(back(&layers[..1], [true; 4], &[]), 2 * 8 * 24);
    assert_eq!(back(&layers[..1], [no, true, no, true], &[]), 8 * (24 + 9));
    assert_eq!(back(&layers[..1], [no, no, no, true], &[]), 8 * 24 + 6 * 9);
    assert_eq!(back(&layers[..1], [true, true, no, no], &[]), 8 * 24);
    // The upper layer's input is wanted whatever the mask says.
    assert_eq!(
        back(&layers, [no, true, no, true], &two),
        8 * (24 + 9) + 2 * 8 * 18
    );
    assert_eq!(
        back(&directions, [no, true, no, true], &both),
        2 * 8 * (24 + 9) + 2 * 2 * 8 * 27
    );
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn cells_and_their_gates_by_hand() {
    // A step of 2 sequences of 5 numbers through 3 units.
    let cell = |name: &str, gates: u64, more: &[(&str, Argument)]| {
        let operands = [
            ("input", f32(&[2, 5])),
            ("w_ih", f32(&[3 * gates, 5])),
            ("w_hh", f32(&[3 * gates, 3])),
        ];
        call(
            &format!("aten::{name}"),
            &[&operands, more].concat(),
            &[&[2, 3]],
        )
    };
    let biased = [("b_ih", f32(&[12]))];
    let gates = |name: &str, state: &'static str, more: &[(&str, Argument)]| {
        let arguments = [&[(state, f32(&[2, 3]))], more].concat();
        call(&format!("aten::_thnn_{name}"), &arguments, &[&[2, 3]])
    };
    let input_bias = [("input_bias", f32(&[12]))];
    let has_bias = [("has_bias", Argument::Bool(true))];
    let layer = |name: &str, more: &[(&str, Argument)]| {
        let operands = [
            ("input", f32(&[4, 2, 5])),
            ("hx_", f32(&[2, 3])),
            ("mode", Argument::Int(2)),
            ("hidden_size", Argument::Int(3)),
            ("has_biases", Argument::Bool(false)),
        ];
        let reordered = ["weight0", "weight1", "weight2"].map(|name| (name, f32(&[1])));
        call(
            &format!("aten::{name}"),
            &[&operands, &reordered[..], more].concat(),
            &[&[4, 2, 3]],
        )
    };
    let done = |flop, functions: &[(&'static str, u128)], read| {
        [
            &[("flop", flop)],
            functions,
            &[("read", read), ("written", 24)],
        ]
        .concat()
    };
    let step = |mac, flop, functions: [(&'static str, u128); 1], read| {
        [&[("mac", mac)], &done(flop, &functions, read)[..]].concat()
    };
    assert_costs(&[
        (
            "2 · 96; 6 of 14",
            cell("lstm_cell", 4, &[]),
            &step(192, 84, [("transcendental", 30)], 424),
        ),
        (
            "6 of 22",
            cell("lstm_cell", 4, &biased),
            &step(192, 132, [("transcendental", 30)], 472),
        ),
        (
            "2 · 72; 6 of 11",
            cell("gru_cell", 3, &[]),
            &step(144, 66, [("transcendental", 18)], 328),
        ),
        (
            "2 · 24",
            cell("rnn_tanh_cell", 1, &[]),
            &step(48, 6, [("transcendental", 6)], 136),
        ),
        (
            "2 · 24",
            cell("rnn_relu_cell", 1, &[]),
            &step(48, 6, [("compare", 6)], 136),
        ),
        (
            "6 of 14",
            gates("fused_lstm_cell", "cx", &[]),
            &done(84, &[("transcendental", 30)], 24),
        ),
        (
            "6 of 22",
            gates("fused_lstm_cell", "cx", &input_bias),
            &done(132, &[("transcendental", 30)], 72),
        ),
        (
            "6 of 11",
            gates("fused_gru_cell", "hx", &[]),
            &done(66, &[("transcendental", 18)], 24),
        ),
        (
            "6 of 22",
            gates("fused_lstm_cell_backward", "cx", &[]),
            &done(132, &[("transcendental", 6)], 24),
        ),
        (
            "6 of 30",
            gates("fused_lstm_cell_backward", "cx", &has_bias),
            &done(180, &[("transcendental", 6)], 24),
        ),
        (
            "6 of 17",
            gates("fused_gru_cell_backward", "grad_hy", &[]),
            &done(102, &[], 24),
        ),
        (
            "8 · 96; 24 of 14",
            layer("mkldnn_rnn_layer", &[]),
            &[
                ("mac", 768),
                ("flop", 336),
                ("transcendental", 120),
                ("read", 196),
                ("written", 96),
            ],
        ),
        (
            "8 · 96, and 6 · 36 of states; 24 of 22",
            layer("mkldnn_rnn_layer_backward", &[]),
            &[
                ("mac", 984),
                ("flop", 528),
                ("transcendental", 24),
                ("read", 196),
                ("written", 96),
            ],
        ),
    ]);
}
