//! Products of powers of some sizes: what a formula is made of.

use num_bigint::BigInt;

use super::residue::{self, Residue};

/// The highest power of a size: attention over the pixels of a square image has the fourth.
pub const HIGHEST: u32 = 4;

/// Powers of some sizes.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Where the sizes stand.
    pub variables: Vec<usize>,
    /// The highest power of each size.
    pub degrees: Vec<u32>,
    /// What is taken off each size first: small numbers are quicker.
    pub origin: Vec<i64>,
}

impl Terms {
    /// How many products.
    pub fn count(&self) -> usize {
        let counts = self.degrees.iter().map(|degree| *degree as usize + 1);
        counts.product()
    }

    /// All products of powers, by how two numbers are multiplied.
    fn of<T: Clone>(
        &self,
        sizes: &[i64],
        one: T,
        number: impl Fn(i128) -> T,
        product: impl Fn(&T, &T) -> T,
    ) -> Vec<T> {
        let mut terms = vec![one];
        for ((at, degree), origin) in self.variables.iter().zip(&self.degrees).zip(&self.origin) {
            let size = number(i128::from(sizes[*at]) - i128::from(*origin));
            let mut power = terms.clone();
            for _ in 0..*degree {
                power = power.iter().map(|term| product(term, &size)).collect();
                terms.extend_from_slice(&power);
            }
        }
        terms
    }

    /// All products of a call's sizes.
    pub fn exact(&self, sizes: &[i64]) -> Vec<BigInt> {
        self.of(sizes, 1.into(), BigInt::from, |one, two| one * two)
    }

    /// The remainders of all products of a call's sizes.
    pub fn residues(&self, sizes: &[i64]) -> Vec<Residue> {
        self.of(sizes, 1, residue::of_signed, |one, two| {
            residue::product(*one, *two)
        })
    }
}

/// The highest powers that so many sizes may have, fewest terms first.
pub fn degrees(variables: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..variables {
        let longer = |degrees: &Vec<u32>| {
            let degrees = degrees.clone();
            (0..=HIGHEST).map(move |degree| [degrees.as_slice(), &[degree]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.sort_by_key(|degrees| degrees.iter().map(|degree| degree + 1).product::<u32>());
    all
}
