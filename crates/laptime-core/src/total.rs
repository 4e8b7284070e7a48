//! Sums of what a recording says: numbers that no program can have, such as those of a damaged file, don't wrap around.

use std::borrow::Borrow;

/// A sum that stays at [`u64::MAX`] where it would be more.
pub trait Total: Iterator + Sized
where
    Self::Item: Borrow<u64>,
{
    /// The sum of all.
    fn total(self) -> u64 {
        self.fold(0, |sum: u64, one| sum.saturating_add(*one.borrow()))
    }
}

impl<I: Iterator> Total for I where I::Item: Borrow<u64> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_does_not_wrap_around() {
        assert_eq!([1, 2, 3].iter().total(), 6);
        assert_eq!([u64::MAX, 2].into_iter().total(), u64::MAX);
    }
}
