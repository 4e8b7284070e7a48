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
    use crate::family::by_hand::{assert_costs, call, f32, i64};

    #[test]
    fn losses_by_hand() {
        // 5 rows of 2 scores, 5 labels of 8 bytes.
        let operands = [
            ("scores", f32(&[5, 2])),
            ("labels", i64(&[5])),
            ("weights", f32(&[2])),
        ];
        let loss = |name: &str, count| call(&format!("onnx::{name}"), &operands[..count], &[&[1]]);
        assert_costs(&[
            (
                "10 of a log-softmax",
                loss("SoftmaxCrossEntropyLoss", 2),
                &[
                    ("flop", 30),
                    ("transcendental", 10),
                    ("compare", 10),
                    ("read", 80),
                    ("written", 4),
                ],
            ),
            (
                "5 · sum",
                loss("NegativeLogLikelihoodLoss", 2),
                &[("flop", 5), ("read", 80), ("written", 4)],
            ),
            (
                "5 · (weight, sum)",
                loss("NegativeLogLikelihoodLoss", 3),
                &[("flop", 10), ("read", 88), ("written", 4)],
            ),
        ]);
    }

    #[test]
    fn every_name_has_a_reduction_of_the_family() {
        assert_eq!(entries().count(), NAMES.len());
    }
}
