//! The functions that a thread called lately: their numbers, found without asking what all threads share.

use super::table::FunctionKey;

/// Functions that are remembered; a power of two.
const PLACES: usize = 512;
/// Where none is remembered: no function has that number.
const NOTHING: (FunctionKey, u32) = (FunctionKey(0, 0), 0);

/// Numbers of functions by key. A function may push another one out.
#[derive(Debug)]
pub struct Known(Box<[(FunctionKey, u32); PLACES]>);

impl Default for Known {
    fn default() -> Self {
        Self(Box::new([NOTHING; PLACES]))
    }
}

impl Known {
    /// A function's number, if it is remembered.
    #[inline]
    pub fn number(&self, key: FunctionKey) -> Option<u32> {
        let (known, number) = self.0[place(key)];
        (known == key && number != 0).then_some(number)
    }

    /// Remembers a number.
    pub fn keep(&mut self, key: FunctionKey, number: u32) {
        self.0[place(key)] = (key, number);
    }

    /// Forgets a function: another one may get its key.
    pub fn forget(&mut self, key: FunctionKey) {
        let known = &mut self.0[place(key)];
        if known.0 == key {
            *known = NOTHING;
        }
    }
}

/// Objects lie 16 bytes apart at least; their pages' numbers are mixed in.
#[inline]
fn place(key: FunctionKey) -> usize {
    (key.0 >> 4 ^ key.0 >> 13) % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_out_or_forgotten_has_no_number() {
        let mut known = Known::default();
        let (one, same_place) = (FunctionKey(0x1000, 0), FunctionKey(0x1000, 7));
        assert_eq!(known.number(FunctionKey(0, 0)), None);
        known.keep(one, 5);
        assert_eq!(
            (known.number(one), known.number(same_place)),
            (Some(5), None)
        );
        known.forget(same_place);
        assert_eq!(known.number(one), Some(5));
        known.keep(same_place, 6);
        assert_eq!(
            (known.number(one), known.number(same_place)),
            (None, Some(6))
        );
        known.forget(same_place);
        assert_eq!(known.number(same_place), None);
    }
}
