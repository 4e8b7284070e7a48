//! Python's `marshal`, as far as plain values need it: version 2, which every `CPython` reads.
//!
//! | value | bytes |
//! |---|---|
//! | dict | `{`, keys and values in turn, `0` |
//! | tuple of up to 255 | `)`, one byte of length, the values |
//! | text | `u`, four bytes of length, UTF-8 |
//! | integer of 32 bits | `i`, four bytes |
//! | a larger one | `l`, four bytes: how many digits; digits of 15 bits in two bytes each, the lowest first |
//! | number with a fraction | `g`, eight bytes of IEEE 754 |
//!
//! Everything is little-endian.

/// Appends values to bytes.
#[derive(Debug, Default)]
pub struct Marshal {
    pub bytes: Vec<u8>,
}

impl Marshal {
    /// Begins a dict; keys and values follow.
    pub fn dict(&mut self) {
        self.bytes.push(b'{');
    }

    /// Ends a dict.
    pub fn end(&mut self) {
        self.bytes.push(b'0');
    }

    /// Begins a tuple of so many values.
    pub fn tuple(&mut self, length: u8) {
        self.bytes.extend([b')', length]);
    }

    /// A text. What is beyond 2 GiB is cut.
    pub fn text(&mut self, text: &str) {
        let mut length = text.len().min(i32::MAX as usize);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        self.bytes.push(b'u');
        self.bytes.extend((length as u32).to_le_bytes());
        self.bytes.extend(&text.as_bytes()[..length]);
    }

    /// A whole number.
    pub fn integer(&mut self, number: u64) {
        if let Ok(small) = i32::try_from(number) {
            self.bytes.push(b'i');
            self.bytes.extend(small.to_le_bytes());
            return;
        }
        let mut digits = Vec::new();
        let mut rest = number;
        while rest > 0 {
            digits.push((rest & 0x7fff) as u16);
            rest >>= 15;
        }
        self.bytes.push(b'l');
        self.bytes.extend((digits.len() as u32).to_le_bytes());
        for digit in digits {
            self.bytes.extend(digit.to_le_bytes());
        }
    }

    /// A number with a fraction.
    pub fn float(&mut self, number: f64) {
        self.bytes.push(b'g');
        self.bytes.extend(number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_python_writes() {
        let mut written = Marshal::default();
        written.dict();
        written.tuple(3);
        written.text("ä");
        written.integer(7);
        written.integer(1 << 40);
        written.float(0.5);
        written.end();
        // marshal.dumps({("ä", 7, 1 << 40): 0.5}, 2)
        let expected =
            b"{)\x03u\x02\0\0\0\xc3\xa4i\x07\0\0\0l\x03\0\0\0\0\0\0\0\0\x04g\0\0\0\0\0\0\xe0?0";
        assert_eq!(written.bytes, expected);
    }
}
