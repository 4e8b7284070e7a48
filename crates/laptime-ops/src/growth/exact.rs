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
    /// Of rows of whole numbers; `None` where there is no inverse.
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

    /// By how much each row of the matrix goes into another one, times the determinant.
    pub fn weights(&self, other: &[BigInt]) -> Vec<BigInt> {
        (0..other.len())
            .map(|column| {
                let parts = other.iter().zip(&self.adjugate);
                parts.map(|(cell, row)| cell * &row[column]).sum()
            })
            .collect()
    }

    /// What stands beside that other one, by what stands beside the matrix's rows: `None` where
    /// it is no whole number.
    pub fn value(
        &self,
        weights: &[BigInt],
        beside: impl Iterator<Item = BigInt>,
    ) -> Option<BigInt> {
        let sum: BigInt = weights.iter().zip(beside).map(|(one, two)| one * two).sum();
        let value = &sum / &self.determinant;
        (&value * &self.determinant == sum).then_some(value)
    }
}
