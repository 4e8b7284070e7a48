//! Sorting, the largest few, distinct values, and searching sorted ones.
//!
//! Source: a comparison sort of `n` elements needs `n · log2 n` compares (Knuth, *The Art of
//! Computer Programming*, volume 3, section 5.3.1), a search among them `log2 n`. Both are rounded
//! up; kernels that sort by digits are counted alike.

use laptime_core::Cost;

/// Compares to sort so many elements, so many times.
pub fn sort(elements: u128, times: u128) -> Cost {
    Cost {
        compare: n_log2_n(elements).saturating_mul(times),
        ..Cost::default()
    }
}

/// Compares to find places among so many sorted elements, so many times.
pub fn search(sorted: u128, times: u128) -> Cost {
    let each = u128::from(sorted.checked_ilog2().unwrap_or(0)) + 1;
    Cost {
        compare: each.saturating_mul(times),
        ..Cost::default()
    }
}

/// `n · log2 n`, exact for powers of two, else rounded up.
pub fn n_log2_n(n: u128) -> u128 {
    if n < 2 {
        0
    } else if n.is_power_of_two() {
        n.saturating_mul(u128::from(n.ilog2()))
    } else {
        let n = n as f64;
        (n * n.log2()).ceil() as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_elements_take_twenty_four_compares() {
        assert_eq!(sort(8, 1).compare, 24);
        assert_eq!(sort(8, 5).compare, 120);
        // 3 · 1.585 = 4.75.
        assert_eq!(sort(3, 1).compare, 5);
        assert_eq!((sort(2, 1).compare, search(2, 1).compare), (2, 2));
        assert_eq!(sort(1, 9).compare, 0);
        assert_eq!(sort(0, 9).compare, 0);
    }

    #[test]
    fn a_search_among_eight_halves_them_to_none() {
        assert_eq!(search(8, 10).compare, 40);
        assert_eq!(search(0, 10).compare, 10);
    }
}
