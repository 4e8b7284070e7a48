//! Pooling and resampling: what each call costs, every column by hand.

use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};

#[test]
fn windows_by_hand() {
    let square: &[&[u64]] = &[&[1, 1, 2, 2]];
    let pooled = |name: &str, size: &[i64]| {
        let kernel = ("kernel_size", Argument::Ints(size.to_vec()));
        call(name, &[("self", f32(&[1, 1, 6, 6])), kernel], square)
    };
    let back = |name: &str, arguments: &[(&str, Argument)]| {
        let gradient = ("grad_output", f32(&[1, 1, 2, 2]));
        let arguments = [&[gradient], arguments].concat();
        call(name, &arguments, &[&[1, 1, 6, 6]])
    };
    let kernel = ("kernel_size", Argument::Ints(vec![3, 2]));
    let adaptive = |name: &str| call(name, &[("self", f32(&[2, 5]))], &[&[2, 3]]);
    let adaptive_back = call(
        "aten::_adaptive_avg_pool2d_backward",
        &[("grad_output", f32(&[2, 3])), ("self", f32(&[2, 5]))],
        &[&[2, 5]],
    );
    // 36 pixels in, 4 out, of 4 bytes. 5 into 3 has windows of 2, 3 and 2.
    assert_costs(&[
        (
            "4 means of 3 · 3",
            pooled("aten::avg_pool2d", &[3]),
            &[("flop", 36), ("read", 144), ("written", 16)],
        ),
        (
            "4 means of 3 · 3 · 3",
            pooled("aten::avg_pool3d", &[3]),
            &[("flop", 108), ("read", 144), ("written", 16)],
        ),
        (
            "4 means of 3",
            pooled("aten::avg_pool1d", &[3]),
            &[("flop", 12), ("read", 144), ("written", 16)],
        ),
        (
            "4 means of 3 · 2",
            pooled("aten::avg_pool2d", &[3, 2]),
            &[("flop", 24), ("read", 144), ("written", 16)],
        ),
        (
            "4 largest of 3 · 3: 8 compares",
            pooled("aten::max_pool2d", &[3]),
            &[("compare", 32), ("read", 144), ("written", 16)],
        ),
        (
            "4 gradients: a division, 6 additions",
            back("aten::avg_pool2d_backward", &[kernel]),
            &[("flop", 28), ("read", 16), ("written", 144)],
        ),
        (
            "4 gradients added where they belong",
            back("aten::max_pool2d_backward", &[]),
            &[("flop", 4), ("read", 16), ("written", 144)],
        ),
        (
            "2 (2 + 3 + 2)",
            adaptive("aten::adaptive_avg_pool1d"),
            &[("flop", 14), ("read", 40), ("written", 24)],
        ),
        (
            "2 (1 + 2 + 1)",
            adaptive("aten::adaptive_max_pool1d"),
            &[("compare", 8), ("read", 40), ("written", 24)],
        ),
        (
            "2 (2 + 3 + 2) additions and 6 divisions",
            adaptive_back,
            &[("flop", 20), ("read", 64), ("written", 40)],
        ),
    ]);
}

#[test]
fn resampling_by_hand() {
    // Ten results of n taps: n products and n − 1 additions; ten gradients: n of both.
    let to_ten = |name: &str| call(name, &[("self", f32(&[5]))], &[&[10]]);
    let from_ten = |name: &str| call(name, &[("grad_output", f32(&[10]))], &[&[5]]);
    let there = |flop| [("flop", flop), ("read", 20), ("written", 40)];
    let back = |flop| [("flop", flop), ("read", 40), ("written", 20)];
    assert_costs(&[
        (
            "nearest",
            to_ten("aten::upsample_nearest1d"),
            &[("read", 20), ("written", 40)],
        ),
        ("2 taps", to_ten("aten::upsample_linear1d"), &there(30)),
        ("4 taps", to_ten("aten::upsample_bilinear2d"), &there(70)),
        ("8 taps", to_ten("aten::upsample_trilinear3d"), &there(150)),
        ("16 taps", to_ten("aten::upsample_bicubic2d"), &there(310)),
        (
            "nearest, back",
            from_ten("aten::upsample_nearest1d_backward"),
            &back(10),
        ),
        (
            "2 taps, back",
            from_ten("aten::upsample_linear1d_backward"),
            &back(40),
        ),
        (
            "4 taps, back",
            from_ten("aten::upsample_bilinear2d_backward"),
            &back(80),
        ),
        (
            "8 taps, back",
            from_ten("aten::upsample_trilinear3d_backward"),
            &back(160),
        ),
        (
            "16 taps, back",
            from_ten("aten::upsample_bicubic2d_backward"),
            &back(320),
        ),
    ]);
}

#[test]
fn sampling_at_points_by_hand() {
    let mode = |mode| ("interpolation_mode", Argument::Int(mode));
    let sampled = |way| {
        let arguments = [("input", f32(&[1, 3, 9, 9])), mode(way)];
        call("aten::grid_sampler_2d", &arguments, &[&[1, 3, 2, 2]])
    };
    let back = |shape: &[u64]| {
        let arguments = [("grad_output", f32(shape)), mode(0)];
        call("aten::grid_sampler_2d_backward", &arguments, &[&[3]])
    };
    // 3 channels of 4 points: 12 results, and the weights of 4 points.
    let read = |flop| [("flop", flop), ("read", 972), ("written", 48)];
    assert_costs(&[
        ("2 · 2 taps: 12 · 7 + 4 · 8", sampled(0), &read(116)),
        ("1 tap: 12 · 1 + 4 · 2", sampled(1), &read(20)),
        ("4 · 4 taps: 12 · 31 + 4 · 32", sampled(2), &read(500)),
        (
            "2 · 2 taps: of the image and of the weights 12 · 8 each, 4 · 8",
            back(&[1, 3, 2, 2]),
            &[("flop", 224), ("read", 48), ("written", 12)],
        ),
        (
            "2 · 2 · 2 taps of 4 points: 12 · 16 twice, 4 · 16",
            back(&[1, 3, 2, 2, 1]),
            &[("flop", 448), ("read", 48), ("written", 12)],
        ),
    ]);
}

#[test]
fn smooth_resampling_by_hand() {
    let halved = |name: &str, arguments: &[(&str, Argument)]| {
        let arguments = [&[("self", f32(&[1, 1, 4, 4]))], arguments].concat();
        call(name, &arguments, &[&[1, 1, 2, 2]])
    };
    let from_ends = [("align_corners", Argument::Bool(true))];
    let by_scale = [
        ("scales_h", Argument::Float(0.5)),
        ("scales_w", Argument::Float(0.5)),
    ];
    let back = call(
        "aten::_upsample_bilinear2d_aa_backward",
        &[("grad_output", f32(&[1, 1, 2, 2]))],
        &[&[1, 1, 4, 4]],
    );
    let moved = |flop| [("flop", flop), ("read", 64), ("written", 16)];
    // Four rows, then two columns, of 2 results each: 12 sums. A reach of 2 sees 3 pixels of four at centres 1 and 3.
    assert_costs(&[
        (
            "6 · 6 taps: 2 · 36 − 12",
            halved("aten::_upsample_bilinear2d_aa", &[]),
            &moved(60),
        ),
        (
            "the same",
            halved("aten::_upsample_bilinear2d_aa", &by_scale),
            &moved(60),
        ),
        // A reach of 4 or 6 sees all four.
        (
            "6 · 8 taps: 2 · 48 − 12",
            halved("aten::_upsample_bicubic2d_aa", &[]),
            &moved(84),
        ),
        (
            "6 · 8 taps",
            halved("aten::_upsample_lanczos2d_aa", &[]),
            &moved(84),
        ),
        // Scale 3, centres 1.5 and 4.5, reach 3: pixels 0–3 and 2–3.
        (
            "6 · 6 taps",
            halved("aten::_upsample_bilinear2d_aa", &from_ends),
            &moved(60),
        ),
        (
            "6 · 6 taps, 2 each",
            back,
            &[("flop", 72), ("read", 16), ("written", 64)],
        ),
    ]);
}
