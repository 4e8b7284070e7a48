//! Softmax and its logarithm along a dimension.
//!
//! Source: the numerically safe form. For each element the largest is found (a compare), taken off
//! (1 FLOP), the exponential taken, added up (1), and divided by the sum (1). The backward of a
//! softmax `y` is `y · (dy − Σ y · dy)`: two products, an addition, a subtraction.

use super::work::Work;

/// Each element of a softmax.
pub const FORWARD: Work = Work::compare(1)
    .and(Work::transcendental(1))
    .and(Work::arithmetic(3));

/// Each element of a softmax's gradient.
pub const BACKWARD: Work = Work::arithmetic(4);

/// Each element of a log-softmax: the logarithm of each sum is left aside, as the row is long.
pub const LOG_FORWARD: Work = FORWARD;

/// Each element of a log-softmax's gradient, `dy − exp(y) · Σ dy`.
pub const LOG_BACKWARD: Work = Work::transcendental(1).and(Work::arithmetic(3));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_works;

    #[test]
    fn rows_of_ten_by_hand() {
        assert_works([
            // The largest; exp(x − largest); its sum; the quotient.
            (("softmax", "max sub exp add div", [30, 10, 10, 0]), FORWARD),
            // The largest; exp(x − largest); its sum; x − largest − its logarithm.
            (
                ("its logarithm", "max sub exp add sub", [30, 10, 10, 0]),
                LOG_FORWARD,
            ),
            // Σ y · dy; y · (dy − Σ).
            (("gradient", "mul add sub mul", [40, 0, 0, 0]), BACKWARD),
            // Σ dy; dy − exp(y) · Σ.
            (
                ("its logarithm's", "add exp mul sub", [30, 10, 0, 0]),
                LOG_BACKWARD,
            ),
        ]);
    }
}
