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
    use crate::tensor::Dtype;

    const BOTH: Affine = Affine {
        weight: true,
        bias: true,
    };

    fn on_100(work: Work) -> u128 {
        work.on(100, Dtype::F32).other_flop
    }

    #[test]
    fn a_hundred_elements_by_hand() {
        assert_eq!(on_100(centred(BOTH)), 700);
        assert_eq!(on_100(centred(Affine::default())), 500);
        assert_eq!(on_100(root_mean_square(true)), 400);
        assert_eq!(on_100(KNOWN_STATISTICS), 200);
    }

    #[test]
    fn a_backward_costs_two_to_three_forwards() {
        assert_eq!(on_100(centred_backward(true, true, BOTH)), 1400);
        assert_eq!(on_100(root_mean_square_backward(true, true, true)), 900);
        assert_eq!(on_100(known_statistics_backward(true, BOTH)), 600);
    }

    #[test]
    fn gradients_that_nobody_wants_cost_nothing() {
        let none = Affine::default();
        assert_eq!(centred_backward(false, true, none), Work::arithmetic(0));
        assert_eq!(on_100(centred_backward(false, true, BOTH)), 500);
        assert_eq!(on_100(root_mean_square_backward(false, true, false)), 0);
    }
}
