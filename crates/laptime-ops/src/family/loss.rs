//! Losses and their gradients: what each element costs, its share of the sum included.
//!
//! Source: each loss written out. Cross entropy is a log-softmax and a look-up, each counted where
//! it runs. Without a reduction nothing is added up: [`unreduced`] takes the addition off.

use super::work::{Work, flop};

/// Losses by name, with what each element costs when the loss is added up.
pub const TABLE: &[(&str, Work)] = &[
    // Difference, square, sum.
    ("mse_loss", flop(3)),
    ("l1_loss", flop(3)),
    // |d| < β ? d² / 2β : |d| − β / 2, one side of which is computed.
    ("smooth_l1_loss huber_loss", flop(5).and(Work::compare(1))),
    // −(y log x + (1 − y) log(1 − x)), the logarithms held above −100.
    (
        "binary_cross_entropy",
        flop(7).and(Work::transcendental(2)).and(Work::compare(2)),
    ),
    // max(x, 0) − x y + log(1 + exp(−|x|)).
    (
        "binary_cross_entropy_with_logits",
        flop(6).and(Work::transcendental(2)).and(Work::compare(1)),
    ),
    // log(1 + exp(−y x)).
    ("soft_margin_loss", flop(4).and(Work::transcendental(2))),
    // y (log y − x).
    (
        "kl_div",
        flop(3).and(Work::transcendental(1)).and(Work::compare(1)),
    ),
    (
        "multi_margin_loss multilabel_margin_loss",
        flop(3).and(Work::compare(1)),
    ),
];

/// Gradient of the mean squares: the difference, its product with `2 / N · dy`.
pub const SQUARES_BACKWARD: Work = flop(2);
/// Gradient of the smooth absolute and of Huber's loss.
pub const SMOOTH_BACKWARD: Work = flop(3).and(Work::compare(2));
/// Gradient of the binary cross entropy, `(x − y) / (x (1 − x)) · dy`.
pub const BINARY_BACKWARD: Work = flop(5).and(Work::compare(1));
/// Gradient of the soft margin.
pub const SOFT_MARGIN_BACKWARD: Work = flop(5).and(Work::transcendental(1));
/// Gradient of the margins of several classes: the margin again, its product with `dy`, and that
/// taken off the target's.
pub const MARGIN_BACKWARD: Work = flop(4).and(Work::compare(1));

/// Each step and state of a connectionist temporal classification: three ways into a state, added
/// up by their logarithms, and the state's own probability. Graves et al. (2006), with a blank
/// before and after each label.
pub const ALIGNMENT: Work = Work::compare(2).and(Work::transcendental(4)).and(flop(7));

/// States of so many labels, over so many steps.
pub fn alignments(steps: u128, labels: u128) -> u128 {
    steps.saturating_mul(labels.saturating_mul(2).saturating_add(1))
}

/// The work of a loss without its sum.
#[must_use]
pub const fn unreduced(work: Work) -> Work {
    Work {
        arithmetic: work.arithmetic.saturating_sub(1),
        complex: work.complex.saturating_sub(2),
        ..work
    }
}

/// What each element of a loss costs. `None`: no such one is known.
pub fn work(name: &str) -> Option<Work> {
    Work::named(TABLE, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{Row, assert_works};

    /// A loss of each line, with its share of the sum.
    const ROWS: &[Row<'_>] = &[
        ("mse_loss", "sub mul add", [30, 0, 0, 0]),
        ("l1_loss", "sub abs add", [30, 0, 0, 0]),
        // d; |d|; d² / 2β; the sum.
        ("huber_loss", "sub abs cmp mul div add", [50, 0, 10, 0]),
        // y · log x; (1 − y) · log(1 − x); their sum, its sign; the sum of all.
        (
            "binary_cross_entropy",
            "log max mul sub sub log max mul add neg add",
            [70, 20, 20, 0],
        ),
        // max(x, 0) − x · y; log(1 + exp(−|x|)); their sum; the sum of all.
        (
            "binary_cross_entropy_with_logits",
            "max mul sub abs exp add log add add",
            [60, 20, 10, 0],
        ),
        // −y · x; log(1 + exp(…)); the sum.
        (
            "soft_margin_loss",
            "neg mul exp add log add",
            [40, 20, 0, 0],
        ),
        // y · (log y − x), 0 where y is; the sum.
        ("kl_div", "cmp log sub mul add", [30, 10, 10, 0]),
        // margin − x of the target + x, where it is above 0; the sum.
        ("multi_margin_loss", "sub add max add", [30, 0, 10, 0]),
    ];

    #[test]
    fn every_loss_by_hand() {
        assert_works(
            ROWS.iter()
                .map(|&row| (row, work(row.0).unwrap_or(Work::NONE))),
        );
        let lines: Vec<usize> = ROWS
            .iter()
            .filter_map(|row| TABLE.iter().position(|line| line.0.contains(row.0)))
            .collect();
        assert_eq!(lines.len(), TABLE.len(), "a line has no row");
    }

    #[test]
    fn every_gradient_by_hand() {
        assert_works([
            // x − y; · 2 / N · dy.
            (("squares", "sub mul", [20, 0, 0, 0]), SQUARES_BACKWARD),
            // d; below −β, above β, or between them d / β · dy.
            (
                ("smooth", "sub cmp cmp div mul", [30, 0, 20, 0]),
                SMOOTH_BACKWARD,
            ),
            // x − y; x · (1 − x), held above ε; their quotient · dy.
            (
                ("binary", "sub sub mul max div mul", [50, 0, 10, 0]),
                BINARY_BACKWARD,
            ),
            // With z = exp(−y x): y · z / (1 + z) · dy.
            (
                ("soft margin", "mul exp mul add div mul", [50, 10, 0, 0]),
                SOFT_MARGIN_BACKWARD,
            ),
            // margin − x of the target + x, above 0 or not; · dy; taken off the target's.
            (
                ("margin", "sub add cmp mul sub", [40, 0, 10, 0]),
                MARGIN_BACKWARD,
            ),
        ]);
    }

    #[test]
    fn a_state_of_an_alignment_by_hand() {
        // The largest of three; exp(a − largest) of each, added up; its logarithm + largest; + its own probability.
        let operations = "max max sub exp sub exp sub exp add add log add add";
        assert_works([(("state", operations, [70, 40, 20, 0]), ALIGNMENT)]);
        // Ten steps of three labels, each between blanks: seven states.
        assert_eq!(alignments(10, 3), 70);
    }

    #[test]
    fn a_loss_that_is_not_added_up_takes_an_addition_less() {
        let squares = unreduced(flop(3));
        assert_works([(("squares", "sub mul", [20, 0, 0, 0]), squares)]);
        assert_eq!(squares, flop(2));
    }
}
