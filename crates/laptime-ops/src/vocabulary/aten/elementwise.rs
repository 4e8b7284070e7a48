//! Functions of single elements.
//!
//! Names that the family knows need no line here; those that `PyTorch` spells in another way, and
//! those whose cost depends on an argument, have one.

use crate::event::{Argument, Event};
use crate::family::elementwise::{self, work};
use crate::family::work::Work;
use crate::tensor::Kind;
use crate::vocabulary::table::{Counted, Entry, Rule, each, for_each, formula, plain};
use laptime_core::Cost;

pub const TABLE: &[Entry] = &[
    formula(
        "add sub rsub",
        "1 FLOP for each result; 1 more where a factor is not 1; 2 if complex",
        |e| {
            let scaled = e.number("alpha").is_some_and(|alpha| !is_one(alpha));
            for_each(e, Work::arithmetic(1 + u32::from(scaled)))
        },
    ),
    formula(
        "addcmul addcdiv",
        "2 FLOP for each result; 1 more where a factor is not 1",
        |e| {
            let absent = |name: &str| matches!(e.get(name), Argument::Absent);
            let one = e
                .number("value")
                .map_or(absent("value") && absent("scalars"), is_one);
            for_each(e, Work::arithmetic(3 - u32::from(one)))
        },
    ),
    formula(
        "pow float_power _foreach_pow",
        "a square 1 FLOP, a cube 2, an inverse 1; else 1 transcendental",
        |e| for_each(e, elementwise::power(e.number("exponent"))),
    ),
    formula("clamp clip", "1 compare for each result and bound", |e| {
        let given = |name: &str| !matches!(e.get(name), Argument::Absent);
        let bounds = u32::from(given("min")) + u32::from(given("max"));
        for_each(e, Work::compare(bounds.max(1)))
    }),
    formula(
        "gelu",
        "1 transcendental; 4 FLOP, 8 with the tanh form",
        |e| gelu(e, ["gelu", "gelu_tanh"]),
    ),
    formula(
        "gelu_backward",
        "2 transcendentals and 8 FLOP; 1 and 15 with the tanh form",
        |e| gelu(e, ["gelu_backward", "gelu_tanh_backward"]),
    ),
    formula(
        "div divide true_divide",
        "1 FLOP for each result; 2 with rounding; 11 if complex",
        |e| {
            let rounds = u32::from(e.text("rounding_mode").is_some());
            for_each(e, Work::arithmetic(1 + rounds).on_complex(11))
        },
    ),
    each("multiply", Work::arithmetic(1).on_complex(6)),
    each("subtract negative", Work::arithmetic(1)),
    each("_add_relu", Work::arithmetic(1).and(Work::compare(1))),
    each(
        "arccos arccosh arcsin arcsinh arctan arctan2 arctanh special_digamma special_erf \
         special_erfc special_exp2 special_expm1 special_gammaln special_log1p special_psi \
         special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_erfcx \
         special_erfinv special_i0 special_i0e special_i1 special_i1e special_log_ndtr special_ndtri \
         special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 \
         special_modified_bessel_k1 special_scaled_modified_bessel_k0 special_polygamma \
         special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_zeta \
         special_gammainc special_gammaincc special_airy_ai mvlgamma special_multigammaln",
        Work::transcendental(1),
    ),
    each("special_expit", elementwise::SIGMOID),
    each(
        "special_ndtr",
        Work::transcendental(1).and(Work::arithmetic(3)),
    ),
    each(
        "special_sinc",
        Work::transcendental(1).and(Work::arithmetic(2)),
    ),
    each(
        "special_entr special_xlog1py special_xlogy",
        Work::compare(1)
            .and(Work::transcendental(1))
            .and(Work::arithmetic(1)),
    ),
    each(
        "special_logit",
        Work::transcendental(1).and(Work::arithmetic(2)),
    ),
    each("special_round int_repr", Work::arithmetic(1)),
    each(
        "greater greater_equal less less_equal not_equal equal isin is_nonzero",
        Work::compare(1),
    ),
    each("allclose", Work::compare(2).and(Work::arithmetic(5))),
    each(
        "__and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__ __ixor__ __ilshift__ \
         __irshift__",
        Work::integer(1),
    ),
    each("_prelu_kernel", Work::compare(1).and(Work::arithmetic(1))),
    each(
        "_prelu_kernel_backward",
        Work::compare(1).and(Work::arithmetic(2)),
    ),
    each(
        "rrelu rrelu_with_noise rrelu_with_noise_backward",
        Work::compare(1).and(Work::arithmetic(1)),
    ),
    each(
        "log_sigmoid_forward",
        Work::compare(1)
            .and(Work::transcendental(2))
            .and(Work::arithmetic(2)),
    ),
    formula("glu", "1 transcendental, 3 FLOP for each result", |e| {
        for_each(e, elementwise::SIGMOID.and(Work::arithmetic(1)))
    }),
    formula(
        "glu_backward",
        "1 transcendental, 6 FLOP for each gradient that comes in",
        |e| {
            let gradient = e.require("grad_output")?;
            Ok(e.moving(GLU_BACKWARD.over(gradient)))
        },
    ),
    formula(
        "native_dropout dropout feature_dropout",
        "1 compare and 2 FLOP for each result; nothing outside training",
        |e| trained(e, DROPOUT),
    ),
    formula(
        "alpha_dropout feature_alpha_dropout",
        "1 compare and 3 FLOP for each result; nothing outside training",
        |e| trained(e, DROPOUT.and(Work::arithmetic(1))),
    ),
    formula(
        "abs absolute",
        "1 FLOP for each result; 3 and 1 transcendental if complex",
        size,
    ),
    each("_conj_physical", Work::arithmetic(1).on_complex(1)),
    each(
        "_fused_moving_avg_obs_fq_helper fused_moving_avg_obs_fake_quant",
        Work::arithmetic(5).and(Work::compare(4)),
    ),
    each(
        "glu_jvp glu_backward_jvp",
        Work::transcendental(1).and(Work::arithmetic(7)),
    ),
    each("_transform_bias_rescale_qkv", Work::arithmetic(2)),
    each("renorm", Work::arithmetic(3).and(Work::compare(1))),
    each(
        "_standard_gamma_grad _dirichlet_grad",
        Work::transcendental(1),
    ),
    each(
        "_amp_update_scale",
        Work::arithmetic(1).and(Work::compare(2)),
    ),
    each(
        "_fake_quantize_learnable_per_tensor_affine_backward \
         _fake_quantize_learnable_per_channel_affine_backward",
        Work::arithmetic(9).and(Work::compare(2)),
    ),
    plain(
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u \
         special_chebyshev_polynomial_v special_chebyshev_polynomial_w \
         special_hermite_polynomial_h special_hermite_polynomial_he \
         special_laguerre_polynomial_l special_legendre_polynomial_p \
         special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u \
         special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w",
        Rule::Unknown("the degree of its polynomial is data"),
    ),
    each("native_dropout_backward _masked_scale", Work::arithmetic(2)),
    each("_fused_dropout", DROPOUT),
    each(
        "_amp_foreach_non_finite_check_and_unscale",
        Work::arithmetic(1).and(Work::compare(1)),
    ),
    each(
        "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic",
        QUANTIZE,
    ),
    each(
        "fake_quantize_per_tensor_affine fake_quantize_per_channel_affine \
         fake_quantize_per_tensor_affine_cachemask fake_quantize_per_channel_affine_cachemask \
         _fake_quantize_per_tensor_affine_cachemask_tensor_qparams \
         _fake_quantize_learnable_per_tensor_affine _fake_quantize_learnable_per_channel_affine",
        Work::arithmetic(5).and(Work::compare(2)),
    ),
    each(
        "fake_quantize_per_tensor_affine_cachemask_backward \
         fake_quantize_per_channel_affine_cachemask_backward",
        Work::arithmetic(1),
    ),
];

/// A compare of the draw; the product with the mask, and with the scale.
const DROPOUT: Work = Work::compare(1).and(Work::arithmetic(2));
/// With `s` the sigmoid of `b`: `dy s`, and that `· a (1 − s)`.
const GLU_BACKWARD: Work = elementwise::SIGMOID.and(Work::arithmetic(4));
const QUANTIZE: Work = Work::arithmetic(3).and(Work::compare(2));

/// Whether a factor changes nothing.
fn is_one(factor: f64) -> bool {
    (factor - 1.0).abs() < f64::MIN_POSITIVE
}

/// Work that is only done in training.
fn trained(event: &Event, work: Work) -> Counted {
    if event.bool("train") == Some(false) {
        return Ok(Cost::default());
    }
    for_each(event, work)
}

/// One of two functions, the second where it is approximated by a hyperbolic tangent.
fn gelu(event: &Event, [erf, tanh]: [&str; 2]) -> Counted {
    let is_tanh = event.text("approximate") == Some("tanh");
    for_each(
        event,
        work(if is_tanh { tanh } else { erf }).unwrap_or(Work::NONE),
    )
}

/// The absolute value; of a complex number the root of its norm, which is a real one.
fn size(event: &Event) -> Counted {
    let input = event.input();
    let complex = input.is_some_and(|input| input.dtype.kind == Kind::Complex);
    let norm = for_each(event, Work::arithmetic(1).on_complex(3))?;
    let roots = if complex { norm.other_flop / 3 } else { 0 };
    Ok(Cost {
        transcendental: roots,
        ..norm
    })
}

#[cfg(test)]
mod tests;
