//! Equations modulo a prime: what fails here fails exactly, at a thousandth of the price.
//!
//! A relation between whole numbers also holds between their remainders. The other way round it
//! may hold by chance, so what passes is checked again with the numbers themselves.

/// 2^61 − 1, a prime: products of two remainders fit 128 bits.
const PRIME: u64 = (1 << 61) - 1;
/// Where a combination of many columns is taken; any number that no program's sizes are made for.
const PLACE: u64 = 1_442_695_040_888_963_407 % PRIME;

/// A remainder.
pub type Residue = u64;

/// The remainder of a number that is not negative.
pub fn of(number: u128) -> Residue {
    (number % u128::from(PRIME)) as u64
}

/// The remainder of any number.
pub fn of_signed(number: i128) -> Residue {
    number.rem_euclid(PRIME.into()) as u64
}

/// The remainder of a product.
pub fn product(one: Residue, two: Residue) -> Residue {
    of(u128::from(one) * u128::from(two))
}

/// Many numbers in one: where each column follows a relation, so does this.
pub fn combined(numbers: impl Iterator<Item = Residue>) -> Residue {
    numbers.fold(0, |sum, number| {
        of(u128::from(product(sum, PLACE)) + u128::from(number))
    })
}

fn inverse(number: Residue) -> Residue {
    let (mut power, mut base, mut rest) = (1, number, PRIME - 2);
    while rest > 0 {
        if rest & 1 == 1 {
            power = product(power, base);
        }
        base = product(base, base);
        rest >>= 1;
    }
    power
}

/// Rows that decide all others, by index, if what stands beside each follows; the last cell of a
/// row is what stands beside it. `None` where it doesn't, or where too few rows are there to tell.
pub fn deciding(rows: impl Iterator<Item = Vec<Residue>>, size: usize) -> Option<Vec<usize>> {
    let mut reduced: Vec<(usize, Vec<Residue>)> = Vec::with_capacity(size);
    let mut deciding = Vec::with_capacity(size);
    for (index, mut row) in rows.enumerate() {
        for (pivot, above) in &reduced {
            let factor = row[*pivot];
            if factor != 0 {
                for (cell, above) in row.iter_mut().zip(above) {
                    let taken = u128::from(product(factor, *above));
                    *cell = of(u128::from(*cell) + u128::from(PRIME) - taken);
                }
            }
        }
        match row[..size].iter().position(|cell| *cell != 0) {
            Some(pivot) => {
                let scale = inverse(row[pivot]);
                for cell in &mut row {
                    *cell = product(*cell, scale);
                }
                reduced.push((pivot, row));
                deciding.push(index);
            }
            None if row[size] != 0 => return None,
            None => {}
        }
    }
    (deciding.len() == size).then_some(deciding)
}
