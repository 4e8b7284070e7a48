//! Sums, means, largest elements, variances, norms, and running sums.

use crate::event::{Argument, Event};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, for_each, for_each_input, formula, reduce};

pub const TABLE: &[Entry] = &[
    formula(
        "max min",
        "1 compare for each input; for each result of two tensors",
        |e| match e.get("other") {
            Argument::Tensor(_) => for_each(e, Work::compare(1)),
            _ => for_each_input(e, Work::compare(1), Work::NONE),
        },
    ),
    reduce("_aminmax", Work::compare(2), Work::NONE),
    reduce(
        "_cummax_helper _cummin_helper",
        Work::compare(1),
        Work::NONE,
    ),
    reduce("_logcumsumexp", LOGSUMEXP, Work::NONE),
    reduce(
        "special_logsumexp",
        LOGSUMEXP,
        Work::transcendental(1).and(Work::arithmetic(1)),
    ),
    reduce("var_mean", Work::arithmetic(3), Work::NONE),
    reduce("std_mean", Work::arithmetic(3), Work::transcendental(1)),
    formula(
        "linalg_vector_norm norm native_norm _foreach_norm linalg__powsum _foreach_powsum",
        "2 FLOP for each input, a root for each result; 1 compare each for the largest; another \
         power is 1 transcendental and 1 FLOP each",
        norm,
    ),
    reduce("dist", Work::arithmetic(3), Work::transcendental(1)),
    // The running sum of dy · y from behind, divided by x.
    reduce("cumprod_backward", Work::arithmetic(3), Work::NONE),
    reduce("segment_reduce", Work::arithmetic(1), Work::NONE),
    reduce("_segment_reduce_backward", Work::arithmetic(1), Work::NONE),
    reduce(
        "_sparse_sum _sparse_csr_sum _sparse_csr_prod",
        Work::arithmetic(1),
        Work::NONE,
    ),
    reduce("_is_all_true _is_any_true", Work::integer(1), Work::NONE),
    reduce(
        "bincount histc histogram",
        Work::compare(1).and(Work::integer(1)),
        Work::NONE,
    ),
    reduce("sum_to_size", Work::arithmetic(1), Work::NONE),
    reduce("hash_tensor", Work::integer(1), Work::NONE),
    reduce(
        "_histogramdd_from_bin_cts _histogramdd_from_bin_tensors",
        Work::compare(1).and(Work::integer(1)),
        Work::NONE,
    ),
    reduce("_nested_sum_backward", Work::NONE, Work::NONE),
];

const LOGSUMEXP: Work = Work::compare(1)
    .and(Work::transcendental(1))
    .and(Work::arithmetic(2));

/// A norm by its order; Euclidean unless told otherwise.
fn norm(event: &Event) -> Counted {
    let order = event
        .number("ord")
        .or_else(|| event.number("p"))
        .unwrap_or(2.0);
    let is_power = event.signature.name.contains("powsum");
    let root = Work::transcendental(u32::from(!is_power));
    let (each, last) = match order {
        f64::INFINITY | f64::NEG_INFINITY => (Work::compare(1), Work::NONE),
        0.0 => (Work::compare(1).and(Work::integer(1)), Work::NONE),
        1.0 => (Work::arithmetic(2), Work::NONE),
        2.0 => (Work::arithmetic(2), root),
        _ => (Work::transcendental(1).and(Work::arithmetic(1)), root),
    };
    for_each_input(event, each, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn norms_and_extremes_by_hand() {
        // Ten into two.
        let norm = |name: &str, order: Option<f64>| {
            let order = order.map_or(Argument::Absent, Argument::Float);
            call(name, &[("self", f32(&[2, 5])), ("ord", order)], &[&[2]])
        };
        let two = call(
            "aten::max",
            &[("self", f32(&[5])), ("other", f32(&[5]))],
            &[&[5]],
        );
        let all = call("aten::max", &[("self", f32(&[2, 5]))], &[&[1]]);
        let vector = |order| norm("aten::linalg_vector_norm", order);
        let power = |order| norm("aten::linalg__powsum", order);
        let square: &[(&str, u128)] = &[
            ("flop", 20),
            ("transcendental", 2),
            ("read", 40),
            ("written", 8),
        ];
        assert_costs(&[
            (
                "of two tensors",
                two,
                &[("compare", 5), ("read", 40), ("written", 20)],
            ),
            (
                "of one",
                all,
                &[("compare", 10), ("read", 40), ("written", 4)],
            ),
            ("squares, sums, 2 roots", vector(Some(2.0)), square),
            ("the same", vector(None), square),
            (
                "|x|, sums",
                vector(Some(1.0)),
                &[("flop", 20), ("read", 40), ("written", 8)],
            ),
            (
                "powers, sums, 2 roots",
                vector(Some(3.0)),
                &[
                    ("flop", 10),
                    ("transcendental", 12),
                    ("read", 40),
                    ("written", 8),
                ],
            ),
            (
                "the largest",
                vector(Some(f64::INFINITY)),
                &[("compare", 10), ("read", 40), ("written", 8)],
            ),
            (
                "not 0, and how many",
                vector(Some(0.0)),
                &[
                    ("integer", 10),
                    ("compare", 10),
                    ("read", 40),
                    ("written", 8),
                ],
            ),
            (
                "no roots",
                power(Some(2.0)),
                &[("flop", 20), ("read", 40), ("written", 8)],
            ),
        ]);
    }
}
