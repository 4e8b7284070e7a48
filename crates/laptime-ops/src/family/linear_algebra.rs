//! Factorisations and solutions of linear systems.
//!
//! Source: LAPACK Working Note 41 (Blackford and Dongarra, *Installation Guide for LAPACK*),
//! appendix C, additions and multiplications together, in sixths so that they stay whole. What
//! iterates until it converges (eigenvalues, singular values) has no count there, nor here.

use laptime_core::Cost;

use crate::tensor::{Dtype, Kind};

/// So many operations for each of so many matrices. On complex numbers a product and an addition,
/// half of each, are eight where they were two.
pub fn each(operations: u128, matrices: u128, dtype: Dtype) -> Cost {
    let complex = if dtype.kind == Kind::Complex { 4 } else { 1 };
    Cost {
        other_flop: operations.saturating_mul(matrices).saturating_mul(complex),
        ..Cost::default()
    }
}

/// Operations of a factorisation, in sixths: whole numbers whatever the size. Each term is a factor
/// and what it multiplies. As large as it gets where it is too large.
fn sixths<const N: usize>(terms: [(i128, [u128; 3]); N]) -> u128 {
    let sum = terms.into_iter().try_fold(0_i128, |sum, (factor, sizes)| {
        let product = sizes.into_iter().try_fold(1_i128, |all, size| {
            all.checked_mul(i128::try_from(size).ok()?)
        });
        sum.checked_add(product?.checked_mul(factor)?)
    });
    sum.map_or(u128::MAX, |sum| u128::try_from(sum / 6).unwrap_or(0))
}

/// Cholesky of an `n × n` matrix (`POTRF`): `n³/3 + n²/2 + n/6`.
pub fn cholesky(n: u128) -> u128 {
    sixths([(2, [n, n, n]), (3, [n, n, 1]), (1, [n, 1, 1])])
}

/// LU of an `m × n` matrix (`GETRF`): with `k` the smaller and `l` the larger,
/// `k² l − k³/3 − k²/2 + 5k/6`.
pub fn lu(m: u128, n: u128) -> u128 {
    let (k, l) = (m.min(n), m.max(n));
    sixths([
        (6, [k, k, l]),
        (-2, [k, k, k]),
        (-3, [k, k, 1]),
        (5, [k, 1, 1]),
    ])
}

/// The inverse from an LU (`GETRI`): `4n³/3 − n² + 5n/3`.
pub fn inverse_from_lu(n: u128) -> u128 {
    sixths([(8, [n, n, n]), (-6, [n, n, 1]), (10, [n, 1, 1])])
}

/// The inverse from a Cholesky factor (`POTRI`): `2n³/3 + n²/2 + 5n/6`.
pub fn inverse_from_cholesky(n: u128) -> u128 {
    sixths([(4, [n, n, n]), (3, [n, n, 1]), (5, [n, 1, 1])])
}

/// Both triangles of an LU or a Cholesky solved for `r` right sides (`GETRS`, `POTRS`):
/// `r (2n² − n)`.
pub fn solve_factored(n: u128, sides: u128) -> u128 {
    n.saturating_mul(2)
        .saturating_sub(1)
        .saturating_mul(n)
        .saturating_mul(sides)
}

/// One triangle solved for `r` right sides (`TRSM`): `r n²`.
pub fn solve_triangle(n: u128, sides: u128) -> u128 {
    n.saturating_mul(n).saturating_mul(sides)
}

/// QR of an `m × n` matrix (`GEQRF`), its reflectors left as they are. With `k` columns at most:
/// `2mn² − 2n³/3 + mn + n² + 14n/3` for `m ≥ n`, `2nm² − 2m³/3 + 3mn − m² + 14m/3` else.
pub fn qr(m: u128, n: u128) -> u128 {
    let (k, l) = (m.min(n), m.max(n));
    let (square, area) = if m > n { (6, 6) } else { (-6, 18) };
    sixths([
        (12, [k, k, l]),
        (-4, [k, k, k]),
        (28, [k, 1, 1]),
        (square, [k, k, 1]),
        (area, [m, n, 1]),
    ])
}

/// `Q` with `n` columns from `k` reflectors of `m` (`ORGQR`):
/// `4mnk − 2(m + n)k² + 4k³/3 + 3nk − mk − k² − 4k/3`.
pub fn q_from_reflectors(m: u128, n: u128, k: u128) -> u128 {
    sixths([
        (24, [m, n, k]),
        (-12, [m.saturating_add(n), k, k]),
        (8, [k, k, k]),
        (18, [n, k, 1]),
        (-6, [m, k, 1]),
        (-6, [k, k, 1]),
        (-8, [k, 1, 1]),
    ])
}

/// QR of an `m × n` matrix and so many columns of its `Q`: none, as many as the smaller side, or
/// all `m` (`GEQRF`, `ORGQR`).
pub fn qr_with_q(m: u128, n: u128, columns: u128) -> u128 {
    let q = if columns == 0 {
        0
    } else {
        q_from_reflectors(m, columns, m.min(n))
    };
    qr(m, n).saturating_add(q)
}

/// The product of an `m × n` matrix with `Q` from `k` reflectors, on its left (`ORMQR`):
/// `4mnk − 2nk² + 3nk`.
pub fn times_q(m: u128, n: u128, k: u128) -> u128 {
    let each = m
        .saturating_mul(4)
        .saturating_add(3)
        .saturating_sub(k.saturating_mul(2));
    each.saturating_mul(n).saturating_mul(k)
}

/// A symmetric indefinite `n × n` matrix into `L D Lᵀ` (`SYTRF`): `n³/3 + n²/2 + 19n/6`.
pub fn symmetric(n: u128) -> u128 {
    sixths([(2, [n, n, n]), (3, [n, n, 1]), (19, [n, 1, 1])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_number_by_hand() {
        // Its root; nothing to eliminate; the reciprocal.
        assert_eq!(cholesky(1), 1);
        assert_eq!(lu(1, 1), 1);
        assert_eq!(inverse_from_lu(1), 2);
        assert_eq!(solve_factored(1, 1), 1);
        assert_eq!(inverse_from_cholesky(1), 2);
    }

    #[test]
    fn matrices_of_six_by_hand() {
        assert_eq!(cholesky(6), 72 + 18 + 1);
        assert_eq!(lu(6, 6), 144 - 18 + 5);
        assert_eq!(lu(9, 6), 36 * 9 - 72 - 18 + 5);
        assert_eq!(inverse_from_lu(6), 288 - 36 + 10);
        assert_eq!(symmetric(6), 72 + 18 + 19);
        assert_eq!(times_q(6, 2, 3), 144 - 36 + 18);
        assert_eq!(solve_factored(6, 2), 2 * 66);
        assert_eq!(qr(9, 6), 648 - 144 + 54 + 36 + 28);
        assert_eq!(q_from_reflectors(6, 6, 6), 288 + 108 - 36 - 36 - 8);
        assert_eq!(qr_with_q(9, 6, 0), 622);
        // A single column: 8 + 4 + 1 + 4, and of Q 16 − 10 + 3 − 4 − 1.
        assert_eq!(qr_with_q(4, 1, 1), 17 + 4);
        // Q with 6 columns of 9: 4·9·6·6 − 2·15·36 + 4·216/3 + 3·36 − 54 − 36 − 8.
        assert_eq!(
            qr_with_q(9, 6, 6),
            622 + 1296 - 1080 + 288 + 108 - 54 - 36 - 8
        );
    }

    #[test]
    fn complex_numbers_take_four_times_as_many_of_what_is_half_products_half_additions() {
        assert_eq!(each(91, 5, Dtype::float(32)).other_flop, 455);
        assert_eq!(each(91, 5, Dtype::complex(64)).other_flop, 4 * 455);
    }

    #[test]
    fn sizes_too_large_to_multiply_give_the_largest_number_there_is() {
        let huge = u128::from(u64::MAX);
        assert_eq!(cholesky(huge), u128::MAX);
        assert_eq!(lu(huge, huge), u128::MAX);
        assert_eq!(q_from_reflectors(huge, huge, huge), u128::MAX);
    }
}
