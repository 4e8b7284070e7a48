//! Convolutions: what each call costs, every column by hand.

use crate::event::{Argument, Event};
use crate::family::by_hand::{assert_costs, call, f32};
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary;

#[test]
fn every_forward_by_hand() {
    // 2 groups: 4 channels to 6, 5 × 5 to 3 × 3 by a kernel of 3 × 3: 54 results of 2 · 9 taps.
    let (image, weight) = (
        ("input", f32(&[1, 4, 5, 5])),
        ("weight", f32(&[6, 2, 3, 3])),
    );
    let plain = |name: &str, more: &[(&str, Argument)]| {
        let arguments = [&[image.clone(), weight.clone()], more].concat();
        call(name, &arguments, &[&[1, 6, 3, 3]])
    };
    let bias = ("bias", f32(&[6]));
    let residual = ("z", f32(&[1, 6, 3, 3]));
    let over_time = |name: &str, output: &[u64]| {
        let arguments = [("self", f32(&[4, 2, 3])), ("weight", f32(&[2, 3, 5]))];
        call(name, &arguments, &[output])
    };
    assert_costs(&[
        (
            "54 · 18",
            plain("aten::convolution", &[]),
            &[("mac", 972), ("read", 832), ("written", 216)],
        ),
        (
            "and 54 biases",
            plain("aten::mkldnn_convolution", std::slice::from_ref(&bias)),
            &[("mac", 972), ("flop", 54), ("read", 856), ("written", 216)],
        ),
        (
            "100 pixels in, each by 2 · 9 taps",
            plain("aten::convolution", &[("transposed", Argument::Bool(true))]),
            &[("mac", 1800), ("read", 832), ("written", 216)],
        ),
        (
            "the same",
            plain("aten::conv_transpose2d", &[]),
            &[("mac", 1800), ("read", 832), ("written", 216)],
        ),
        (
            "54 compares, 54 biases",
            plain("aten::cudnn_convolution_relu", std::slice::from_ref(&bias)),
            &[
                ("mac", 972),
                ("flop", 54),
                ("compare", 54),
                ("read", 856),
                ("written", 216),
            ],
        ),
        (
            "54 more additions",
            plain("aten::cudnn_convolution_add_relu", &[bias, residual]),
            &[
                ("mac", 972),
                ("flop", 108),
                ("compare", 54),
                ("read", 1072),
                ("written", 216),
            ],
        ),
        (
            "3 steps of 2 sequences and 5 channels: 30 · 2 · 3; 30 biases",
            over_time("aten::conv_tbc", &[3, 2, 5]),
            &[("mac", 180), ("flop", 30), ("read", 216), ("written", 120)],
        ),
        (
            "of 24 gradients two products",
            over_time("aten::conv_tbc_backward", &[4, 2, 3]),
            &[("mac", 288), ("flop", 24), ("read", 216), ("written", 96)],
        ),
    ]);
    let complex = |shape: &[u64]| Tensor::new(shape, Dtype::complex(64));
    let arguments = [
        ("input", Argument::Tensor(complex(&[1, 1, 3]))),
        ("weight", Argument::Tensor(complex(&[1, 1, 2]))),
    ];
    let event = Event::named("aten::conv1d", &arguments, vec![complex(&[1, 1, 2])]);
    // 2 results of 2 taps, four real products each.
    let counted = vocabulary::outcome(&event);
    assert!(matches!(counted, crate::Outcome::Counted(cost) if cost.mac == 16));
}

#[test]
fn every_gradient_by_hand() {
    // As above: dy of 54, x of 100, a weight of 108; 4 bytes each.
    let back = |mask: [bool; 3], transposed| {
        let arguments = [
            ("grad_output", f32(&[1, 6, 3, 3])),
            ("input", f32(&[1, 4, 5, 5])),
            ("weight", f32(&[6, 2, 3, 3])),
            ("transposed", Argument::Bool(transposed)),
            ("output_mask", Argument::Bools(mask.to_vec())),
        ];
        call("aten::convolution_backward", &arguments, &[])
    };
    assert_costs(&[
        (
            "dx: dy and w in, dx out",
            back([true, false, false], false),
            &[("mac", 972), ("read", 648), ("written", 400)],
        ),
        (
            "dw: dy and x in, dw out",
            back([false, true, false], false),
            &[("mac", 972), ("read", 616), ("written", 432)],
        ),
        (
            "db: dy in, 6 out",
            back([false, false, true], false),
            &[("flop", 54), ("read", 216), ("written", 24)],
        ),
        (
            "dx and db: dy once",
            back([true, false, true], false),
            &[("mac", 972), ("flop", 54), ("read", 648), ("written", 424)],
        ),
        (
            "dw and db: dy once",
            back([false, true, true], false),
            &[("mac", 972), ("flop", 54), ("read", 616), ("written", 456)],
        ),
        (
            "all: dy no third time",
            back([true, true, true], false),
            &[
                ("mac", 1944),
                ("flop", 54),
                ("read", 1264),
                ("written", 856),
            ],
        ),
        (
            "transposed: 100 · 18 each",
            back([true, true, false], true),
            &[("mac", 3600), ("read", 1264), ("written", 832)],
        ),
    ]);
}
