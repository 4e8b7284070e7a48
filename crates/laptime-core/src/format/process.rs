//! The first 32 KiB of a process file: who wrote it, and what was open.
//!
//! | offset | bytes | field                                                          |
//! |--------|-------|----------------------------------------------------------------|
//! | 0      | 8     | magic `LAPTIME`, zero                                          |
//! | 8      | 2     | format version                                                 |
//! | 10     | 2     | clock: 0 `CLOCK_MONOTONIC`, 1 time stamp counter               |
//! | 12     | 4     | process id                                                     |
//! | 16     | 4     | parent process id                                              |
//! | 20     | 4     | main thread's track                                            |
//! | 24     | 16    | boot id                                                        |
//! | 40     | 8     | nominal nanoseconds a tick, IEEE 754                           |
//! | 48     | 32    | anchor when recording began                                    |
//! | 80     | 8     | start of the process, `CLOCK_BOOTTIME` ns, to 10 ms; 0 unknown |
//! | 88     | 2 + n | length and UTF-8 of the program's name (n ≤ 1,024)             |
//! | 2048   | 8     | spans lost (updated while it runs)                             |
//! | 2056   | 8     | durations below zero, clamped                                  |
//! | 2064   | 8     | 1 once the recording was closed                                |
//! | 2072   | 32    | anchor when it was closed                                      |
//! | 2104   | 8     | why spans were lost: an `errno`, 0 otherwise                   |
//! | 2112   | 8     | bytes of the file once closed; 0 before                        |
//! | 2120   | 8     | check of bytes 0 to 2,047; 0 in files that have none           |
//! | 2128   | 8     | check of the anchor when it was closed and of the length       |
//! | 4096   | 28·1024 | black box: the stacks of open spans                          |
//!
//! A check is a CRC-32 plus 2³².
//!
//! A black-box slot:
//!
//! | offset | bytes | field                                        |
//! |--------|-------|----------------------------------------------|
//! | 0      | 4     | open spans + 1, the base included; 0: unused |
//! | 4      | 4     | track                                        |
//! | 8      | 8     | zero                                         |
//! | 16     | 16·63 | entries: path (4), site (4), start ticks (8); the first is the base |

use super::FormatError;
use super::window::WINDOW_LEN;
use crate::anchor::{Anchor, ClockKind};
use crate::path::PathId;
use crate::run::FORMAT_VERSION;

/// Bytes before the first window.
pub const PREFIX_LEN: usize = 32_768;
/// Where the black box starts.
pub const BLACK_BOX_OFFSET: usize = 4_096;
/// Bytes of one thread's slot.
pub const SLOT_LEN: usize = 1_024;
/// Threads and tasks whose open spans are kept.
pub const SLOTS: usize = (PREFIX_LEN - BLACK_BOX_OFFSET) / SLOT_LEN;
/// Entries of a slot, its base included.
pub const SLOT_ENTRIES: usize = (SLOT_LEN - 16) / 16;
/// Offset of the count of lost spans.
pub const LOST_OFFSET: usize = 2_048;
/// Offset of the count of clamped durations.
pub const CLAMPED_OFFSET: usize = 2_056;
/// Offset of the word that is 1 once closed.
pub const CLOSED_OFFSET: usize = 2_064;
/// Offset of the anchor at closing.
pub const END_ANCHOR_OFFSET: usize = 2_072;
/// Offset of the reason of losses.
pub const LOSS_REASON_OFFSET: usize = 2_104;
/// Offset of the file's length at closing.
pub const LENGTH_OFFSET: usize = 2_112;
/// Offset of the check of what is written once, at the start.
pub const START_CHECK_OFFSET: usize = 2_120;
/// Offset of the check of what is written at closing.
pub const END_CHECK_OFFSET: usize = 2_128;
/// Longest program name kept.
pub const MAX_PROGRAM_LEN: usize = 1_024;
const MAGIC: [u8; 8] = *b"LAPTIME\0";

/// Who wrote a process file.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessHeader {
    /// Where ticks come from.
    pub clock: ClockKind,
    /// Process id.
    pub pid: u32,
    /// Parent process id.
    pub parent_pid: u32,
    /// Track of the thread that started recording.
    pub main_track: u32,
    /// Boot id of the machine.
    pub boot_id: [u8; 16],
    /// Rate to use while fewer than two anchors are known.
    pub nominal_ns_per_tick: f64,
    /// All clocks when recording began.
    pub anchor: Anchor,
    /// When the process started, `CLOCK_BOOTTIME` ns to 10 ms; `None` when unknown.
    pub process_started_boottime_ns: Option<u64>,
    /// Last component of the program's or script's name.
    pub program: String,
    /// Spans lost.
    pub lost: u64,
    /// Durations below zero, clamped to zero.
    pub clamped: u64,
    /// All clocks at closing; `None` when the process ended without closing.
    pub closed: Option<Anchor>,
    /// The system's error number behind the losses.
    pub loss_reason: Option<i32>,
    /// Bytes that the file had when it was closed: one that has fewer was cut.
    pub length: Option<u64>,
}

/// A span that was open when the file was last written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenSpan {
    /// Where it stands in the tree.
    pub path: PathId,
    /// Thread or task.
    pub track: u32,
    /// When it opened, in ticks.
    pub start: u64,
}

impl ProcessHeader {
    /// The first [`PREFIX_LEN`] bytes of a file, with an empty black box.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; PREFIX_LEN];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&u16::from(self.clock.code()).to_le_bytes());
        bytes[12..16].copy_from_slice(&self.pid.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.parent_pid.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.main_track.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.boot_id);
        bytes[40..48].copy_from_slice(&self.nominal_ns_per_tick.to_le_bytes());
        bytes[48..80].copy_from_slice(&self.anchor.to_bytes());
        let started = self.process_started_boottime_ns.unwrap_or(0);
        bytes[80..88].copy_from_slice(&started.to_le_bytes());
        let mut length = self.program.len().min(MAX_PROGRAM_LEN);
        while !self.program.is_char_boundary(length) {
            length -= 1;
        }
        bytes[88..90].copy_from_slice(&(length as u16).to_le_bytes());
        bytes[90..90 + length].copy_from_slice(&self.program.as_bytes()[..length]);
        bytes[LOST_OFFSET..][..8].copy_from_slice(&self.lost.to_le_bytes());
        bytes[CLAMPED_OFFSET..][..8].copy_from_slice(&self.clamped.to_le_bytes());
        if let Some(closed) = self.closed {
            bytes[CLOSED_OFFSET] = 1;
            bytes[END_ANCHOR_OFFSET..][..32].copy_from_slice(&closed.to_bytes());
            let check = end_check(&closed.to_bytes(), self.length.unwrap_or(0));
            bytes[END_CHECK_OFFSET..][..8].copy_from_slice(&check.to_le_bytes());
        }
        let reason = self.loss_reason.unwrap_or(0);
        bytes[LOSS_REASON_OFFSET..][..4].copy_from_slice(&reason.to_le_bytes());
        bytes[LENGTH_OFFSET..][..8].copy_from_slice(&self.length.unwrap_or(0).to_le_bytes());
        let start = check_of(&[&bytes[..LOST_OFFSET]]);
        bytes[START_CHECK_OFFSET..][..8].copy_from_slice(&start.to_le_bytes());
        bytes
    }

    /// Forgets how the process closed its file, where [`check_end`] fails.
    pub fn forget_end(&mut self) {
        (self.closed, self.length) = (None, None);
    }

    /// Reads the start of a process file.
    ///
    /// **Errors** when it is empty, foreign, newer, cut off inside the header proper (the first
    /// 4,096 bytes), or holds what no writer writes. A cut inside the black box is not an error.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        if bytes.is_empty() {
            return Err(FormatError::Empty);
        }
        let shown = bytes.len().min(MAGIC.len());
        if bytes[..shown] != MAGIC[..shown] {
            return Err(FormatError::Foreign {
                found: String::from_utf8_lossy(&bytes[..shown]).into_owned(),
            });
        }
        let Some(head) = bytes.get(..BLACK_BOX_OFFSET) else {
            return Err(FormatError::ShortHeader {
                expected: BLACK_BOX_OFFSET,
                found: bytes.len(),
            });
        };
        let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap_or([0; 4]));
        let u64_at = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or([0; 8]));
        let anchor_at = |at: usize| {
            Anchor::from_bytes(head[at..at + 32].try_into().unwrap_or(&[0; Anchor::LEN]))
        };
        let damaged = |offset: u64, what: String| FormatError::Header { offset, what };
        if u16_at(8) > FORMAT_VERSION {
            return Err(FormatError::Newer {
                found: u16_at(8),
                supported: FORMAT_VERSION,
            });
        }
        if u16_at(8) == 0 {
            return Err(damaged(8, "format version 0".to_owned()));
        }
        if u64_at(START_CHECK_OFFSET) != 0 {
            is_check(head, START_CHECK_OFFSET, check_of(&[&head[..LOST_OFFSET]]))?;
        }
        let clock = u8::try_from(u16_at(10))
            .ok()
            .and_then(ClockKind::from_code)
            .ok_or_else(|| damaged(10, format!("clock {}", u16_at(10))))?;
        let nominal_ns_per_tick = f64::from_bits(u64_at(40));
        if !(nominal_ns_per_tick > 0.0 && nominal_ns_per_tick <= 1e6) {
            return Err(damaged(40, format!("{nominal_ns_per_tick} ns a tick")));
        }
        let length = usize::from(u16_at(88));
        let program = (length <= MAX_PROGRAM_LEN)
            .then(|| std::str::from_utf8(&head[90..90 + length]).ok())
            .flatten()
            .ok_or_else(|| damaged(88, "a program name that is not UTF-8".to_owned()))?;
        let reason = u32_at(LOSS_REASON_OFFSET) as i32;
        Ok(Self {
            clock,
            pid: u32_at(12),
            parent_pid: u32_at(16),
            main_track: u32_at(20),
            boot_id: head[24..40].try_into().unwrap_or_default(),
            nominal_ns_per_tick,
            anchor: anchor_at(48),
            process_started_boottime_ns: Some(u64_at(80)).filter(|started| *started != 0),
            program: program.to_owned(),
            lost: u64_at(LOST_OFFSET),
            clamped: u64_at(CLAMPED_OFFSET),
            closed: (head[CLOSED_OFFSET] == 1).then(|| anchor_at(END_ANCHOR_OFFSET)),
            loss_reason: Some(reason).filter(|reason| *reason != 0),
            length: Some(u64_at(LENGTH_OFFSET)).filter(|length| *length != 0),
        })
    }
}

/// The check of what is stored when a file is closed.
pub fn end_check(anchor: &[u8; Anchor::LEN], length: u64) -> u64 {
    check_of(&[anchor, &length.to_le_bytes()])
}

/// Whether what was written at closing is whole, in the first bytes of a file.
///
/// **Errors** where it is not. Files that are not closed, and those of writers without checks, pass.
pub fn check_end(prefix: &[u8]) -> Result<(), FormatError> {
    let word = |at| word_at(prefix, at);
    let anchor = prefix
        .get(END_ANCHOR_OFFSET..)
        .and_then(<[u8]>::first_chunk);
    match anchor {
        Some(anchor) if word(CLOSED_OFFSET) == 1 && word(END_CHECK_OFFSET) != 0 => {
            let computed = end_check(anchor, word(LENGTH_OFFSET));
            is_check(prefix, END_CHECK_OFFSET, computed)
        }
        _ => Ok(()),
    }
}

fn check_of(parts: &[&[u8]]) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    1 << 32 | u64::from(hasher.finalize())
}

fn is_check(bytes: &[u8], offset: usize, computed: u64) -> Result<(), FormatError> {
    let stored = word_at(bytes, offset);
    if stored == computed {
        return Ok(());
    }
    let what = format!("check {stored:#x}, expected {computed:#x}");
    Err(FormatError::Header {
        offset: offset as u64,
        what,
    })
}

fn word_at(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

/// The spans that were open, outermost first per track, from the first bytes of a file.
///
/// Entries that no writer writes are left out: the writer may have died between two stores.
pub fn open_spans(prefix: &[u8]) -> Vec<OpenSpan> {
    let black_box = prefix
        .get(BLACK_BOX_OFFSET..prefix.len().min(PREFIX_LEN))
        .unwrap_or_default();
    let u32_at = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or([0; 4]))
    };
    let mut open = Vec::new();
    for slot in black_box.chunks_exact(SLOT_LEN) {
        let depth = (u32_at(slot, 0) as usize).min(SLOT_ENTRIES);
        let track = u32_at(slot, 4);
        for entry in slot[16..].chunks_exact(16).take(depth).skip(1) {
            let path = PathId(u32_at(entry, 0));
            let start = u64::from_le_bytes(entry[8..16].try_into().unwrap_or([0; 8]));
            if path != PathId::ROOT && path.index() < crate::PathTable::LIMIT {
                open.push(OpenSpan { path, track, start });
            }
        }
    }
    open
}

/// Offset of the slot of window `index`.
pub const fn window_offset(index: u64) -> u64 {
    PREFIX_LEN as u64 + index * WINDOW_LEN as u64
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
