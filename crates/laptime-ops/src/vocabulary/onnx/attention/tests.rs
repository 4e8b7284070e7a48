//! Attention: what each call costs, every column by hand.

use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn every_layout_by_hand() {
    let of = |name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]| {
        call(name, arguments, outputs)
    };
    let int = |name: &'static str, value| (name, Argument::Int(value));
    let causal = ("is_causal", Argument::Bool(true));
    let four = [
        ("Q", f32(&[2, 4, 3, 5])),
        ("K", f32(&[2, 2, 6, 5])),
        ("V", f32(&[2, 2, 6, 7])),
    ];
    let three = [
        ("Q", f32(&[2, 3, 20])),
        ("K", f32(&[2, 6, 10])),
        ("V", f32(&[2, 6, 14])),
        ("attn_mask", f32(&[3, 6])),
        int("q_num_heads", 4),
        int("kv_num_heads", 2),
    ];
    let past = |name: &'static str, shape: &[u64]| (name, f32(shape));
    let with_past = [
        &four[..],
        &[
            ("attn_mask", Argument::Absent),
            past("past_key", &[2, 2, 1, 5]),
            causal.clone(),
        ],
    ]
    .concat();
    let projected = [
        ("input", f32(&[2, 3, 8])),
        ("weights", f32(&[8, 24])),
        ("bias", f32(&[24])),
        int("num_heads", 4),
    ];
    let grouped = [
        ("query", f32(&[2, 3, 20])),
        ("key", f32(&[2, 3, 10])),
        ("value", f32(&[2, 3, 10])),
        past("past_key", &[2, 2, 4, 5]),
        int("num_heads", 4),
        int("kv_num_heads", 2),
    ];
    let windowed = [
        &grouped[..],
        &[int("local_window_size", 2), int("do_rotary", 1)],
    ]
    .concat();
    // 2 · 4 heads of 3 queries and 6 keys: 144 scores of 5 + 7, each with a scale and a softmax.
    let columns =
        |mac: u128, active: &[(&'static str, u128)], each: [u128; 2], moved: [u128; 2]| {
            let [flop, scores] = each;
            [
                &[("mac", mac)],
                active,
                &[
                    ("flop", flop),
                    ("transcendental", scores),
                    ("compare", scores),
                    ("read", moved[0]),
                    ("written", moved[1]),
                ],
            ]
            .concat()
        };
    assert_costs(&[
        (
            "144 · 12",
            of("onnx::Attention", &four, &[&[2, 4, 3, 7]]),
            &columns(1728, &[], [576, 144], [1632, 672]),
        ),
        (
            "the same, and a mask added",
            of("onnx::Attention", &three, &[&[2, 3, 28]]),
            &columns(1728, &[], [720, 144], [1704, 672]),
        ),
        (
            "7 keys; of 21 scores 5 + 6 + 7",
            of("onnx::Attention", &with_past, &[&[2, 4, 3, 7]]),
            &columns(2016, &[("active", 1728)], [672, 168], [1712, 672]),
        ),
        // 2 · 4 heads of 3 · 3 scores of 2 + 2; 6 rows by 8 · 24, with biases.
        (
            "72 · 4 + 6 · 192; 72 · 4 + 6 · 24",
            of("com.microsoft::Attention", &projected, &[&[2, 3, 8]]),
            &columns(1440, &[], [432, 72], [1056, 192]),
        ),
        // 2 · 4 heads of 3 queries and 4 + 3 keys: 168 scores of 10, of which 5 + 6 + 7 of 21 are active.
        (
            "168 · 10",
            of(
                "com.microsoft::GroupQueryAttention",
                &grouped,
                &[&[2, 3, 20]],
            ),
            &columns(1680, &[("active", 1440)], [672, 168], [1280, 480]),
        ),
        // Two keys before and its own of each query; 2 · 3 · (4 + 2) · 5 numbers turned by 3.
        (
            "168 · 10, and 180 · 3",
            of(
                "com.microsoft::GroupQueryAttention",
                &windowed,
                &[&[2, 3, 20]],
            ),
            &columns(1680, &[("active", 720)], [1212, 168], [1280, 480]),
        ),
    ]);
}
