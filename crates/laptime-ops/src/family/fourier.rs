//! Discrete Fourier transforms.
//!
//! Source: the convention of FFTW's benchmarks (Frigo and Johnson, *The Design and Implementation
//! of FFTW3*, 2005): `5 · N · log2 N` FLOP for a complex transform of `N` points, half of it where
//! one side is real. It is a convention: prime sizes take more. Scaling is included.

use laptime_core::Cost;

use super::sorting::n_log2_n;

/// So many transforms of so many points; of several dimensions, the product of their sizes.
pub fn transform(points: u128, times: u128, one_side_is_real: bool) -> Cost {
    let all = n_log2_n(points).saturating_mul(5).saturating_mul(times);
    Cost {
        other_flop: if one_side_is_real { all / 2 } else { all },
        ..Cost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_two_real_transforms_of_512_points_by_hand() {
        // 5 · 512 · 9 / 2 = 11 520 each.
        assert_eq!(transform(512, 32, true).other_flop, 368_640);
        assert_eq!(transform(512, 32, false).other_flop, 737_280);
        assert_eq!(transform(1, 32, false).other_flop, 0);
    }
}
