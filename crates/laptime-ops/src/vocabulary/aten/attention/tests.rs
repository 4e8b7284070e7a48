//! Attention: what each call costs, every column by hand.

use super::*;
use crate::family::by_hand::{assert_costs, call, f32, i64};

#[test]
fn heads_first_by_hand() {
    // 2 sequences of 6 heads, 2 of the keys: 3 queries and 5 keys of 7, values of 4; 180 scores.
    let of = |name: &str, more: &[(&str, Argument)]| {
        let operands = [
            ("query", f32(&[2, 6, 3, 7])),
            ("key", f32(&[2, 2, 5, 7])),
            ("value", f32(&[2, 2, 5, 4])),
        ];
        let outputs: &[&[u64]] = &[&[2, 6, 3, 4], &[2, 6, 3], &[99]];
        call(
            &format!("aten::_scaled_dot_product_{name}"),
            &[&operands, more].concat(),
            outputs,
        )
    };
    let causal = [("is_causal", Argument::Bool(true))];
    let masked = [
        ("attn_mask", f32(&[3, 5])),
        ("dropout_p", Argument::Float(0.1)),
    ];
    let gradients = [
        ("grad_out", f32(&[2, 6, 3, 4])),
        ("out", f32(&[2, 6, 3, 4])),
        ("logsumexp", f32(&[2, 6, 3])),
    ];
    let columns = |mac: u128, active: &[(&'static str, u128)], rest: &[(&'static str, u128)]| {
        [&[("mac", mac)], active, rest].concat()
    };
    let each = |flop, compare, read, written| {
        [
            ("flop", flop),
            ("transcendental", 180),
            ("compare", compare),
            ("read", read),
            ("written", written),
        ]
    };
    // Query, key and value are 252, 140 and 80 numbers; result 144, logarithms 36.
    let plain = each(720, 180, 1888, 720);
    let back = [
        ("flop", 900),
        ("transcendental", 180),
        ("read", 3184),
        ("written", 1116),
    ];
    assert_costs(&[
        (
            "180 · 11; a scale and a softmax",
            of("efficient_attention", &[]),
            &columns(1980, &[], &plain),
        ),
        (
            "of 15 scores 1 + 2 + 3",
            of("efficient_attention", &causal),
            &columns(1980, &[("active", 792)], &plain),
        ),
        (
            "of 15 scores 3 + 4 + 5",
            of("flash_attention", &causal),
            &columns(1980, &[("active", 1584)], &plain),
        ),
        (
            "a mask added; a draw and a scale",
            of("efficient_attention", &masked),
            &columns(1980, &[], &each(1080, 360, 1948, 720)),
        ),
        (
            "twice, and 180 · 7 again; a scale, a softmax's gradient, an exponential again",
            of("efficient_attention_backward", &gradients),
            &columns(3960, &[("executed", 5220)], &back),
        ),
    ]);
    let name = "flash_attention_backward";
    let aligned = of(name, &[&gradients[..], &causal].concat());
    assert_eq!((aligned.mac, aligned.active_mac), (3960, 3168));
}

#[test]
fn lengths_first_by_hand() {
    // [batch, length, heads, size]: 2 sequences, 3 queries and 5 keys, 6 heads; 180 scores of 7 + 7.
    let of = |name: &str, shape: [&[u64]; 2], more: &[(&str, Argument)]| {
        let [query, key] = shape.map(f32);
        let operands = [("query", query), ("key", key.clone()), ("value", key)];
        let arguments = [&operands, more].concat();
        let cost = call(
            &format!("aten::_{name}_attention_forward"),
            &arguments,
            &[&[9]],
        );
        (cost.mac, cost.active_mac)
    };
    let even: [&[u64]; 2] = [&[2, 3, 6, 7], &[2, 5, 6, 7]];
    let int = |name: &'static str, value| (name, Argument::Int(value));
    let causal = ("is_causal", Argument::Bool(true));
    let kind = |kind| int("custom_mask_type", kind);
    let active = |name, settings: &[(&str, Argument)]| of(name, even, settings).1 / 168;
    assert_eq!(of("flash", even, &[]), (2520, 2520));
    // Of 15 scores: aligned with the last key 3 + 4 + 5, with the first 1 + 2 + 3.
    assert_eq!(active("flash", std::slice::from_ref(&causal)), 12);
    assert_eq!(active("efficient", std::slice::from_ref(&causal)), 6);
    assert_eq!(
        (
            active("efficient", &[kind(1)]),
            active("efficient", &[kind(2)])
        ),
        (6, 12)
    );
    assert_eq!(active("efficient", &[kind(0)]), 15);
    // Two keys, its own with them; of 2 to the left and its own 3 · 3; of 1 to the right 3 + 1, 5 and 5.
    assert_eq!(active("efficient", &[kind(2), int("window_size", 2)]), 6);
    assert_eq!(active("efficient", &[kind(2), int("window_size", 1)]), 3);
    assert_eq!(active("flash", &[causal, int("window_size_left", 2)]), 9);
    assert_eq!(active("flash", &[int("window_size_right", 1)]), 14);
    assert_eq!(
        active(
            "flash",
            &[int("window_size_left", 0), int("window_size_right", 0)]
        ),
        3
    );
    // Packed: sequences of 2 and 4 in 6 tokens of 2 heads, of 8 + 8 each.
    let packed: [&[u64]; 2] = [&[6, 2, 8], &[6, 2, 8]];
    let offsets = |offsets: Argument, longest| {
        [
            ("cum_seq_q", offsets.clone()),
            ("cum_seq_k", offsets),
            int("max_q", longest),
            int("max_k", longest),
        ]
    };
    let known = offsets(Argument::Ints(vec![0, 2, 6]), 4);
    assert_eq!(of("flash", packed, &known).0, 2 * (4 + 16) * 16);
    // Two as long as the longest.
    assert_eq!(
        of("flash", packed, &offsets(i64(&[3]), 3)).0,
        2 * 2 * 9 * 16
    );
    let name = "aten::_flash_attention_forward";
    for unknown in [
        offsets(i64(&[3]), 4),
        offsets(Argument::Ints(vec![0, 4, 2]), 4),
    ] {
        let operands = ["query", "key", "value"].map(|name| (name, f32(packed[0])));
        let event = Event::named(name, &[&operands[..], &unknown].concat(), vec![]);
        let outcome = crate::vocabulary::outcome(&event);
        assert!(matches!(outcome, crate::Outcome::Uncounted(_)));
    }
}
