//! Strings of the interpreter's, and copies of its memory in words.

use super::layout;
use super::peek::peek;

/// Characters of a string that are read: more is no name.
const MOST_CHARACTERS: u64 = 4_096;

/// A string of the interpreter's: where its characters stand, and what they were, with the zero that ends them.
pub struct Text {
    pub at: u64,
    width: usize,
    pub bytes: Vec<u8>,
}

impl Text {
    /// Reads a string; `None` for what isn't one, or is empty.
    pub fn read(address: u64) -> Option<Self> {
        let mut head = copy(address, layout::layout().text_len as usize, 0)?;
        let (at, width, length) = layout::text(&mut head)?;
        if !(1..=4).contains(&width) || !(1..=MOST_CHARACTERS).contains(&length) {
            return None;
        }
        let (at, mut bytes) = (
            address.wrapping_add(at),
            vec![0; ((length + 1) * width) as usize],
        );
        peek(at, &mut bytes).then_some(Self {
            at,
            width: width as usize,
            bytes,
        })
    }

    /// Returns its characters.
    pub fn characters(&self) -> String {
        let characters = self.bytes[..self.bytes.len() - self.width].chunks_exact(self.width);
        let characters = characters.map(|bytes| {
            let mut number = [0; 4];
            number[..bytes.len()].copy_from_slice(bytes);
            char::from_u32(u32::from_le_bytes(number)).unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        characters.collect()
    }
}

/// Copies bytes, with zeros behind them, into words.
pub fn copy(address: u64, len: usize, room: usize) -> Option<Vec<u64>> {
    let mut words = vec![0; (len + room).div_ceil(8)];
    peek(address, &mut bytes_of_mut(&mut words)[..len]).then_some(words)
}

/// Returns the bytes of words.
pub fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: any bytes are bytes, and there are eight in each word.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len() * 8) }
}

/// Returns the bytes of words, to be changed.
pub fn bytes_of_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: as above; any bytes are words too.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len() * 8) }
}
