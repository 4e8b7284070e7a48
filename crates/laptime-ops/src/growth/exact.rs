//! A system of linear equations, solved without rounding.
//!
//! Fractions are kept out by Bareiss's elimination (*Sylvester's identity and multistep
//! integer-preserving Gaussian elimination*, 1968): every division in it is exact.

use num_bigint::BigInt;

/// A square matrix turned round: its inverse is `adjugate / determinant`.
#[derive(Debug, Clone)]
pub struct Inverse {
    adjugate: Vec<Vec<BigInt>>,
    determinant: BigInt,
}

impl Inverse {
    /// The inverse of rows of whole numbers; `None` where there is none.
    pub fn of(rows: Vec<Vec<BigInt>>) -> Option<Self> {
        let size = rows.len();
        let zero = BigInt::ZERO;
        let mut wide: Vec<Vec<BigInt>> = rows;
        for (at, row) in wide.iter_mut().enumerate() {
            row.extend((0..size).map(|column| BigInt::from(u8::from(column == at))));
        }
        let mut before = BigInt::from(1);
        for at in 0..size {
            let pivot = (at..size).find(|row| wide[*row][at] != zero)?;
            wide.swap(at, pivot);
            let pivot_row = wide[at].clone();
            for (index, row) in wide.iter_mut().enumerate() {
                if index == at {
                    continue;
                }
                let factor = row[at].clone();
                for (cell, above) in row.iter_mut().zip(&pivot_row) {
                    *cell = (&pivot_row[at] * &*cell - &factor * above) / &before;
                }
            }
            before.clone_from(&pivot_row[at]);
        }
        let adjugate = wide
            .into_iter()
            .map(|mut row| row.split_off(size))
            .collect();
        Some(Self {
            adjugate,
            determinant: before,
        })
    }

    /// By how much each row of the matrix goes into another one.
    pub fn weights(&self, other: &[BigInt]) -> Weights {
        let columns = 0..other.len();
        let exact: Vec<BigInt> = columns
            .map(|column| {
                let parts = other.iter().zip(&self.adjugate);
                parts.map(|(cell, row)| cell * &row[column]).sum()
            })
            .collect();
        let all = exact.iter().chain([&self.determinant]);
        let small: Option<Vec<i128>> = all.map(|one| i128::try_from(one).ok()).collect();
        Weights {
            small: small.unwrap_or_default(),
            exact,
            determinant: self.determinant.clone(),
        }
    }
}

/// By how much some rows go into another one, times the determinant.
#[derive(Debug, Clone)]
pub struct Weights {
    /// A weight for each row.
    pub exact: Vec<BigInt>,
    determinant: BigInt,
    /// The exact weights and the determinant in 128 bits; empty where one is too large.
    small: Vec<i128>,
}

impl Weights {
    /// What stands beside that other one, by what stands beside the rows: `None` where it is no
    /// whole number of this type.
    pub fn value<T>(&self, beside: impl Iterator<Item = T> + Clone) -> Option<T>
    where
        T: Into<BigInt> + TryInto<i128> + TryFrom<i128> + TryFrom<BigInt>,
    {
        if let Some((sum, determinant)) = self.small_sum(beside.clone()) {
            let value = sum.checked_div(determinant)?;
            return (value.checked_mul(determinant)? == sum)
                .then(|| T::try_from(value).ok())
                .flatten();
        }
        let weights = self.exact.iter().zip(beside);
        let sum: BigInt = weights.map(|(one, two)| one * two.into()).sum();
        let value = &sum / &self.determinant;
        (&value * &self.determinant == sum)
            .then(|| T::try_from(value).ok())
            .flatten()
    }

    /// The sum of all, where every number on the way fits: mostly, and it is ten times as quick.
    fn small_sum<T: TryInto<i128>>(&self, beside: impl Iterator<Item = T>) -> Option<(i128, i128)> {
        let (determinant, weights) = self.small.split_last()?;
        let mut sum: i128 = 0;
        for (weight, number) in weights.iter().zip(beside) {
            sum = sum.checked_add(weight.checked_mul(number.try_into().ok()?)?)?;
        }
        Some((sum, *determinant))
    }
}
