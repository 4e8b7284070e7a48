//! Functions of single elements, reductions, softmax, normalisation and sorting.
//!
//! Names that the families know need no line here; those that burn spells in another way, and
//! those whose cost depends on an argument, have one.

use crate::family::elementwise::power;
use crate::family::normalization::{Affine, KNOWN_STATISTICS, centred};
use crate::family::softmax;
use crate::family::sorting::sort;
use crate::family::work::Work;
use crate::vocabulary::table::{Entry, each, for_each, formula, reduce};

pub const TABLE: &[Entry] = &[
    each("add_scalar sub_scalar", Work::arithmetic(1)),
    each("mul_scalar", Work::arithmetic(1).on_complex(6)),
    each("div_scalar recip", Work::arithmetic(1).on_complex(11)),
    // a − b · floor(a / b).
    each("rem rem_scalar", Work::arithmetic(4)),
    // Two products and a difference.
    each("cross", Work::arithmetic(3)),
    formula(
        "powf_scalar powi_scalar",
        "a square 1 FLOP, a cube 2, an inverse 1; else 1 transcendental",
        |e| for_each(e, power(e.number("rhs"))),
    ),
    each(
        "powf powi arc_cos arc_cosh arc_sin arc_sinh arc_tan arc_tanh arc_tan2",
        Work::transcendental(1),
    ),
    each(
        "equal equal_elem not_equal not_equal_elem greater greater_elem greater_equal \
         greater_equal_elem lower lower_elem lower_equal lower_equal_elem is_nan is_inf \
         mask_where mask_fill",
        Work::compare(1),
    ),
    each(
        "bitwise_and_scalar bitwise_or_scalar bitwise_xor_scalar bitwise_left_shift_scalar \
         bitwise_right_shift_scalar and or xor not",
        Work::integer(1),
    ),
    each("p_relu", Work::compare(1).and(Work::arithmetic(1))),
    each("hard_sigmoid", Work::compare(2).and(Work::arithmetic(2))),
    each("softmax", softmax::FORWARD),
    each("log_softmax", softmax::LOG_FORWARD),
    // The softmax of the negative.
    each("softmin", softmax::FORWARD.and(Work::arithmetic(1))),
    formula(
        "layer_norm",
        "6 FLOP an element, 1 more for the shift",
        |e| {
            let bias = e.tensor("beta").is_some();
            for_each(e, centred(Affine { weight: true, bias }))
        },
    ),
    each("batch_norm", KNOWN_STATISTICS),
    reduce(
        "sum_dim sum_dims mean_dim cum_sum",
        Work::arithmetic(1),
        Work::NONE,
    ),
    reduce(
        "prod_dim cum_prod",
        Work::arithmetic(1).on_complex(6),
        Work::NONE,
    ),
    reduce(
        "max_dim min_dim max_dim_with_indices min_dim_with_indices arg_max arg_min cum_max cum_min",
        Work::compare(1),
        Work::NONE,
    ),
    reduce(
        "max_abs max_abs_dim",
        Work::compare(1).and(Work::arithmetic(1)),
        Work::NONE,
    ),
    formula(
        "sort sort_with_indices arg_sort top_k top_k_with_indices arg_top_k",
        "N·log2 N compares for each row",
        |e| {
            let input = e.input().ok_or("it sorts no tensor")?;
            let axis = e.int("dim").or_else(|| e.int("axis"));
            let row = axis.and_then(|axis| input.dim(axis));
            let row = row.ok_or("along which dimension it sorts is not known")?;
            let rows = input.held().checked_div(row).unwrap_or(0);
            Ok(e.moving(sort(row, rows)))
        },
    ),
    reduce("all_dim any_dim", Work::integer(1), Work::NONE),
];
