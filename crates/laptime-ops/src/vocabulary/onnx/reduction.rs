//! Sums, means and extremes, by the names that the family has for them.

use crate::family::reduction::row;
use crate::family::softmax;
use crate::family::work::Work;
use crate::vocabulary::table::{Entry, for_each_input, formula, reduce};

/// The standard's names, and the family's.
const NAMES: &[(&str, &str)] = &[
    ("ReduceSum", "sum"),
    ("ReduceMean", "mean"),
    ("ReduceMax", "amax"),
    ("ReduceMin", "amin"),
    ("ReduceProd", "prod"),
    ("ReduceL2", "norm"),
    ("ReduceLogSumExp", "logsumexp"),
    ("ArgMax", "argmax"),
    ("ArgMin", "argmin"),
    ("CumSum", "cumsum"),
    ("CumProd", "cumprod"),
    ("NonZero", "nonzero"),
];

/// A logarithm for each result.
const LOGARITHM: Work = Work::transcendental(1);

pub const TABLE: &[Entry] = &[
    // The absolute value, its addition.
    reduce("ReduceL1", Work::arithmetic(2), Work::NONE),
    reduce("ReduceSumSquare", Work::arithmetic(2), Work::NONE),
    reduce("ReduceLogSum", Work::arithmetic(1), LOGARITHM),
    formula(
        "SoftmaxCrossEntropyLoss",
        "a softmax for each score, as the labels are looked up",
        |e| for_each_input(e, softmax::LOG_FORWARD, Work::NONE),
    ),
    formula(
        "NegativeLogLikelihoodLoss",
        "1 FLOP for each label, 1 more for its weight",
        |e| {
            let labels = e.inputs().nth(1).ok_or("it has no labels")?;
            let scores = e.input().ok_or("it has no scores")?;
            let each = if e.inputs().count() > 2 { 2 } else { 1 };
            Ok(e.moving(Work::arithmetic(each).on(labels.held(), scores.dtype)))
        },
    ),
];

/// What the family knows, under the standard's names.
pub fn entries() -> impl Iterator<Item = Entry> {
    NAMES.iter().filter_map(|&(name, known)| {
        let &(_, each, last) = row(known)?;
        Some(reduce(name, each, last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_reduction_of_the_family() {
        assert_eq!(entries().count(), NAMES.len());
    }
}
