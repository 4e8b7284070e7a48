//! Every line of the table, and what its functions take of ten numbers.

use super::*;
use crate::family::by_hand::{Row, assert_works};
use crate::tensor::Dtype;

/// A function of each line, as it is written out. A sign goes with what it stands before: `−|x|` is one `abs`.
const ROWS: &[Row<'_>] = &[
    ("add", "add", [10, 0, 0, 0]),
    ("abs", "abs", [10, 0, 0, 0]),
    ("mul", "mul", [10, 0, 0, 0]),
    ("div", "div", [10, 0, 0, 0]),
    ("ceil", "round", [10, 0, 0, 0]),
    ("floor_divide", "div round", [20, 0, 0, 0]),
    // a − b · floor(a / b).
    ("fmod", "div round mul sub", [40, 0, 0, 0]),
    // a + w (b − a).
    ("lerp", "sub mul add", [30, 0, 0, 0]),
    // a + v b c.
    ("addcmul", "mul mul add", [30, 0, 0, 0]),
    ("conj_physical", "neg", [10, 0, 0, 0]),
    ("gcd", "bit", [0, 0, 0, 10]),
    ("relu", "max", [0, 0, 10, 0]),
    ("clamp", "max min", [0, 0, 20, 0]),
    // a = b, or |a − b| ≤ atol + rtol |b|.
    ("isclose", "cmp sub abs abs mul add cmp", [50, 0, 20, 0]),
    // x − λ or x + λ.
    ("softshrink", "cmp cmp sub", [10, 0, 20, 0]),
    ("leaky_relu", "cmp mul", [10, 0, 10, 0]),
    // x / 6 + 1/2, held between 0 and 1.
    ("hardsigmoid", "div add max min", [20, 0, 20, 0]),
    ("hardswish", "div add max min mul", [30, 0, 20, 0]),
    ("exp", "exp", [0, 10, 0, 0]),
    // √(a² + b²).
    ("hypot", "mul mul add sqrt", [30, 10, 0, 0]),
    // 1 / (1 + exp(−x)).
    ("sigmoid", "exp add div", [20, 10, 0, 0]),
    // x · 1 / (1 + exp(−x)).
    ("silu", "exp add div mul", [30, 10, 0, 0]),
    // x/2 · (1 + erf(x / √2)).
    ("gelu", "div erf add mul mul", [40, 10, 0, 0]),
    // x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))).
    (
        "gelu_tanh",
        "mul mul mul add mul tanh add mul mul",
        [80, 10, 0, 0],
    ),
    // x tanh(log1p(exp(x))).
    ("mish", "exp log tanh mul", [10, 30, 0, 0]),
    // s · α expm1(x).
    ("elu", "cmp exp mul mul", [20, 10, 10, 0]),
    // log1p(exp(β x)) / β.
    ("softplus", "cmp mul exp log div", [20, 20, 10, 0]),
    // x / (1 + |x|).
    ("softsign", "abs add div", [30, 0, 0, 0]),
    // min(x, 0) − log1p(exp(−|x|)).
    ("log_sigmoid", "min abs exp log sub", [20, 20, 10, 0]),
    // log(x / (1 − x)).
    ("logit", "sub div log", [20, 10, 0, 0]),
    // (1 + erf(x / √2)) / 2.
    ("ndtr", "div erf add div", [30, 10, 0, 0]),
    // sin(π x) / (π x).
    ("sinc", "mul sin div", [20, 10, 0, 0]),
    // x log y, 0 where x is.
    ("xlogy", "cmp log mul", [10, 10, 10, 0]),
    // max(a, b) + log1p(exp(−|a − b|)).
    ("logaddexp", "max sub abs exp log add", [30, 20, 10, 0]),
    // r cos φ, r sin φ.
    ("polar", "cos mul sin mul", [20, 20, 0, 0]),
    ("bitwise_and", "bit", [0, 0, 0, 10]),
    // round(x / s + z), held in range.
    ("quantize", "div add round max min", [30, 0, 20, 0]),
    // (q − z) s.
    ("dequantize", "sub mul", [20, 0, 0, 0]),
    (
        "fake_quantize",
        "div add round max min sub mul",
        [50, 0, 20, 0],
    ),
    ("relu_backward", "cmp", [0, 0, 10, 0]),
    // dy between the ends, else 0.
    ("hardtanh_backward", "cmp cmp", [0, 0, 20, 0]),
    // dy / 6 between the ends, else 0.
    ("hardsigmoid_backward", "cmp cmp div", [10, 0, 20, 0]),
    ("leaky_relu_backward", "cmp mul", [10, 0, 10, 0]),
    // w dy, and x dy.
    ("prelu_backward", "cmp mul mul", [20, 0, 10, 0]),
    // dy (x / 3 + 1/2).
    ("hardswish_backward", "cmp cmp div add mul", [30, 0, 20, 0]),
    // dy y (1 − y).
    ("sigmoid_backward", "sub mul mul", [30, 0, 0, 0]),
    // dy (1 − y²).
    ("tanh_backward", "mul sub mul", [30, 0, 0, 0]),
    // The sigmoid; dy s (1 + x (1 − s)).
    (
        "silu_backward",
        "exp add div sub mul add mul mul",
        [70, 10, 0, 0],
    ),
    // With t = x / √2: (1 + erf(t)) / 2; exp(−t²) / √(2π) · x; their sum · dy.
    (
        "gelu_backward",
        "div erf add div mul exp div mul add mul",
        [80, 20, 0, 0],
    ),
    // With k = 0.044715 and b = √(2/π) x: t = tanh(b (1 + k x²)), and of its argument the slope by x, u = b (1 + 3k x²);
    // (1 + t) (1 + (1 − t) u) · 1/2 · dy.
    (
        "gelu_tanh_backward",
        "mul mul mul add mul tanh mul add mul add sub mul add mul mul mul",
        [150, 10, 0, 0],
    ),
    // The sigmoid s by e = exp(x); t = tanh(log1p(e)); dy (t + x s (1 − t²)).
    (
        "mish_backward",
        "exp add div log tanh mul sub mul mul add mul",
        [80, 30, 0, 0],
    ),
    // dy c exp(x n), c the product of all factors.
    ("elu_backward", "cmp mul exp mul mul", [30, 10, 10, 0]),
    // dy z / (1 + z), z = exp(β x).
    (
        "softplus_backward",
        "cmp mul exp mul add div",
        [40, 10, 10, 0],
    ),
    // dy · (1 or z) / (1 + z), z = exp(−|x|).
    (
        "log_sigmoid_backward",
        "cmp abs exp add div mul",
        [40, 10, 10, 0],
    ),
    // dy / (x (1 − x)).
    ("logit_backward", "sub mul div", [30, 0, 0, 0]),
];

#[test]
fn every_function_by_hand() {
    assert_works(
        ROWS.iter()
            .map(|&row| (row, work(row.0).unwrap_or(Work::NONE))),
    );
}

#[test]
fn every_line_has_a_row() {
    let has_row = |names: &str| {
        let mut names = names.split_whitespace();
        names.any(|name| ROWS.iter().any(|row| row.0 == name))
    };
    let without: Vec<&str> = TABLE
        .iter()
        .map(|line| line.0)
        .filter(|names| !has_row(names))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn complex_numbers_take_twice_as_many_but_for_products_and_what_is_made_of_them() {
    let special = [
        // The squares of both parts and their sum; the root is counted where it is taken.
        ("abs", 3),
        // (a + bi)(c + di): four products, a difference and a sum.
        ("mul", 6),
        // The product with the conjugate 6, its norm 3, two divisions.
        ("div", 11),
        // One sign.
        ("conj_physical", 1),
    ];
    for (names, work) in TABLE {
        let by_hand = special
            .iter()
            .find(|(name, _)| names.split_whitespace().any(|known| known == *name))
            .map_or(2 * u128::from(work.arithmetic), |(_, flop)| *flop);
        assert_eq!(
            work.on(10, Dtype::complex(64)).other_flop,
            10 * by_hand,
            "{names}"
        );
    }
}

#[test]
fn powers_by_hand() {
    let rows = [
        (("x⁰", "", [0; 4]), Some(0.0)),
        (("x¹", "", [0; 4]), Some(1.0)),
        (("x²", "mul", [10, 0, 0, 0]), Some(2.0)),
        (("1 / x", "div", [10, 0, 0, 0]), Some(-1.0)),
        (("x³", "mul mul", [20, 0, 0, 0]), Some(3.0)),
        (("1 / x²", "mul div", [20, 0, 0, 0]), Some(-2.0)),
        (("√x", "pow", [0, 10, 0, 0]), Some(0.5)),
        (("x by data", "pow", [0, 10, 0, 0]), None),
    ];
    assert_works(rows.map(|(row, exponent)| (row, power(exponent))));
    let constants = [
        (("sigmoid", "exp add div", [20, 10, 0, 0]), SIGMOID),
        (("maximum", "max", [0, 0, 10, 0]), MAXIMUM),
    ];
    assert_works(constants);
}

#[test]
fn no_function_stands_in_the_table_twice() {
    let mut names: Vec<&str> = TABLE
        .iter()
        .flat_map(|(names, _)| names.split_whitespace())
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
