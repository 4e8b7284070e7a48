//! The sizes of the tensors that a program's outermost module is given.
//!
//! They are noted where they change, so a size holds until the next one of the same tensor.

/// Most sizes of one tensor that are kept apart: the last one holds those of all further dimensions, multiplied.
const MOST_DIMENSIONS: usize = 6;

/// The sizes of a tensor, the outermost dimension first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    sizes: [u32; MOST_DIMENSIONS],
    count: u8,
}

impl Sizes {
    /// Adds the size of the next dimension. A size beyond 32 bits is the largest one.
    pub fn push(&mut self, size: u64) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let at = usize::from(self.count);
        if at < MOST_DIMENSIONS {
            self.sizes[at] = size;
            self.count += 1;
        } else {
            let last = &mut self.sizes[MOST_DIMENSIONS - 1];
            *last = last.saturating_mul(size);
        }
    }

    /// Returns the sizes.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.sizes[..usize::from(self.count)].iter().copied()
    }

    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        self.iter().map(u64::from).fold(1, u64::saturating_mul)
    }
}

impl FromIterator<u64> for Sizes {
    fn from_iter<I: IntoIterator<Item = u64>>(each: I) -> Self {
        let mut sizes = Self::default();
        each.into_iter().for_each(|size| sizes.push(size));
        sizes
    }
}

/// The kind of numbers that a tensor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holds {
    /// Something that isn't told.
    #[default]
    Unknown = 0,
    /// Floating-point numbers.
    Floats = 1,
    /// Whole numbers, such as tokens.
    Integers = 2,
}

impl Holds {
    /// Returns the kind of a code; those of later versions are unknown.
    pub fn of_code(code: u64) -> Self {
        match code {
            1 => Self::Floats,
            2 => Self::Integers,
            _ => Self::Unknown,
        }
    }
}

/// The sizes of one tensor from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputSizes {
    /// Start of the call, in ticks.
    pub ticks: u64,
    /// Thread or task of the call.
    pub track: u32,
    /// Number of the tensor among those that the call is given, from 0.
    pub tensor: u32,
    /// The kind of its numbers.
    pub holds: Holds,
    /// Its sizes.
    pub sizes: Sizes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_dimensions_are_multiplied_into_the_last_one() {
        let sizes: Sizes = [2, 3, 4, 5, 6, 7, 8, 9].into_iter().collect();
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 504]);
        assert_eq!(sizes.elements(), 362_880);
        assert_eq!(Sizes::default().elements(), 1, "a single number");
    }

    #[test]
    fn a_size_beyond_32_bits_is_the_largest_one() {
        let sizes: Sizes = [u64::MAX, u64::MAX].into_iter().collect();
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [u32::MAX; 2]);
        assert_eq!(sizes.elements(), u64::from(u32::MAX).pow(2));
    }
}
