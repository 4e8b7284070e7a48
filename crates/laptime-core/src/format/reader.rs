//! Reads the records of a window back: the inverse of [`super::record::encode`].
//!
//! Plain spans are nearly all records; they are decoded without building a
//! [`Record`] for each, and without a loop over their bytes.

use super::FormatError;
use super::record::{
    ANCHOR, CALLED_FUNCTION, CALLS, Cursor, DELAY, DEVICE_LACKS, DEVICE_MEMORY, DEVICE_NAME,
    DEVICE_SAMPLE, DEVICE_SPAN, DEVICE_WORK, FRAME, FUNCTION, INPUT_SIZES, MARK, MEMORY, METRIC,
    MODULE, NOTE, OPERATIONS, OPERATOR, OPERATOR_NAME, PATH, PROCESSORS, RAN, Record, SAMPLE,
    STACK, TASK, THREAD, TRACK, TRACK_NAME, UNUSUAL_SPAN,
};
use super::varint::{take, unzigzag};
use super::window::{WindowHeader, WindowState};
use crate::anchor::Anchor;
use crate::calls::{CallSums, CalledFunction, FunctionCalls};
use crate::device_span::DeviceSpan;
use crate::memory::{ProcessMemory, SpanMemory};
use crate::operations::{Cost, CostTally, StretchOperations};
use crate::operators::{DeviceWork, DeviceWorkKind, Operator};
use crate::path::PathId;
use crate::span::{Span, SpanFlags};
use crate::stack::{Runner, SampledStack, StackFrame};
use crate::work::SpanWork;

mod device;
mod fields;
mod sizes;

use fields::{Fields, OUT_OF_RANGE};

/// Receives the records of a window.
///
/// Plain spans, nearly all of them, come apart, so that a reader of millions need not
/// build a [`Record`] for each.
pub trait Visit<'a> {
    /// A span without anything unusual: path, start and duration in ticks, track.
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32);
    /// Every other record, and the few plain spans that are encoded at length or end a window.
    fn other(&mut self, record: Record<'a>);
    /// The time of a span on a device: a program on one has as many as spans.
    fn device_span(&mut self, span: DeviceSpan) {
        self.other(Record::DeviceSpan(span));
    }
}

/// Receives the records of a whole process file, window by window.
///
/// Paths come checked and with numbers of the reader's: each is told once, parents first, before
/// its first use. Spans that no path of these has never come.
pub trait VisitProcess: for<'a> Visit<'a> {
    /// Whether the window whose slot starts at `offset` is to be read at all.
    fn wants(&self, offset: u64) -> bool {
        let _ = offset;
        true
    }

    /// A window begins, whose slot starts at `offset`.
    fn window(&mut self, header: &WindowHeader, state: WindowState, offset: u64) {
        let _ = (header, state, offset);
    }
}

/// Decodes the records of one window.
///
/// Ends cleanly at the end of the bytes. A record that is cut off, or that no writer
/// writes, is an error; in an unsealed window the caller treats a cut as the end.
#[derive(Debug, Clone)]
pub struct RecordReader<'a> {
    bytes: &'a [u8],
    position: usize,
    base_offset: u64,
    cursor: Cursor,
    failed: bool,
}

impl<'a> RecordReader<'a> {
    /// Reads `bytes`, whose first byte stands at `base_offset` in the file.
    pub fn new(bytes: &'a [u8], base_offset: u64, cursor: Cursor) -> Self {
        Self {
            bytes,
            position: 0,
            base_offset,
            cursor,
            failed: false,
        }
    }

    /// Bytes of whole records read so far.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Where the next record would count from.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    #[inline]
    fn varint(&self, at: &mut usize) -> Result<u64, FormatError> {
        match take(self.bytes.get(*at..).unwrap_or_default()) {
            Some((value, len)) => {
                *at += len;
                Ok(value)
            }
            None => Err(self.error("cut off")),
        }
    }

    #[cold]
    fn error(&self, what: &'static str) -> FormatError {
        FormatError::Record {
            offset: self.base_offset + self.position as u64,
            what,
        }
    }

    /// Decodes plain spans up to the next record that is not one, or near the end of the bytes.
    #[inline]
    fn plain_spans(&mut self, visit: &mut impl Visit<'a>) {
        let Cursor { mut last, track } = self.cursor;
        let mut position = self.position;
        while let Some(chunk) = self.bytes.get(position..).and_then(<[u8]>::first_chunk) {
            let Some(plain) = PlainSpan::decode(chunk) else {
                break;
            };
            last = last.saturating_add(plain.since);
            position += plain.len;
            let start = last.saturating_sub(plain.duration);
            visit.plain_span(plain.path, start, plain.duration, track);
        }
        self.position = position;
        self.cursor.last = last;
    }

    /// Hands every record to `visit`. **Errors** at a record that is cut off or that no writer writes.
    #[inline]
    pub fn visit(mut self, visit: &mut impl Visit<'a>) -> Result<(), FormatError> {
        self.visit_rest(visit)
    }

    /// Does what [`Self::visit`] does, and keeps [`Self::position`] and [`Self::cursor`] for whoever goes on
    /// reading later.
    #[inline]
    pub fn visit_rest(&mut self, visit: &mut impl Visit<'a>) -> Result<(), FormatError> {
        loop {
            self.plain_spans(visit);
            while let Some(span) = self.device_span() {
                visit.device_span(span);
                self.plain_spans(visit);
            }
            match self.next() {
                None => return Ok(()),
                Some(Ok(record)) => visit.other(record),
                Some(Err(error)) => return Err(error),
            }
        }
    }

    /// The next record, if it is the time of a span on a device and whole.
    #[inline]
    fn device_span(&mut self) -> Option<DeviceSpan> {
        let [lead, length, rest @ ..] = self.bytes.get(self.position..)? else {
            return None;
        };
        let (lead, length) = (one_byte(*lead)?, one_byte(*length)? as usize);
        if lead != DEVICE_SPAN << 1 | 1 || rest.len() < length {
            return None;
        }
        let span = self.fields(rest, length).device_span().ok()?;
        self.position += 2 + length;
        Some(span)
    }

    #[inline]
    fn fields(&self, rest: &'a [u8], length: usize) -> Fields<'a> {
        Fields {
            rest,
            length,
            cursor: self.cursor,
            offset: self.base_offset + self.position as u64,
        }
    }

    fn record(&mut self) -> Result<Option<Record<'a>>, FormatError> {
        loop {
            let mut at = self.position;
            let lead = self.varint(&mut at)?;
            if lead & 1 == 0 {
                let path = fields::path(lead >> 1).ok_or_else(|| self.error(OUT_OF_RANGE))?;
                let end = self.cursor.last.saturating_add(self.varint(&mut at)?);
                let duration = self.varint(&mut at)?;
                self.position = at;
                self.cursor.last = end;
                let start = end.saturating_sub(duration);
                let span = Span::plain(path, start, duration, self.cursor.track);
                return Ok(Some(Record::Span(span)));
            }
            let length = self.varint(&mut at)? as usize;
            let rest = self.bytes.get(at..).filter(|rest| rest.len() >= length);
            let rest = rest.ok_or_else(|| self.error("cut off"))?;
            let record = self.payload(lead >> 1, self.fields(rest, length))?;
            self.position = at + length;
            if record.is_some() || self.position == self.bytes.len() {
                return Ok(record);
            }
        }
    }

    /// One payload; `None` for a track switch and for kinds of a later minor version.
    #[cold]
    fn payload(
        &mut self,
        kind: u64,
        mut fields: Fields<'a>,
    ) -> Result<Option<Record<'a>>, FormatError> {
        let record = match kind {
            PATH => Record::Path {
                id: fields.path()?,
                parent: PathId(fields.number()? as u32),
                name: fields.text()?,
            },
            TRACK => {
                let track = fields.number()? as u32;
                self.cursor.track = track;
                return Ok(None);
            }
            UNUSUAL_SPAN => Record::Span(fields.unusual_span()?),
            MARK => Record::Mark {
                path: fields.path()?,
                ticks: fields.time()?,
                track: self.cursor.track,
            },
            METRIC => Record::Metric {
                path: fields.path()?,
                ticks: fields.time()?,
                value: f64::from_le_bytes(fields.raw()?),
                track: self.cursor.track,
            },
            ANCHOR => Record::Anchor(Anchor::from_bytes(&fields.raw()?)),
            TRACK_NAME => Record::TrackName {
                track: fields.number()? as u32,
                is_task: fields.number()? == 1,
                thread: fields.number()?,
                name: fields.text()?,
            },
            SAMPLE => Record::Sample {
                ticks: fields.time()?,
                resident_bytes: fields.number()?,
                private: fields.private_memory()?,
            },
            INPUT_SIZES => Record::InputSizes(fields.input_sizes(self.cursor.track)?),
            MEMORY => Record::Memory {
                ticks: fields.time()?,
                memory: ProcessMemory {
                    bytes: unzigzag(fields.number()?),
                    peak_bytes: fields.number()?,
                },
            },
            OPERATIONS => Record::Operations(fields.operations()?),
            RAN => Record::Ran {
                ticks: fields.time()?,
                stretch: fields.number()? as u32,
            },
            DELAY => Record::Delay {
                ticks: fields.time()?,
                thread: fields.number()?,
                delayed_ns: fields.number()?,
            },
            PROCESSORS => Record::Processors {
                ticks: fields.time()?,
                busy_ns: fields.number()?,
                stolen_ns: fields.number()?,
            },
            MODULE => Record::Module {
                path: fields.path()?,
                depth: fields.number()? as u32,
                class: fields.text()?,
            },
            FUNCTION => {
                let id = fields.number()? as u32;
                let (name, file) = fields.pair()?;
                Record::Function { id, name, file }
            }
            FRAME => Record::Frame(fields.frame()?),
            STACK => Record::Stack(fields.stack()?),
            CALLED_FUNCTION => {
                let (id, line) = (fields.number()? as u32, fields.number()? as u32);
                let (name, file) = fields.pair()?;
                Record::CalledFunction(CalledFunction {
                    id,
                    line,
                    name,
                    file,
                })
            }
            CALLS => Record::Calls(fields.calls()?),
            OPERATOR_NAME => Record::OperatorName {
                id: fields.number()? as u32,
                name: fields.text()?,
            },
            OPERATOR => Record::Operator(fields.operator()?),
            DEVICE_WORK => Record::DeviceWork(fields.device_work()?),
            DEVICE_SPAN => Record::DeviceSpan(fields.device_span()?),
            DEVICE_MEMORY => Record::DeviceMemory(fields.device_memory()?),
            DEVICE_SAMPLE | DEVICE_NAME | DEVICE_LACKS => fields.telemetry(kind)?,
            NOTE => {
                let (code, message) = fields.pair()?;
                Record::Note { code, message }
            }
            _ => return Ok(None),
        };
        Ok(Some(record))
    }
}

/// A plain span, decoded without a loop and with few dependent loads: this is what reading
/// millions of spans spends its time on.
struct PlainSpan {
    path: PathId,
    since: u64,
    duration: u64,
    len: usize,
}

impl PlainSpan {
    /// Bytes that [`Self::decode`] looks at: a lead of 3, two integers of 8, and a word's reach.
    const REACH: usize = 24;

    /// `None` for anything else, rare long integers included; those are decoded the general way.
    #[inline]
    fn decode(chunk: &[u8; Self::REACH]) -> Option<Self> {
        let word = word_at(chunk, 0);
        // The lead's length is the same for long stretches, so a branch on it is predicted,
        // and the position of what follows does not wait for it.
        if word & 1 == 1 {
            Self::after_lead::<1>(chunk, word)
        } else if word & 2 == 2 {
            Self::after_lead::<2>(chunk, word)
        } else if word & 4 == 4 {
            Self::after_lead::<3>(chunk, word)
        } else {
            None
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // three copies of the innermost loop of reading
    fn after_lead<const LEAD: usize>(chunk: &[u8; Self::REACH], word: u64) -> Option<Self> {
        let rest = word >> (8 * LEAD);
        let since_len = encoded_len(rest);
        // The first word holds the lead and `since` if together they have 8 bytes.
        if LEAD + since_len > 8 {
            return None;
        }
        let lead = low_bits(word >> LEAD, 7 * LEAD);
        let path = lead >> 1;
        // Neither the root nor beyond the limit, in one comparison.
        if lead & 1 != 0 || path.wrapping_sub(1) >= crate::PathTable::LIMIT as u64 - 1 {
            return None;
        }
        let tail = word_at(chunk, LEAD + since_len);
        let duration_len = encoded_len(tail);
        if duration_len > 8 {
            return None;
        }
        Some(Self {
            path: PathId(path as u32),
            since: low_bits(rest >> since_len, 7 * since_len),
            duration: low_bits(tail >> duration_len, 7 * duration_len),
            len: LEAD + since_len + duration_len,
        })
    }
}

/// An integer that is encoded in one byte.
#[inline]
fn one_byte(byte: u8) -> Option<u64> {
    (byte & 1 == 1).then_some(u64::from(byte >> 1))
}

#[inline]
fn word_at(chunk: &[u8; PlainSpan::REACH], at: usize) -> u64 {
    let bytes = chunk
        .get(at..at + 8)
        .and_then(|bytes| bytes.try_into().ok());
    u64::from_le_bytes(bytes.unwrap_or([0; 8]))
}

/// Bytes of the integer that a word starts with; more than 8 for a long one.
#[inline]
const fn encoded_len(word: u64) -> usize {
    // That no bit is set is nothing to look for: one that no length reaches is.
    (word | 1 << 63).trailing_zeros() as usize + 1
}

/// The lowest `count` bits, fewer than 64 of them.
#[inline]
const fn low_bits(value: u64, count: usize) -> u64 {
    value & LOW_BITS[count & 63]
}

/// By count, that many bits: a load where shifts by a variable are slow.
const LOW_BITS: [u64; 64] = {
    let mut masks = [0; 64];
    let mut count = 0;
    while count < masks.len() {
        masks[count] = (1 << count) - 1;
        count += 1;
    }
    masks
};

impl<'a> Iterator for RecordReader<'a> {
    type Item = Result<Record<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.position >= self.bytes.len() {
            return None;
        }
        let record = self.record();
        self.failed = record.is_err();
        record.transpose()
    }
}

impl<'a> Fields<'a> {
    fn operations(&mut self) -> Result<StretchOperations<'a>, FormatError> {
        let (stretch, path) = (self.number()? as u32, self.path()?);
        let mut tally = CostTally {
            counted: self.number()?,
            zero: self.number()?,
            uncounted: self.number()?,
            ..CostTally::default()
        };
        let mut columns = tally.cost.columns();
        for column in &mut columns {
            *column = self.wide_number()?;
        }
        tally.cost = Cost::from_columns(columns);
        let (device, dtype) = self.pair()?;
        Ok(StretchOperations {
            stretch,
            path,
            tally,
            device,
            dtype,
        })
    }

    fn frame(&mut self) -> Result<StackFrame, FormatError> {
        Ok(StackFrame {
            id: self.number()? as u32,
            parent: self.number()? as u32,
            function: self.number()? as u32,
            line: self.number()? as u32,
        })
    }

    fn operator(&mut self) -> Result<Operator, FormatError> {
        Ok(Operator {
            ticks: self.time()?,
            thread: self.number()?,
            name: self.number()? as u32,
            self_ns: self.number()?,
            total_ns: self.number()?,
        })
    }

    fn device_work(&mut self) -> Result<DeviceWork, FormatError> {
        Ok(DeviceWork {
            ticks: self.time()?,
            duration_ns: self.number()?,
            name: self.number()? as u32,
            kind: DeviceWorkKind::of(self.number()?),
            device: self.number()? as u32,
            stream: self.number()?,
            launched: (self.time()?, self.number()?),
        })
    }

    fn stack(&mut self) -> Result<SampledStack, FormatError> {
        let (ticks, thread, frame) = (self.time()?, self.number()?, self.number()? as u32);
        let state = self.number()?;
        Ok(SampledStack {
            ticks,
            thread,
            frame,
            is_running: state & 1 != 0,
            has_interpreter: state & 2 != 0,
            in_same_turn: state & 4 != 0,
            others_ready: state & 8 != 0,
            within_ns: self.number()?,
            stands_for_ns: self.number()?,
            runner: self.runner()?,
        })
    }

    /// Who ran; older files end before it, and kinds of later ones are unknown.
    fn runner(&mut self) -> Result<Runner, FormatError> {
        if self.length == 0 {
            return Ok(Runner::Unknown);
        }
        let (kind, track, path) = (self.number()?, self.number()? as u32, self.number()?);
        Ok(match (kind, path) {
            (THREAD, _) => Runner::Thread,
            (TASK, 0) => Runner::Task {
                track,
                path: PathId::ROOT,
            },
            (TASK, path) => Runner::Task {
                track,
                path: self.path_of(path)?,
            },
            _ => Runner::Unknown,
        })
    }

    fn calls(&mut self) -> Result<FunctionCalls, FormatError> {
        let path = match self.number()? {
            0 => PathId::ROOT,
            number => self.path_of(number)?,
        };
        Ok(FunctionCalls {
            path,
            thread: self.number()?,
            caller: self.number()? as u32,
            function: self.number()? as u32,
            sums: CallSums {
                calls: self.number()?,
                primitive: self.number()?,
                own: self.number()?,
                total: self.number()?,
                primitive_from: self.number()?,
                total_from: self.number()?,
            },
        })
    }

    fn unusual_span(&mut self) -> Result<Span, FormatError> {
        let flags = SpanFlags(self.number()?);
        let path = self.path()?;
        let end = self.time()?;
        let duration = self.number()?;
        let mut carried = |flag| -> Result<Option<u64>, FormatError> {
            flags.has(flag).then(|| self.number()).transpose()
        };
        let process_ns = carried(SpanFlags::PROCESS_TIME)?;
        let thread_ns = carried(SpanFlags::THREAD_TIME)?;
        let wall = carried(SpanFlags::SUSPENDED)?;
        let memory = if flags.has(SpanFlags::MEMORY) {
            Some(SpanMemory {
                net_bytes: unzigzag(self.number()?),
                peak_bytes: self.number()?,
            })
        } else {
            None
        };
        let mut carried = |flag| -> Result<Option<u128>, FormatError> {
            flags.has(flag).then(|| self.wide_number()).transpose()
        };
        let work = SpanWork {
            flop: carried(SpanFlags::FLOP)?,
            bytes: carried(SpanFlags::BYTES)?,
        };
        Ok(Span {
            path,
            start: end.saturating_sub(wall.unwrap_or(duration)),
            duration,
            track: self.cursor.track,
            flags,
            process_ns,
            thread_ns,
            wall,
            memory,
            work,
        })
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
