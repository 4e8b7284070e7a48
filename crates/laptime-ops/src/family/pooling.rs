//! Pooling, and resampling of images.
//!
//! Source: a window of `k` elements takes `k − 1` compares for its largest, or `k` FLOP for its
//! mean (`k − 1` additions, one division). A resampled element is a weighted sum of its taps.
//! Adaptive windows run from `⌊j · in / out⌋` to `⌈(j + 1) · in / out⌉`.

use laptime_core::Cost;

use super::work::Work;
use crate::tensor::Dtype;

/// Elements of a window of these sizes.
pub fn window_of(sizes: &[i64]) -> u128 {
    let sizes = sizes.iter().map(|size| u128::try_from(*size).unwrap_or(0));
    sizes.fold(1, u128::saturating_mul)
}

/// Means over windows of so many elements.
pub fn mean(results: u128, window: u128, dtype: Dtype) -> Cost {
    Work::arithmetic(1).on(results.saturating_mul(window), dtype)
}

/// The largest of windows of so many elements.
pub fn largest(results: u128, window: u128, dtype: Dtype) -> Cost {
    let compares = results.saturating_mul(window.saturating_sub(1));
    Work::compare(1).on(compares, dtype)
}

/// Elements of all windows of an adaptive pooling.
///
/// **Shapes** those of the input and of the result, of which the last dimensions are pooled.
pub fn adaptive(input: &[u64], output: &[u64]) -> u128 {
    let sizes = input.iter().zip(output);
    sizes.fold(1, |all, (&input, &output)| {
        // A dimension that isn't pooled is as long on both sides, and has windows of one.
        all.saturating_mul(adaptive_taps(u128::from(input), u128::from(output)))
    })
}

/// Elements in all windows of an adaptive pooling along one dimension, those that two windows
/// share twice: `in + out − gcd(in, out)`.
///
/// The sum of the ends `⌈(j + 1) · in / out⌉` less the starts: all but the multiples round up.
fn adaptive_taps(input: u128, output: u128) -> u128 {
    if input == 0 || output == 0 {
        return 0;
    }
    input.saturating_add(output) - gcd(input, output)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Weighted sums of so many taps: a product each, and the additions between them.
pub fn weighted(results: u128, taps: u128, dtype: Dtype) -> Cost {
    let each = taps.saturating_mul(2).saturating_sub(1);
    Work::arithmetic(1).on(results.saturating_mul(each), dtype)
}

/// Gradients of weighted sums: a product and an addition for each tap.
pub fn weighted_backward(results: u128, taps: u128, dtype: Dtype) -> Cost {
    Work::arithmetic(2).on(results.saturating_mul(taps), dtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_costs;
    use proptest::prelude::*;

    #[test]
    fn ten_windows_by_hand() {
        assert_eq!((window_of(&[3, 4]), window_of(&[-1])), (12, 0));
        // Windows of 9: 8 additions and a division; 8 compares. Four taps: 4 products and 3 additions, and back 4 and 4.
        assert_costs(&[
            ("means", mean(10, 9, Dtype::F32), &[("flop", 90)]),
            ("largest", largest(10, 9, Dtype::F32), &[("compare", 80)]),
            ("of nothing", largest(10, 0, Dtype::F32), &[]),
            ("bilinear", weighted(10, 4, Dtype::F32), &[("flop", 70)]),
            (
                "its gradient",
                weighted_backward(10, 4, Dtype::F32),
                &[("flop", 80)],
            ),
        ]);
        // 5 into 3: pixels 0–1, 1–3 and 3–4; a dimension that isn't pooled has windows of one.
        assert_eq!(adaptive(&[2, 5], &[2, 3]), 2 * (2 + 3 + 2));
        assert_eq!(adaptive(&[0], &[3]), 0);
    }

    proptest! {
        #[test]
        fn adaptive_windows_hold_what_summing_them_up_gives(input in 1_u128..60, output in 1_u128..60) {
            let summed: u128 = (0..output)
                .map(|j| ((j + 1) * input).div_ceil(output) - j * input / output)
                .sum();
            prop_assert_eq!(adaptive_taps(input, output), summed);
        }
    }
}
