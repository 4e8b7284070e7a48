//! Writing numbers and names into a buffer of text, and the buffer into the output.

use std::io::{self, Write};

use laptime_core::is_hidden;

use crate::about::Output;

/// Bytes that are gathered before they are written.
const FULL: usize = 256 * 1024;

/// Text on its way to the output.
pub struct Text<'w> {
    out: Output<'w>,
    /// What was not written yet.
    pub buffer: Vec<u8>,
}

impl<'w> Text<'w> {
    /// Nothing yet.
    pub fn new(out: Output<'w>) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(FULL + FULL / 8),
        }
    }

    /// Adds text as it is.
    #[inline]
    pub fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// Adds a whole number.
    #[inline]
    pub fn number(&mut self, number: impl itoa::Integer) {
        push_number(&mut self.buffer, number);
    }

    /// Writes what was gathered, if that is much.
    #[inline]
    pub fn settle(&mut self) -> io::Result<()> {
        if self.buffer.len() < FULL {
            return Ok(());
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes everything.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.out.flush()
    }
}

/// Adds a whole number.
#[inline]
pub fn push_number(buffer: &mut Vec<u8>, number: impl itoa::Integer) {
    buffer.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Adds nanoseconds as microseconds with their three decimals.
#[inline]
pub fn push_microseconds(buffer: &mut Vec<u8>, ns: u64) {
    push_number(buffer, ns / 1_000);
    let rest = (ns % 1_000) as u16;
    let digit = |number: u16| b'0' + (number % 10) as u8;
    let decimals = [b'.', digit(rest / 100), digit(rest / 10), digit(rest)];
    buffer.extend_from_slice(&decimals);
}

/// A finite number as JSON has it; `None` for what it has no number for.
pub fn json_number(value: f64) -> Option<String> {
    value.is_finite().then(|| format!("{value:?}"))
}

/// A value that JSON has no number for, in words.
pub fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A text as JSON: what could act on a terminal or begin an element of a page is escaped, and reads
/// back as it was.
pub fn json(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            character if character == '<' || is_hidden(character) => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    quoted.push_str("\\u");
                    for shift in [12, 8, 4, 0] {
                        let digit = u32::from(*unit >> shift & 15);
                        quoted.extend(char::from_digit(digit, 16));
                    }
                }
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn microseconds_have_every_nanosecond() {
        for (ns, text) in [(0, "0.000"), (7, "0.007"), (1_234_567, "1234.567")] {
            let mut buffer = Vec::new();
            push_microseconds(&mut buffer, ns);
            assert_eq!(String::from_utf8(buffer).unwrap(), text);
        }
    }

    #[test]
    fn numbers_that_json_lacks_are_words() {
        assert_eq!(json_number(0.93).as_deref(), Some("0.93"));
        assert_eq!(json_number(f64::NAN), None);
        assert_eq!(not_finite(f64::NEG_INFINITY), "-Infinity");
    }

    proptest! {
        #[test]
        fn json_text_reads_back_and_shows_nothing_hidden(text in ".*", more in any::<String>()) {
            for text in [text, more] {
                let quoted = json(&text);
                prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
                prop_assert!(!quoted.chars().any(is_hidden));
                prop_assert!(!quoted.contains('<'));
            }
        }

        #[test]
        fn numbers_read_back(value in any::<f64>()) {
            if let Some(text) = json_number(value) {
                prop_assert!(serde_json::from_str::<f64>(&text).is_ok());
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
            }
        }
    }
}
