//! Protocol buffers on the wire, read from a source without holding it.
//!
//! A message is a row of fields: a tag (number and wire type), then a varint, 4 or 8 bytes, or a
//! length and so many bytes. Libraries for it decode whole messages; a model's weights may be 2 GB
//! in one, so fields that nobody asks for are sought over here, and what is kept is rationed.
//!
//! Source: the encoding as documented for Protocol Buffers, "Message structure".

use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::error::{OnnxError, Result};

/// Bytes that may be kept of a file: names, attributes, small constants. The largest graphs in use
/// take a tenth of it.
const KEPT_LIMIT_BYTES: u64 = 512 << 20;

/// What a thing kept costs beyond its text.
const OVERHEAD_BYTES: u64 = 160;

/// The content of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// An integer.
    Varint(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Eight bytes.
    Fixed64(u64),
    /// So many bytes, from the place where the reader stands.
    Bytes(u64),
}

/// A source, and where in it the reader stands.
pub struct Wire<R> {
    source: BufReader<R>,
    position: u64,
    length: u64,
    kept: u64,
}

impl<R: Read + Seek> Wire<R> {
    /// A source, from its beginning.
    pub fn new(mut source: R) -> Result<Self> {
        let length = source.seek(SeekFrom::End(0))?;
        source.seek(SeekFrom::Start(0))?;
        Ok(Self {
            source: BufReader::with_capacity(1 << 16, source),
            position: 0,
            length,
            kept: 0,
        })
    }

    /// Bytes of the whole source.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Hands each field of a message of so many bytes over; what isn't read of it is skipped.
    pub fn message(
        &mut self,
        length: u64,
        mut each: impl FnMut(&mut Self, u32, Field) -> Result<()>,
    ) -> Result<()> {
        let end = self.position + length;
        while self.position < end {
            let (number, field) = self.field(end)?;
            let after = match field {
                Field::Bytes(length) => self.position + length,
                _ => self.position,
            };
            each(self, number, field)?;
            self.skip_to(after)?;
        }
        Ok(())
    }

    /// Goes over the fields of a message; a field of another kind holds none.
    pub fn fields(
        &mut self,
        field: Field,
        each: impl FnMut(&mut Self, u32, Field) -> Result<()>,
    ) -> Result<()> {
        self.keep(0)?;
        match field {
            Field::Bytes(length) => self.message(length, each),
            _ => Ok(()),
        }
    }

    /// The next field of a message that ends there.
    fn field(&mut self, end: u64) -> Result<(u32, Field)> {
        let start = self.position;
        let tag = self.varint(end)?;
        let number = u32::try_from(tag >> 3).unwrap_or(0);
        if number == 0 {
            return Err(damaged(start, "a field without a number"));
        }
        let field = match tag & 7 {
            0 => Field::Varint(self.varint(end)?),
            1 => Field::Fixed64(u64::from_le_bytes(self.array(end)?)),
            2 => {
                let length = self.varint(end)?;
                self.room(length, end)?;
                Field::Bytes(length)
            }
            5 => Field::Fixed32(u32::from_le_bytes(self.array(end)?)),
            _ => return Err(damaged(start, "a field of a kind that ONNX does not use")),
        };
        Ok((number, field))
    }

    /// An integer of up to ten bytes, low ones first.
    pub fn varint(&mut self, end: u64) -> Result<u64> {
        let start = self.position;
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let [byte] = self.array(end)?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged(start, "an integer of more than ten bytes"))
    }

    /// So many bytes as they are.
    pub fn array<const N: usize>(&mut self, end: u64) -> Result<[u8; N]> {
        self.room(N as u64, end)?;
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes)?;
        self.position += N as u64;
        Ok(bytes)
    }

    /// Whether so many bytes lie before the end of the message and of the source.
    fn room(&self, length: u64, end: u64) -> Result<()> {
        let offset = self.position;
        if length > self.length - offset {
            return Err(OnnxError::Truncated {
                offset,
                expected: length,
                found: self.length - offset,
            });
        }
        if length > end - offset {
            return Err(damaged(offset, "a field is longer than what holds it"));
        }
        Ok(())
    }

    /// The bytes of a field, to keep.
    pub fn bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        self.keep(length)?;
        // No more than the source has: `field` looked.
        let mut bytes = vec![0; length as usize];
        self.source.read_exact(&mut bytes)?;
        self.position += length;
        Ok(bytes)
    }

    /// The text of a field. Empty for a field of another kind.
    pub fn text(&mut self, field: Field) -> Result<String> {
        match field {
            Field::Bytes(length) => Ok(String::from_utf8(self.bytes(length)?)
                .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())),
            _ => Ok(String::new()),
        }
    }

    /// Integers of a repeated field, packed or one by one, up to so many in all. Those beyond are
    /// skipped; whether there were any comes back.
    pub fn integers(&mut self, field: Field, limit: usize, into: &mut Vec<i64>) -> Result<bool> {
        let mut push = |wire: &mut Self, value: u64| {
            wire.keep(0)?;
            if into.len() >= limit {
                return Ok(true);
            }
            into.push(value as i64);
            Ok(false)
        };
        match field {
            Field::Varint(value) => push(self, value),
            Field::Bytes(length) => {
                let end = self.position + length;
                while self.position < end {
                    let value = self.varint(end)?;
                    if push(self, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// How many things are kept.
    pub const fn parts(&self) -> u64 {
        self.kept / OVERHEAD_BYTES
    }

    /// Makes a note of something that is kept.
    pub fn keep(&mut self, bytes: u64) -> Result<()> {
        self.kept = self.kept.saturating_add(bytes + OVERHEAD_BYTES);
        if self.kept > KEPT_LIMIT_BYTES {
            return Err(OnnxError::TooLarge {
                what: "its graph, weights left aside,",
                limit: format!("{} MiB", KEPT_LIMIT_BYTES >> 20),
            });
        }
        Ok(())
    }

    fn skip_to(&mut self, place: u64) -> Result<()> {
        // Within a source whose length fits an i64, as every file's does.
        self.source
            .seek_relative(place.wrapping_sub(self.position) as i64)?;
        self.position = place;
        Ok(())
    }
}

fn damaged(offset: u64, reason: &'static str) -> OnnxError {
    OnnxError::Damaged { offset, reason }
}
