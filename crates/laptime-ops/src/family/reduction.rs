//! Reductions: many elements become one, and running sums.
//!
//! Source: one operation for each element that goes in, and for some a last one for each result. A
//! variance takes three: the difference from the mean, its square, its addition.

use super::work::{Work, flop};

/// A reduction: its names, what each element that goes in costs, and what each result costs.
pub type Row = (&'static str, Work, Work);

/// Reductions by name.
pub const TABLE: &[Row] = &[
    ("sum nansum trace cumsum mean nanmean", flop(1), Work::NONE),
    ("prod cumprod", flop(1).on_complex(6), Work::NONE),
    (
        "amax amin max min argmax argmin cummax cummin median nanmedian kthvalue nonzero \
         is_nonzero_all",
        Work::compare(1),
        Work::NONE,
    ),
    ("aminmax", Work::compare(2), Work::NONE),
    ("any all", Work::integer(1), Work::NONE),
    (
        "count_nonzero",
        Work::compare(1).and(Work::integer(1)),
        Work::NONE,
    ),
    ("var", flop(3), Work::NONE),
    ("std", flop(3), Work::transcendental(1)),
    // Square, add; the root of each sum.
    ("norm", flop(2), Work::transcendental(1)),
    (
        "logsumexp logcumsumexp",
        Work::compare(1).and(Work::transcendental(1)).and(flop(2)),
        Work::transcendental(1).and(flop(1)),
    ),
];

/// The reduction of a name. `None`: no such one is known.
pub fn row(name: &str) -> Option<&'static Row> {
    TABLE
        .iter()
        .find(|(names, ..)| names.split_whitespace().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{Row, assert_works};
    use crate::tensor::Dtype;

    /// A reduction of each line: each element that goes in, each result.
    const ROWS: &[(Row<'_>, Row<'_>)] = &[
        (("sum", "add", [10, 0, 0, 0]), NOTHING),
        (("prod", "mul", [10, 0, 0, 0]), NOTHING),
        (("amax", "max", [0, 0, 10, 0]), NOTHING),
        (("aminmax", "max min", [0, 0, 20, 0]), NOTHING),
        (("any", "bit", [0, 0, 0, 10]), NOTHING),
        (("count_nonzero", "cmp count", [0, 0, 10, 10]), NOTHING),
        // (x − mean)², added up.
        (("var", "sub mul add", [30, 0, 0, 0]), NOTHING),
        (("std", "sub mul add", [30, 0, 0, 0]), ROOT),
        (("norm", "mul add", [20, 0, 0, 0]), ROOT),
        // exp(x − largest), added up; its logarithm + largest.
        (
            ("logsumexp", "max sub exp add", [20, 10, 10, 0]),
            ("each result", "log add", [10, 10, 0, 0]),
        ),
    ];
    const NOTHING: Row<'_> = ("each result", "", [0; 4]);
    const ROOT: Row<'_> = ("each result", "sqrt", [0, 10, 0, 0]);

    #[test]
    fn every_reduction_by_hand() {
        assert_eq!(ROWS.len(), TABLE.len(), "a line has no row");
        assert_works(ROWS.iter().flat_map(|&(first, last)| {
            let &(_, each, of_result) = row(first.0).unwrap_or(&("", Work::NONE, Work::NONE));
            let last = (first.0, last.1, last.2);
            [(first, each), (last, of_result)]
        }));
    }

    #[test]
    fn a_complex_product_is_four_products_and_two_sums_and_a_complex_sum_two() {
        let of = |name| row(name).map(|(_, each, _)| each.on(10, Dtype::complex(64)).other_flop);
        assert_eq!((of("prod"), of("sum")), (Some(60), Some(20)));
    }
}
