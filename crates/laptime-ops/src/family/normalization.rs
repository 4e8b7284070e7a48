//! Layer, group, instance, batch and root-mean-square normalisation, and their gradients.
//!
//! Source: each element of `(x − mean) · rstd · weight + bias`, with mean and variance from the
//! batch. What happens once a row or channel (a root, a division by the count, the running
//! statistics) is left aside, as rows are long.

use super::work::{Work, flop};

/// Which parameters take part, in a forward; which of their gradients are wanted, in a backward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Affine {
    /// The scale.
    pub weight: bool,
    /// The shift.
    pub bias: bool,
}

/// A normalisation with statistics of the batch: 7 FLOP an element with scale and shift.
///
/// One to add up the mean, three for the variance (difference, square, sum), one to scale the
/// difference, and one for each parameter.
pub const fn centred(affine: Affine) -> Work {
    flop(5 + affine.weight as u32 + affine.bias as u32)
}

/// A normalisation by the root mean square: 4 FLOP an element with a scale.
///
/// Two for the mean of squares, one to divide by its root, one for the scale.
pub const fn root_mean_square(weight: bool) -> Work {
    flop(3 + weight as u32)
}

/// A normalisation with statistics that are known: a scale and a shift for each channel.
pub const KNOWN_STATISTICS: Work = flop(2);

/// A normalisation by a batch's own statistics, or by known ones.
pub const fn by_batch(affine: Affine, is_own: bool) -> Work {
    if is_own {
        centred(affine)
    } else {
        KNOWN_STATISTICS
    }
}

/// The statistics alone.
pub const STATISTICS: Work = flop(4);

/// Gradients of [`centred`]: of the input if it is wanted, and of the parameters that are.
///
/// `x̂ = (x − mean) · rstd` takes 2. `dx = rstd · (g − (Σ g + x̂ · Σ g x̂) / N)` with `g = dy ·
/// weight` takes 1 for `g`, 3 for the sums and 5 for the rest. `Σ dy x̂` takes 2, `Σ dy` 1. With
/// everything that is 14, twice the forward.
pub const fn centred_backward(input: bool, scaled: bool, wanted: Affine) -> Work {
    let normalised = if input || wanted.weight { 2 } else { 0 };
    let dx = if input { 8 + scaled as u32 } else { 0 };
    let parameters = 2 * wanted.weight as u32 + wanted.bias as u32;
    flop(normalised + dx + parameters)
}

/// Gradients of [`root_mean_square`]: of the input if it is wanted, and of the scale.
///
/// `x̂ = x · rstd` takes 1, `g = dy · weight` 1, `Σ g x̂` 2, `rstd · (g − x̂ · mean)` 3, and `Σ dy x̂`
/// 2: 9 in all.
pub const fn root_mean_square_backward(input: bool, scaled: bool, weight: bool) -> Work {
    let normalised = if input || weight { 1 } else { 0 };
    let dx = if input { 5 + scaled as u32 } else { 0 };
    flop(normalised + dx + 2 * weight as u32)
}

/// Gradients where the statistics are constants: `dx` is a product with one number a channel.
pub const fn known_statistics_backward(input: bool, wanted: Affine) -> Work {
    let weight = if wanted.weight { 4 } else { 0 };
    flop(input as u32 + weight + wanted.bias as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_works;

    const NONE: Affine = Affine {
        weight: false,
        bias: false,
    };
    const WEIGHT: Affine = Affine {
        weight: true,
        ..NONE
    };
    const BIAS: Affine = Affine { bias: true, ..NONE };
    const BOTH: Affine = Affine {
        weight: true,
        bias: true,
    };

    #[test]
    fn every_forward_by_hand() {
        // Σ x; Σ (x − mean)²; (x − mean) · rstd, the difference kept.
        assert_works([
            (
                ("centred", "add sub mul add mul", [50, 0, 0, 0]),
                centred(NONE),
            ),
            (
                ("with a scale", "add sub mul add mul mul", [60, 0, 0, 0]),
                centred(WEIGHT),
            ),
            (
                ("with a shift", "add sub mul add mul add", [60, 0, 0, 0]),
                centred(BIAS),
            ),
            (
                ("with both", "add sub mul add mul mul add", [70, 0, 0, 0]),
                centred(BOTH),
            ),
            (
                ("by its own", "add sub mul add mul mul add", [70, 0, 0, 0]),
                by_batch(BOTH, true),
            ),
            // x · scale + shift, one of each for a channel.
            (
                ("by known ones", "mul add", [20, 0, 0, 0]),
                by_batch(BOTH, false),
            ),
            (
                ("known statistics", "mul add", [20, 0, 0, 0]),
                KNOWN_STATISTICS,
            ),
            (("statistics", "add sub mul add", [40, 0, 0, 0]), STATISTICS),
            // Σ x²; x / root.
            (
                ("root mean square", "mul add div", [30, 0, 0, 0]),
                root_mean_square(false),
            ),
            (
                ("with a scale", "mul add div mul", [40, 0, 0, 0]),
                root_mean_square(true),
            ),
        ]);
    }

    #[test]
    fn every_gradient_by_hand() {
        // x̂ = (x − mean) · rstd; g = dy · weight; Σ g and Σ g · x̂; rstd · (g − (Σ + x̂ · Σ) / N); Σ dy · x̂; Σ dy.
        assert_works([
            (
                ("nothing wanted", "", [0; 4]),
                centred_backward(false, true, NONE),
            ),
            (
                (
                    "all",
                    "sub mul mul add mul add mul add div sub mul mul add add",
                    [140, 0, 0, 0],
                ),
                centred_backward(true, true, BOTH),
            ),
            (
                (
                    "dx without a scale",
                    "sub mul add mul add mul add div sub mul",
                    [100, 0, 0, 0],
                ),
                centred_backward(true, false, NONE),
            ),
            (
                ("the scale's", "sub mul mul add", [40, 0, 0, 0]),
                centred_backward(false, true, WEIGHT),
            ),
            (
                ("the shift's", "add", [10, 0, 0, 0]),
                centred_backward(false, true, BIAS),
            ),
            // x̂ = x · rstd; g = dy · weight; Σ g · x̂; rstd · (g − x̂ · mean); Σ dy · x̂.
            (
                ("root: nothing", "", [0; 4]),
                root_mean_square_backward(false, true, false),
            ),
            (
                (
                    "root: all",
                    "mul mul mul add mul sub mul mul add",
                    [90, 0, 0, 0],
                ),
                root_mean_square_backward(true, true, true),
            ),
            (
                (
                    "root: dx without a scale",
                    "mul mul add mul sub mul",
                    [60, 0, 0, 0],
                ),
                root_mean_square_backward(true, false, false),
            ),
            (
                ("root: the scale's", "mul mul add", [30, 0, 0, 0]),
                root_mean_square_backward(false, true, true),
            ),
            // dy · (weight · rstd); Σ dy · (x − mean) · rstd; Σ dy.
            (
                ("known: dx", "mul", [10, 0, 0, 0]),
                known_statistics_backward(true, NONE),
            ),
            (
                ("known: the scale's", "sub mul mul add", [40, 0, 0, 0]),
                known_statistics_backward(false, WEIGHT),
            ),
            (
                ("known: the shift's", "add", [10, 0, 0, 0]),
                known_statistics_backward(false, BIAS),
            ),
        ]);
    }
}
