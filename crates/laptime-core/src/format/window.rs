//! Windows: self-contained pieces of a process file.
//!
//! | offset | bytes | field                                                        |
//! |--------|-------|--------------------------------------------------------------|
//! | 0      | 4     | magic `LAPW`                                                 |
//! | 4      | 2     | format version                                               |
//! | 6      | 2     | flags: bit 0 sealed                                          |
//! | 8      | 4     | bytes of records committed so far (stored last, release)     |
//! | 12     | 4     | bytes of records at the time of sealing                      |
//! | 16     | 4     | process id                                                   |
//! | 20     | 4     | stream: the writer that filled it                            |
//! | 24     | 8     | number of its slot in the file, from 0                       |
//! | 32     | 8     | first half of the boot id                                    |
//! | 40     | 32    | anchor at opening                                            |
//! | 72     | 8     | spans lost by the process before it opened                   |
//! | 80     | 4     | CRC-32 of bytes 0–7, 12–79 and the records; valid when sealed |
//! | 84     | 4     | track of the first records                                   |
//! | 88     | 40    | zero                                                         |
//! | 128    | …     | records                                                      |
//!
//! An open window has no checksum: its records count up to the committed length.
//! A slot of zeros was set aside and never used.

use super::FormatError;
use super::reader::{RecordReader, Visit};
use super::record::{Cursor, Record};
use crate::anchor::Anchor;
use crate::path::PathId;
use crate::run::FORMAT_VERSION;
use crate::span::Span;

/// Bytes of a window, header included. About 10,000 spans.
pub const WINDOW_LEN: usize = 65_536;
/// Bytes of its header.
pub const HEADER_LEN: usize = 128;
/// Offset of the committed length.
pub const COMMITTED_OFFSET: usize = 8;
const MAGIC: [u8; 4] = *b"LAPW";
const SEALED: u16 = 1;

/// The header of a window, but for its lengths and checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowHeader {
    /// Process id.
    pub pid: u32,
    /// The writer that filled it.
    pub stream: u32,
    /// Number of its slot in the file, from 0.
    pub sequence: u64,
    /// First half of the boot id.
    pub boot: u64,
    /// All clocks at opening.
    pub anchor: Anchor,
    /// Spans lost by the process before.
    pub lost: u64,
    /// Track of the first records.
    pub track: u32,
}

impl WindowHeader {
    /// Where its records start counting.
    pub const fn cursor(&self) -> Cursor {
        Cursor {
            last: self.anchor.ticks,
            track: self.track,
        }
    }

    /// An open window without records.
    pub fn to_bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.pid.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.stream.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.boot.to_le_bytes());
        bytes[40..72].copy_from_slice(&self.anchor.to_bytes());
        bytes[72..80].copy_from_slice(&self.lost.to_le_bytes());
        bytes[84..88].copy_from_slice(&self.track.to_le_bytes());
        bytes
    }
}

/// Seals a window: stores its final length and checksum.
///
/// `window` starts at the header; `records` is how many bytes of records it holds.
///
/// A writer may die at any store: the flag comes last, and a reader that finds a checksum without
/// the flag checks it as if the flag stood there.
pub fn seal(window: &mut [u8], records: usize) {
    window[12..16].copy_from_slice(&(records as u32).to_le_bytes());
    let crc = checksum(window, records);
    window[80..84].copy_from_slice(&crc.to_le_bytes());
    window[6..8].copy_from_slice(&SEALED.to_le_bytes());
}

/// The checksum of a sealed window, whether or not the flag is stored yet.
fn checksum(window: &[u8], records: usize) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&window[0..6]);
    hasher.update(&SEALED.to_le_bytes());
    hasher.update(&window[12..80]);
    hasher.update(&window[84..HEADER_LEN + records]);
    hasher.finalize()
}

/// How far a window can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowState {
    /// Complete and checked.
    Sealed,
    /// Was being written: the committed records are returned.
    Unsealed,
    /// The file ends inside it: the whole records before the end are returned.
    Truncated,
}

/// A window of a process file.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// The window's header.
    pub header: WindowHeader,
    /// How far the window can be trusted.
    pub state: WindowState,
    /// The checksum that it was sealed with; `None` of one that is not sealed.
    pub seal: Option<u32>,
    offset: u64,
    records: &'a [u8],
}

impl<'a> Window<'a> {
    /// Reads the window whose slot starts at `offset` of the file; `bytes` are those of the slot, or
    /// as many of them as the file holds.
    ///
    /// `None` for a slot that was never used. **Errors** with the offset when the header or, in a
    /// sealed window, the checksum is wrong.
    pub fn parse(bytes: &'a [u8], offset: u64) -> Result<Option<Self>, FormatError> {
        let bytes = &bytes[..bytes.len().min(WINDOW_LEN)];
        let Some(head) = bytes.first_chunk::<HEADER_LEN>() else {
            return Ok(None);
        };
        if head[0..4] != MAGIC {
            // A writer that died while opening it had stored neither the magic nor a length or checksum.
            let opening = head[0..4] == [0; 4] && head[6..16] == [0; 10] && head[80..84] == [0; 4];
            return if opening {
                Ok(None)
            } else {
                Err(FormatError::Header {
                    offset,
                    what: format!("a window starts with {:?}", &head[0..4]),
                })
            };
        }
        let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap_or([0; 4]));
        let u64_at = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or([0; 8]));
        if u16_at(4) != FORMAT_VERSION {
            return Err(FormatError::Header {
                offset: offset + 4,
                what: format!("window version {}, expected {FORMAT_VERSION}", u16_at(4)),
            });
        }
        let stored = u32_at(80);
        let sealed = u16_at(6) != 0 || stored != 0;
        let length = u32_at(if sealed { 12 } else { COMMITTED_OFFSET }) as usize;
        if length > WINDOW_LEN - HEADER_LEN {
            return Err(FormatError::Header {
                offset: offset + 8,
                what: format!("{length} bytes of records in a window of {WINDOW_LEN}"),
            });
        }
        let header = WindowHeader {
            pid: u32_at(16),
            stream: u32_at(20),
            sequence: u64_at(24),
            boot: u64_at(32),
            anchor: Anchor::from_bytes(head[40..72].try_into().unwrap_or(&[0; Anchor::LEN])),
            lost: u64_at(72),
            track: u32_at(84),
        };
        let there = &bytes[HEADER_LEN..];
        let state = match there.get(..length) {
            None => WindowState::Truncated,
            Some(_) if !sealed => WindowState::Unsealed,
            Some(_) => {
                let computed = checksum(bytes, length);
                if stored != computed || u16_at(6) & !SEALED != 0 {
                    return Err(FormatError::Checksum {
                        offset,
                        stored,
                        computed,
                    });
                }
                WindowState::Sealed
            }
        };
        Ok(Some(Self {
            header,
            state,
            seal: sealed.then_some(stored),
            offset,
            records: &there[..length.min(there.len())],
        }))
    }

    /// Whether bytes from the start of a slot are a window that was still being written.
    pub fn is_unsealed(head: &[u8]) -> bool {
        let is_window = head.get(0..4).is_some_and(|magic| magic == MAGIC);
        let zero = |at: std::ops::Range<usize>| {
            let bytes = head.get(at).unwrap_or_default();
            bytes.iter().all(|byte| *byte == 0)
        };
        is_window && zero(6..8) && zero(80..84)
    }

    /// Hands every record to `visit`.
    ///
    /// In a truncated window a record that is cut off ends the visit quietly. **Errors** at a
    /// record that no writer writes; those before it were visited.
    #[inline]
    pub fn visit(&self, visit: &mut impl Visit<'a>) -> Result<(), FormatError> {
        let base = self.offset + HEADER_LEN as u64;
        match RecordReader::new(self.records, base, self.header.cursor()).visit(visit) {
            Err(FormatError::Record {
                what: "cut off", ..
            }) if self.state == WindowState::Truncated => Ok(()),
            result => result,
        }
    }

    /// Calls `visit` with every record; [`Self::visit`] is faster where there are millions.
    pub fn for_each(&self, visit: impl FnMut(Record<'a>)) -> Result<(), FormatError> {
        struct Each<F>(F);
        impl<'a, F: FnMut(Record<'a>)> Visit<'a> for Each<F> {
            fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
                (self.0)(Record::Span(Span::plain(path, start, duration, track)));
            }
            fn other(&mut self, record: Record<'a>) {
                (self.0)(record);
            }
        }
        self.visit(&mut Each(visit))
    }

    /// The window as a file that ends so many bytes into its records has it; `None` where it has fewer.
    pub fn first(self, records: usize) -> Option<Self> {
        let records = self.records.get(..records)?;
        let state = match self.state {
            state if records.len() == self.records.len() => state,
            _ => WindowState::Truncated,
        };
        Some(Self {
            state,
            records,
            ..self
        })
    }

    /// A checksum of the header and the records.
    pub fn sum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.header.to_bytes());
        hasher.update(self.records);
        hasher.finalize()
    }

    /// Bytes of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it holds no record.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}
