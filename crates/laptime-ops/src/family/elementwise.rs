//! Functions of single elements: what each result costs.
//!
//! Source: each function written out with additions, multiplications and divisions (1 FLOP each),
//! a transcendental function where the hardware or a library evaluates one, and a compare for each
//! choice. Negation, absolute value and rounding are 1 FLOP; within a formula a sign goes with the
//! operation before it. Names are those of `NumPy` and
//! `PyTorch`; dialects that use others translate them, so that a function costs the same in all.

use super::work::{Work, flop};

const fn special(transcendental: u32, arithmetic: u32) -> Work {
    Work::transcendental(transcendental).and(Work::arithmetic(arithmetic))
}

/// `1 / (1 + exp(-x))`, the sign folded into the exponential's argument.
pub const SIGMOID: Work = special(1, 2);
/// The larger of two.
pub const MAXIMUM: Work = Work::compare(1);

/// Functions and what each of their results costs: names separated by spaces.
pub const TABLE: &[(&str, Work)] = &[
    // Arithmetic.
    ("add sub rsub neg", flop(1)),
    ("abs", flop(1).on_complex(3)),
    // (a + bi)(c + di): four products, two sums.
    ("mul square", flop(1).on_complex(6)),
    // Six for the product with the conjugate, three for the norm, two divisions.
    ("div divide reciprocal", flop(1).on_complex(11)),
    (
        "ceil floor round trunc fix frac int_repr deg2rad rad2deg ldexp xor_sum",
        flop(1),
    ),
    ("floor_divide", flop(2)),
    // a − b · floor(a / b).
    ("fmod remainder", flop(4)),
    ("lerp", flop(3)),
    ("addcmul addcdiv", flop(3)),
    (
        "copysign nextafter frexp conj_physical",
        flop(1).on_complex(1),
    ),
    ("gcd lcm", Work::integer(1)),
    // Choices.
    (
        "maximum minimum fmax fmin relu threshold clamp_min clamp_max where eq ne lt le gt ge \
         isnan isinf isposinf isneginf isfinite signbit sign sgn heaviside masked_fill isreal",
        Work::compare(1),
    ),
    (
        "clamp clip hardtanh relu6 hardshrink nan_to_num",
        Work::compare(2),
    ),
    // a = b, or |a − b| ≤ atol + rtol |b|.
    ("isclose", Work::compare(2).and(flop(5))),
    ("softshrink", Work::compare(2).and(flop(1))),
    ("add_relu leaky_relu prelu", Work::compare(1).and(flop(1))),
    ("hardsigmoid", Work::compare(2).and(flop(2))),
    ("hardswish", Work::compare(2).and(flop(3))),
    // Transcendental functions.
    (
        "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt cbrt sin cos tan asin acos atan atan2 sinh \
         cosh tanh asinh acosh atanh erf erfc erfinv erfcx lgamma digamma i0 i0e i1 i1e pow angle \
         bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 \
         modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 \
         spherical_bessel_j0 airy_ai zeta polygamma igamma igammac gammainc gammaincc ndtri log_ndtr",
        Work::transcendental(1),
    ),
    ("hypot", special(1, 3)),
    ("sigmoid", SIGMOID),
    ("silu swish", special(1, 3)),
    // 0.5 x (1 + erf(x / √2)).
    ("gelu", special(1, 4)),
    // 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).
    ("gelu_tanh", special(1, 8)),
    // x tanh(log1p(exp(x))).
    ("mish", special(3, 1)),
    ("elu celu selu", Work::compare(1).and(special(1, 2))),
    ("softplus", Work::compare(1).and(special(2, 2))),
    ("softsign", flop(3)),
    // min(x, 0) − log1p(exp(−|x|)).
    ("log_sigmoid", Work::compare(1).and(special(2, 2))),
    ("logit", special(1, 2)),
    ("ndtr", special(1, 3)),
    ("sinc", special(1, 2)),
    ("xlogy xlog1py entr", Work::compare(1).and(special(1, 1))),
    // max + log1p(exp(−|a − b|)).
    ("logaddexp logaddexp2", Work::compare(1).and(special(2, 3))),
    ("polar", special(2, 2)),
    // Bits and truth values.
    (
        "logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor \
         bitwise_not bitwise_left_shift bitwise_right_shift",
        Work::integer(1),
    ),
    // Quantisation: scale, shift, round, and clamp to the range.
    ("quantize", flop(3).and(Work::compare(2))),
    ("dequantize", flop(2)),
    ("fake_quantize", flop(5).and(Work::compare(2))),
    // Derivatives by what comes from behind: chosen, or multiplied with it.
    ("threshold_backward relu_backward", Work::compare(1)),
    (
        "hardtanh_backward hardshrink_backward softshrink_backward",
        Work::compare(2),
    ),
    ("hardsigmoid_backward", Work::compare(2).and(flop(1))),
    ("leaky_relu_backward", Work::compare(1).and(flop(1))),
    ("prelu_backward", Work::compare(1).and(flop(2))),
    ("hardswish_backward", Work::compare(2).and(flop(3))),
    // dy · y · (1 − y).
    ("sigmoid_backward", flop(3)),
    // dy · (1 − y²).
    ("tanh_backward", flop(3)),
    // dy · s · (1 + x · (1 − s)), with s the sigmoid.
    ("silu_backward", special(1, 7)),
    // dy · (Φ(x) + x φ(x)): an error function, an exponential.
    ("gelu_backward", special(2, 8)),
    ("gelu_tanh_backward", special(1, 15)),
    // dy · (t + x s (1 − t²)), with s the sigmoid and t as above.
    ("mish_backward", special(3, 8)),
    ("elu_backward", Work::compare(1).and(special(1, 3))),
    ("softplus_backward", Work::compare(1).and(special(1, 4))),
    ("log_sigmoid_backward", Work::compare(1).and(special(1, 4))),
    ("logit_backward", flop(3)),
];

/// A power by its exponent, `None` where that is data: small whole ones are products, an inverse is
/// a division.
pub const fn power(exponent: Option<f64>) -> Work {
    match exponent {
        Some(0.0 | 1.0) => flop(0),
        Some(2.0 | -1.0) => flop(1),
        Some(3.0 | -2.0) => flop(2),
        _ => Work::transcendental(1),
    }
}

/// What each result of a function costs. `None`: no such function is known.
pub fn work(name: &str) -> Option<Work> {
    Work::named(TABLE, name)
}

#[cfg(test)]
mod tests;
