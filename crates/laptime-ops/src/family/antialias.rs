//! Resampling of images that looks at more pixels where they become smaller.
//!
//! Source: `PyTorch`'s separable kernels (`UpSampleKernel.cpp`, `HelperInterpLinear` and its
//! siblings): first along the width, then along the height. Each result is a weighted sum of the
//! pixels within `support · max(scale, 1)` of its centre, as far as there are any.

/// A dimension that is resampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampled {
    /// Pixels before.
    pub input: u64,
    /// Pixels after.
    pub output: u64,
    /// Pixels before for each one after.
    pub scale: f64,
    /// How far the filter reaches at scale 1: 1 for linear, 2 for cubic, 3 for Lanczos.
    pub support: f64,
}

/// Rows longer than this are not walked through.
const LONGEST: u64 = 1 << 20;

impl Resampled {
    /// Pixels that all results together look at. `None` where there are too many to go through.
    pub fn taps(self) -> Option<u128> {
        if self.output > LONGEST || !self.scale.is_finite() || self.scale < 0.0 {
            return None;
        }
        let reach = self.support * self.scale.max(1.0);
        let all = (0..self.output).map(|result| {
            let centre = self.scale * (result as f64 + 0.5);
            let first = (centre - reach + 0.5).max(0.0) as u64;
            let end = ((centre + reach + 0.5).max(0.0) as u64).min(self.input);
            u128::from(end.saturating_sub(first))
        });
        Some(all.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_four_pixels_looks_at_three_of_them_for_each_result() {
        let halved = Resampled {
            input: 4,
            output: 2,
            scale: 2.0,
            support: 1.0,
        };
        // Centres 1 and 3, two pixels to each side of them as far as there are any.
        assert_eq!(halved.taps(), Some(3 + 3));
    }

    #[test]
    fn doubling_looks_at_two_pixels_or_one_at_the_ends() {
        let doubled = Resampled {
            input: 3,
            output: 6,
            scale: 0.5,
            support: 1.0,
        };
        assert_eq!(doubled.taps(), Some(1 + 2 + 2 + 2 + 2 + 1));
    }

    #[test]
    fn a_row_that_is_too_long_is_left_alone() {
        let taps = |output| {
            Resampled {
                input: 3,
                output,
                scale: 1.0,
                support: 1.0,
            }
            .taps()
        };
        // Each looks at its pixel and the next, as far as there are any: 2, 2 and 1.
        assert_eq!((taps(1 << 20), taps((1 << 20) + 1)), (Some(5), None));
    }
}
