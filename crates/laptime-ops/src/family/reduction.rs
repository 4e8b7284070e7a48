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
    use crate::tensor::Dtype;

    fn columns(name: &str) -> (u128, u128, u128) {
        let Some((_, each, last)) = row(name) else {
            panic!("{name} is not known");
        };
        let cost = each.on(12, Dtype::F32) + last.on(3, Dtype::F32);
        (cost.other_flop, cost.transcendental, cost.compare)
    }

    #[test]
    fn twelve_elements_into_three_by_hand() {
        assert_eq!(columns("sum"), (12, 0, 0));
        assert_eq!(columns("amax"), (0, 0, 12));
        assert_eq!(columns("var"), (36, 0, 0));
        assert_eq!(columns("std"), (36, 3, 0));
        assert_eq!(columns("norm"), (24, 3, 0));
        assert_eq!(columns("logsumexp"), (27, 15, 12));
    }
}
