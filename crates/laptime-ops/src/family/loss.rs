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
/// Gradient of the margins of several classes.
pub const MARGIN_BACKWARD: Work = flop(2).and(Work::compare(1));

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
    use crate::tensor::Dtype;

    #[test]
    fn a_mean_of_ten_squares_by_hand() {
        let Some(squares) = work("mse_loss") else {
            panic!("it is known");
        };
        assert_eq!(squares.on(10, Dtype::F32).other_flop, 30);
        assert_eq!(unreduced(squares).on(10, Dtype::F32).other_flop, 20);
    }

    #[test]
    fn ten_steps_of_three_labels_meet_seven_states_each() {
        assert_eq!(alignments(10, 3), 70);
        assert_eq!(ALIGNMENT.on(70, Dtype::F32).transcendental, 280);
    }

    #[test]
    fn a_binary_cross_entropy_takes_two_logarithms() {
        let cost = work("binary_cross_entropy").map(|work| work.on(10, Dtype::F32));
        assert_eq!(cost.map(|cost| cost.transcendental), Some(20));
    }
}
