//! Prefix varints: the encoding of every integer in a record.
//!
//! | bytes | holds            | first byte (low bits) |
//! |-------|------------------|-----------------------|
//! | 1     | 7 bits           | `…1`                  |
//! | 2     | 14 bits          | `…10`                 |
//! | n ≤ 8 | 7·n bits         | n−1 zeros, then a one |
//! | 9     | 64 bits          | `0`, then 8 raw bytes |
//!
//! The number of trailing zeros of the first byte gives the length, so both
//! directions are one shift and one 8-byte access, without a loop.

/// Longest encoding of one integer.
///
/// **Units** bytes.
pub const MAX_LEN: usize = 9;

/// Largest value that [`pack`] accepts.
pub const MAX_PACKED: u64 = (1 << 56) - 1;

/// Packs a value into one word whose first `len` little-endian bytes are its encoding.
///
/// Only for values up to [`MAX_PACKED`]; larger ones take [`put`].
#[inline]
pub const fn pack(value: u64) -> (u64, usize) {
    debug_assert!(value <= MAX_PACKED);
    let len = LENGTHS[63 - (value | 1).leading_zeros() as usize] as usize;
    (((value << 1) | 1) << (len - 1), len)
}

/// Largest value that [`pack_short`] accepts: of 4 bytes.
pub const MAX_SHORT: u64 = (1 << 28) - 1;

/// Packs a value up to [`MAX_SHORT`] as [`pack`] does: finding its highest bit takes longer on
/// many processors than three comparisons.
#[inline]
pub const fn pack_short(value: u64) -> (u64, usize) {
    debug_assert!(value <= MAX_SHORT);
    let len =
        1 + (value >= 1 << 7) as usize + (value >= 1 << 14) as usize + (value >= 1 << 21) as usize;
    (((value << 1) | 1) << (len - 1), len)
}

/// ⌈bits / 7⌉ by the position of the highest set bit: a load is cheaper than the division.
const LENGTHS: [u8; 64] = {
    let mut lengths = [0; 64];
    let mut highest = 0;
    while highest < 64 {
        lengths[highest] = (highest / 7 + 1) as u8;
        highest += 1;
    }
    lengths
};

/// Writes a value at the start of `out` and returns the bytes used; up to a word, what stands behind them is lost.
///
/// **Panics** when `out` is shorter than the encoding.
#[inline]
pub fn put(out: &mut [u8], value: u64) -> usize {
    if value <= MAX_PACKED {
        let (word, len) = pack(value);
        match out.first_chunk_mut::<8>() {
            // A store of a known length is no call.
            Some(whole) => *whole = word.to_le_bytes(),
            None => out[..len].copy_from_slice(&word.to_le_bytes()[..len]),
        }
        len
    } else {
        out[0] = 0;
        out[1..9].copy_from_slice(&value.to_le_bytes());
        9
    }
}

/// Appends a value to a vector.
pub fn push(out: &mut Vec<u8>, value: u64) {
    if value <= MAX_PACKED {
        let (word, len) = pack(value);
        // All of it first: a copy of a known length is no call.
        let end = out.len() + len;
        out.extend_from_slice(&word.to_le_bytes());
        out.truncate(end);
    } else {
        out.push(0);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// Appends values to a vector, whose room is looked at once for several.
pub fn push_all(out: &mut Vec<u8>, values: &[u64]) {
    const TOGETHER: usize = 8;
    for values in values.chunks(TOGETHER) {
        // Each is stored as a whole word, and the next one over what of it is not the value's.
        let mut bytes = [0; TOGETHER * MAX_LEN];
        let mut end = 0;
        for value in values {
            end += put(&mut bytes[end..], *value);
        }
        out.extend_from_slice(&bytes[..end]);
    }
}

/// Reads a value from the start of `bytes`: the value and the bytes it took.
///
/// `None` when `bytes` ends inside it.
#[inline]
pub fn take(bytes: &[u8]) -> Option<(u64, usize)> {
    if let Some(word) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let len = word.trailing_zeros() as usize + 1;
        if len <= 8 {
            return Some(((word >> len) & (u64::MAX >> (64 - 7 * len)), len));
        }
    }
    take_near_end(bytes)
}

#[cold]
fn take_near_end(bytes: &[u8]) -> Option<(u64, usize)> {
    let len = bytes.first()?.trailing_zeros() as usize + 1;
    if len > 8 {
        let raw = bytes.get(1..9)?.try_into().ok()?;
        return Some((u64::from_le_bytes(raw), 9));
    }
    let mut word = [0; 8];
    word[..len].copy_from_slice(bytes.get(..len)?);
    let word = u64::from_le_bytes(word);
    Some(((word >> len) & (u64::MAX >> (64 - 7 * len)), len))
}

/// Maps a signed difference to an unsigned one with small values for small magnitudes.
#[inline]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Undoes [`zigzag`].
#[inline]
pub const fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_length_takes_the_promised_bits() {
        for len in 1..=8_usize {
            let largest = u64::MAX >> (64 - 7 * len);
            assert_eq!(pack(largest).1, len);
            assert_eq!(pack(u64::MAX >> (64 - 7 * (len - 1)).min(63) << 1).1, len);
        }
    }

    #[test]
    fn short_values_are_packed_the_same_way() {
        for bits in 0..=28 {
            for value in [(1 << bits) - 1, (1 << bits) & MAX_SHORT] {
                assert_eq!(pack_short(value), pack(value), "{value}");
            }
        }
    }

    #[test]
    fn an_empty_slice_holds_no_value() {
        assert_eq!(take(&[]), None);
    }

    proptest! {
        #[test]
        fn what_is_put_is_taken(value in prop_oneof![any::<u64>(), 0_u64..300, any::<u32>().prop_map(u64::from)], tail in 0_usize..10) {
            let mut bytes = Vec::new();
            push(&mut bytes, value);
            let len = bytes.len();
            bytes.resize(len + tail, 0xff);
            prop_assert_eq!(take(&bytes), Some((value, len)));
            for cut in 0..len {
                prop_assert_eq!(take(&bytes[..cut]), None);
            }
        }

        #[test]
        fn zigzag_is_undone(value in any::<i64>()) {
            prop_assert_eq!(unzigzag(zigzag(value)), value);
        }
    }
}
