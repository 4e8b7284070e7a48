//! The fields of a record's payload, one after the other.

use crate::format::FormatError;
use crate::format::record::Cursor;
use crate::format::varint::{take, unzigzag};
use crate::path::PathId;

/// What is wrong with the number of a path.
pub(super) const OUT_OF_RANGE: &str = "a path number out of range";

/// The fields of one payload, taken from its start.
pub(super) struct Fields<'a> {
    /// What is left of the payload, and all that follows: integers are read a word at a time.
    pub rest: &'a [u8],
    /// Bytes that are left of the payload.
    pub length: usize,
    /// What the record is relative to.
    pub cursor: Cursor,
    /// Where the record stands in the file.
    pub offset: u64,
}

/// A path's number, unless it is out of range.
#[inline]
pub(super) fn path(number: u64) -> Option<PathId> {
    let is_one = number != 0 && number < crate::PathTable::LIMIT as u64;
    is_one.then_some(PathId(number as u32))
}

impl<'a> Fields<'a> {
    #[cold]
    pub fn error(&self, what: &'static str) -> FormatError {
        FormatError::Record {
            offset: self.offset,
            what,
        }
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, FormatError> {
        match take(self.rest) {
            Some((value, len)) if len <= self.length => {
                self.skip(len);
                Ok(value)
            }
            _ => Err(self.error("a short payload")),
        }
    }

    #[inline]
    fn skip(&mut self, length: usize) {
        self.rest = &self.rest[length..];
        self.length -= length;
    }

    /// What is left of the payload.
    fn bytes(&self) -> &'a [u8] {
        &self.rest[..self.length]
    }

    pub fn wide_number(&mut self) -> Result<u128, FormatError> {
        let upper = u128::from(self.number()?);
        Ok(upper << 64 | u128::from(self.number()?))
    }

    pub fn path(&mut self) -> Result<PathId, FormatError> {
        let number = self.number()?;
        self.path_of(number)
    }

    pub fn path_of(&self, number: u64) -> Result<PathId, FormatError> {
        path(number).ok_or_else(|| self.error(OUT_OF_RANGE))
    }

    pub fn time(&mut self) -> Result<u64, FormatError> {
        let delta = unzigzag(self.number()?);
        Ok(self.cursor.last.wrapping_add(delta as u64))
    }

    pub fn raw<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let chunk = self.bytes().first_chunk::<N>();
        let chunk = *chunk.ok_or_else(|| self.error("a short payload"))?;
        self.skip(N);
        Ok(chunk)
    }

    pub fn text(&mut self) -> Result<&'a str, FormatError> {
        let bytes = self.bytes();
        self.skip(bytes.len());
        std::str::from_utf8(bytes).map_err(|_| self.error("text that is not UTF-8"))
    }

    /// Two texts with a zero byte between them.
    pub fn pair(&mut self) -> Result<(&'a str, &'a str), FormatError> {
        let pair = self.text()?.split_once('\0');
        pair.ok_or_else(|| self.error("a text without its separator"))
    }
}
