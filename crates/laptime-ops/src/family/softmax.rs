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
    use crate::tensor::Dtype;

    #[test]
    fn a_row_of_ten_by_hand() {
        let forward = FORWARD.on(10, Dtype::F32);
        assert_eq!(
            (forward.compare, forward.transcendental, forward.other_flop),
            (10, 10, 30)
        );
        assert_eq!(BACKWARD.on(10, Dtype::F32).other_flop, 40);
        let log = LOG_BACKWARD.on(10, Dtype::F32);
        assert_eq!((log.transcendental, log.other_flop), (10, 30));
    }
}
