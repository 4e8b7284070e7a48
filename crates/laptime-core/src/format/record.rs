//! Records: what stands in a window after its header.
//!
//! A record opens with a varint `v`. Even: a plain span of path `v / 2`:
//!
//! | field | varint                                                        |
//! |-------|---------------------------------------------------------------|
//! | end   | ticks since `last`, the end of the previous plain span        |
//! | time  | duration in ticks                                             |
//!
//! Odd: kind `v / 2`, then the payload's length, then the payload. Unknown kinds are
//! skipped by their length. `Δ` is a zigzag difference to `last`, which only plain
//! spans move; it starts at the window's anchor.
//!
//! | kind | name         | payload                                                  |
//! |------|--------------|----------------------------------------------------------|
//! | 1    | path         | number, parent, UTF-8 name to the end                    |
//! | 2    | track        | the track of the records that follow                     |
//! | 3    | unusual span | flags, path, Δ end, duration, then a varint per flag that carries one: process ns, thread ns, wall ticks; memory carries two: zigzag net bytes, peak bytes; FLOP and bytes carry two: the upper and the lower 64 bits |
//! | 4    | mark         | path, Δ time                                             |
//! | 5    | metric       | path, Δ time, 8 bytes of IEEE 754                        |
//! | 6    | anchor       | four 8-byte clocks ([`crate::Anchor`])                   |
//! | 7    | track name   | track, kind (0 thread, 1 task), system thread id, UTF-8 name |
//! | 8    | sample       | Δ time, resident memory in bytes; private bytes of it, bytes of address space set aside for these. Without the last two in older files |
//! | 9    | note         | UTF-8 code, a zero byte, UTF-8 message                   |
//! | 10   | memory       | Δ time, zigzag bytes of the process, their peak          |
//! | 11   | operations   | stretch, path, calls: counted, of them zero, uncounted; ten costs of two varints each: the upper and the lower 64 bits; UTF-8 device, a zero byte, UTF-8 type to the end |
//! | 12   | ran          | Δ time, stretch                                          |
//! | 13   | delay        | Δ time, system thread id, ns that it was ready and others ran, since it began |
//! | 14   | processors   | Δ time, since the boot and over all processors: ns busy, ns that the host of a virtual machine took |
//! | 15   | module       | path, modules that it is inside of, UTF-8 class to the end |
//! | 16   | function     | number, UTF-8 name, a zero byte, UTF-8 file to the end   |
//! | 17   | frame        | number, frame that called it (0: none), function, line   |
//! | 18   | stack        | Δ time, system thread id, frame (0: could not be read), state (bit 0 running, bit 1 holds the interpreter lock, bit 2 changed no context since it was looked at before, bit 3 others of its event loop were ready to run), ns by which the time may be off, ns that it stands for; who ran (0 unknown, 1 the thread itself, 2 a task), and of a task its track (0: it never had a lap) and path (0: no lap). Without the last three in older files |
//! | 19   | called function | number, first line (0: not Python), UTF-8 name, a zero byte, UTF-8 file to the end |
//! | 20   | calls        | path (0: no lap), system thread id, caller (0: unknown), function, calls, of them primitive, ticks in itself, ticks of primitive calls, calls primitive among the caller's, their ticks; since the record before |
//! | 21   | operator name | number, UTF-8 name to the end                           |
//! | 22   | operator     | Δ time, system thread id (0: unknown), name, ns in itself, ns with what it called |
//! | 23   | device work  | Δ time, ns, name, kind (0 kernel, 1 copy, 2 fill), device, stream, of the operator that launched it its Δ time and system thread id (0: unknown) |
//! | 24   | device span  | path, Δ start, duration, device, stream, what it is: bit 0 the device told its time, bit 1 launch bound, bit 2 placed, bit 3 goes on with one before; without bit 0 why (1 captured, 2 too many pending, 3 other context, 4 failed, 5 still running, 6 gone), else device ns; placed: ns from the start on the host to that on the device, and from end to end at least and at most |
//! | 25   | device sample | Δ time, device, a bit for each number that it told, then these in order of their bits: 0 utilization and 1 that of its memory in percent, 2 bytes of its memory in use and 3 of them by this process, 4 mW, 5 mJ so far, 6 clock and 7 that of its memory in MHz, 8 °C, 9 what limits the clock (bits, as NVIDIA numbers them) |
//! | 26   | device name  | device, UTF-8 UUID, a zero byte, UTF-8 name to the end   |
//! | 27   | device lacks | device, bit of the number that it does not tell, UTF-8 reason to the end |
//! | 28   | device memory | path, Δ start, device, zigzag bytes allocated at the end less those at the start, peak over those at the start at least and at most, zigzag bytes reserved at the end less those at the start, most that were reserved plus 1 (0: not known) |
//! | 29   | input sizes  | Δ time, number of the tensor among those that a call is given, what it holds (0 unknown, 1 floating point, 2 integers), then its sizes to the end |

mod device;

pub use device::{DEVICE_SPAN_MAX, encode_device_span};

use super::varint::{self, push, push_all, zigzag};
use crate::anchor::Anchor;
use crate::calls::{CalledFunction, FunctionCalls};
use crate::device_memory::DeviceMemorySpan;
use crate::device_sample::DeviceSample;
use crate::device_span::DeviceSpan;
use crate::input_sizes::InputSizes;
use crate::memory::{PrivateMemory, ProcessMemory};
use crate::operations::StretchOperations;
use crate::operators::{DeviceWork, Operator};
use crate::path::PathId;
use crate::span::{Span, SpanFlags};
use crate::stack::{Runner, SampledStack, StackFrame};

/// Of no record.
const UNKNOWN: u64 = 0;
pub(super) const PATH: u64 = 1;
pub(super) const TRACK: u64 = 2;
pub(super) const UNUSUAL_SPAN: u64 = 3;
pub(super) const MARK: u64 = 4;
pub(super) const METRIC: u64 = 5;
pub(super) const ANCHOR: u64 = 6;
pub(super) const TRACK_NAME: u64 = 7;
pub(super) const SAMPLE: u64 = 8;
pub(super) const NOTE: u64 = 9;
pub(super) const MEMORY: u64 = 10;
pub(super) const OPERATIONS: u64 = 11;
pub(super) const RAN: u64 = 12;
pub(super) const DELAY: u64 = 13;
pub(super) const PROCESSORS: u64 = 14;
pub(super) const MODULE: u64 = 15;
pub(super) const FUNCTION: u64 = 16;
pub(super) const FRAME: u64 = 17;
pub(super) const STACK: u64 = 18;
pub(super) const CALLED_FUNCTION: u64 = 19;
pub(super) const CALLS: u64 = 20;
pub(super) const OPERATOR_NAME: u64 = 21;
pub(super) const OPERATOR: u64 = 22;
pub(super) const DEVICE_WORK: u64 = 23;
pub(super) const DEVICE_SPAN: u64 = 24;
pub(super) const DEVICE_SAMPLE: u64 = 25;
pub(super) const DEVICE_NAME: u64 = 26;
pub(super) const DEVICE_LACKS: u64 = 27;
pub(super) const DEVICE_MEMORY: u64 = 28;
pub(super) const INPUT_SIZES: u64 = 29;

/// What a device told of a span.
pub(super) const TOLD: u64 = 1;
pub(super) const LAUNCH_BOUND: u64 = 1 << 1;
pub(super) const PLACED: u64 = 1 << 2;
pub(super) const GOES_ON: u64 = 1 << 3;

/// Who ran when a stack was sampled.
const UNKNOWN_RUNNER: u64 = 0;
pub(super) const THREAD: u64 = 1;
pub(super) const TASK: u64 = 2;

/// Room for an unusual span with most of what it may carry.
const MOST_OF_SPAN: usize = 64;

/// One decoded record. Times are in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Record<'a> {
    /// A finished span.
    Span(Span),
    /// Defines a path before its first use in the window.
    Path {
        /// The path's number.
        id: PathId,
        /// The enclosing path.
        parent: PathId,
        /// The path's own name.
        name: &'a str,
    },
    /// A named instant.
    Mark {
        /// The mark's name, under the path that was open.
        path: PathId,
        /// When.
        ticks: u64,
        /// Thread or task.
        track: u32,
    },
    /// A named number at an instant.
    Metric {
        /// The metric's name, under the path that was open.
        path: PathId,
        /// When.
        ticks: u64,
        /// The number; any IEEE 754 value.
        value: f64,
        /// Thread or task.
        track: u32,
    },
    /// All clocks, read together.
    Anchor(Anchor),
    /// Names a thread or task.
    TrackName {
        /// The track's number in this process.
        track: u32,
        /// Whether it is a task.
        is_task: bool,
        /// The system's thread id.
        thread: u64,
        /// The track's name.
        name: &'a str,
    },
    /// Resident memory of the process.
    Sample {
        /// When.
        ticks: u64,
        /// Bytes resident.
        resident_bytes: u64,
        /// The part of it that the process allocated; `None` in older files.
        private: Option<PrivateMemory>,
    },
    /// The sizes of a tensor that the program's outermost module is given from now on.
    InputSizes(InputSizes),
    /// Memory that the process allocated and has not freed, since counting began.
    Memory {
        /// When.
        ticks: u64,
        /// How much.
        memory: ProcessMemory,
    },
    /// What a stretch of the program does at one path each time it runs; a later one of the same
    /// stretch and path takes its place.
    Operations(StretchOperations<'a>),
    /// A stretch ran, whose operations are known.
    Ran {
        /// When it began.
        ticks: u64,
        /// Which.
        stretch: u32,
    },
    /// How long a thread was ready to run and others ran, since it began.
    Delay {
        /// When.
        ticks: u64,
        /// The system's thread id.
        thread: u64,
        /// Nanoseconds so far.
        delayed_ns: u64,
    },
    /// What the machine's processors did since the boot, summed over all of them.
    Processors {
        /// When.
        ticks: u64,
        /// Time in which the processors ran something.
        busy_ns: u64,
        /// Time in which they had something to run, and the host of this virtual machine ran
        /// something else.
        stolen_ns: u64,
    },
    /// A path is that of a neural network's module.
    Module {
        /// The path, which ends in the module's name.
        path: PathId,
        /// How many modules it is inside of.
        depth: u32,
        /// Name of the module's class.
        class: &'a str,
    },
    /// Names a function before its first use in the window.
    Function {
        /// The function's number in this process, from 1.
        id: u32,
        /// Its qualified name.
        name: &'a str,
        /// The file that it stands in.
        file: &'a str,
    },
    /// Defines a frame, a function called from another frame, before its first use in the window.
    Frame(StackFrame),
    /// What a thread was doing at one moment.
    Stack(SampledStack),
    /// Names a function whose calls are counted, before its first use in the window.
    CalledFunction(CalledFunction<'a>),
    /// What calls came to since the record before of the same lap, thread, caller and function.
    Calls(FunctionCalls),
    /// Names operators or what runs on a device, before its first use in the window.
    OperatorName {
        /// The name's number in this process, from 1.
        id: u32,
        /// The name.
        name: &'a str,
    },
    /// An operator ran while a profiler was on.
    Operator(Operator),
    /// A kernel or a copy ran on a device while a profiler was on.
    DeviceWork(DeviceWork),
    /// What a device told of a span.
    DeviceSpan(DeviceSpan),
    /// What a device's allocator told of a span.
    DeviceMemory(DeviceMemorySpan),
    /// What a device told of itself at one moment.
    DeviceSample(DeviceSample),
    /// Names a device before its first sample in the window.
    DeviceName {
        /// The device's index.
        device: u32,
        /// Its UUID, as the driver's tools write it.
        uuid: &'a str,
        /// Its name.
        name: &'a str,
    },
    /// A number that a device doesn't tell, or once didn't.
    DeviceLacks {
        /// The device's index.
        device: u32,
        /// The number's code: [`DeviceReading::of`] knows those of this version.
        reading: u64,
        /// Why, a phrase.
        why: &'a str,
    },
    /// Something the recorder wants the reader to know, such as an active device.
    Note {
        /// A stable word.
        code: &'a str,
        /// One sentence.
        message: &'a str,
    },
}

/// State that records are relative to, within one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// End of the last plain span, in ticks.
    pub last: u64,
    /// Track of the records that follow.
    pub track: u32,
}

/// Appends one record; the inverse of [`super::reader::RecordReader`].
///
/// The recorder writes plain spans by itself, on its hot path; everything else, and
/// every span that is not plain, comes through here.
pub fn encode(out: &mut Vec<u8>, cursor: &mut Cursor, record: &Record<'_>) {
    if let Some(track) = track_of(record) {
        switch_track(out, cursor, track);
    }
    if let Record::Span(span) = record
        && span.flags == SpanFlags::NONE
        && span.end() >= cursor.last
    {
        push(out, u64::from(span.path.0) << 1);
        push(out, span.end() - cursor.last);
        push(out, span.duration);
        cursor.last = span.end();
        return;
    }
    with_payload(out, |payload| push_record(payload, cursor, record));
}

/// The track that a record belongs to and doesn't tell by itself.
fn track_of(record: &Record<'_>) -> Option<u32> {
    match record {
        Record::Span(span) => Some(span.track),
        Record::Mark { track, .. } | Record::Metric { track, .. } => Some(*track),
        Record::DeviceSpan(span) => Some(span.track),
        Record::DeviceMemory(span) => Some(span.track),
        Record::InputSizes(input) => Some(input.track),
        _ => None,
    }
}

/// Pushes what a record tells. Returns its kind.
fn push_record(payload: &mut Vec<u8>, cursor: &Cursor, record: &Record<'_>) -> u64 {
    let delta = |ticks: u64| zigzag(ticks.wrapping_sub(cursor.last) as i64);
    match *record {
        Record::Span(span) => {
            push_unusual(payload, &span, delta(span.end()));
            UNUSUAL_SPAN
        }
        Record::Path { id, parent, name } => {
            push_named(payload, &[u64::from(id.0), u64::from(parent.0)], name);
            PATH
        }
        Record::Mark { path, ticks, .. } => {
            push_all(payload, &[u64::from(path.0), delta(ticks)]);
            MARK
        }
        Record::Metric {
            path, ticks, value, ..
        } => {
            push_all(payload, &[u64::from(path.0), delta(ticks)]);
            payload.extend_from_slice(&value.to_le_bytes());
            METRIC
        }
        Record::Anchor(anchor) => {
            payload.extend_from_slice(&anchor.to_bytes());
            ANCHOR
        }
        Record::TrackName {
            track,
            is_task,
            thread,
            name,
        } => {
            let numbers = [u64::from(track), u64::from(is_task), thread];
            push_named(payload, &numbers, name);
            TRACK_NAME
        }
        Record::DeviceSpan(span) => {
            device::push_span(payload, cursor, &span);
            DEVICE_SPAN
        }
        Record::DeviceMemory(span) => {
            device::push_memory(payload, cursor, &span);
            DEVICE_MEMORY
        }
        Record::Operations(operations) => {
            push_operations(payload, &operations);
            OPERATIONS
        }
        Record::Ran { ticks, stretch } => {
            push_all(payload, &[delta(ticks), u64::from(stretch)]);
            RAN
        }
        Record::Module { path, depth, class } => {
            push_named(payload, &[u64::from(path.0), u64::from(depth)], class);
            MODULE
        }
        Record::Note { code, message } => {
            push_pair(payload, code, message);
            NOTE
        }
        _ => push_observed(payload, cursor, record),
    }
}

/// Pushes what the recorder observes by itself, beside the program's own records. Returns its kind.
fn push_observed(payload: &mut Vec<u8>, cursor: &Cursor, record: &Record<'_>) -> u64 {
    let delta = |ticks: u64| zigzag(ticks.wrapping_sub(cursor.last) as i64);
    match *record {
        Record::Sample {
            ticks,
            resident_bytes,
            private,
        } => {
            push_all(payload, &[delta(ticks), resident_bytes]);
            if let Some(private) = private {
                push_all(payload, &[private.resident_bytes, private.reserved_bytes]);
            }
            SAMPLE
        }
        Record::InputSizes(input) => {
            let (tensor, holds) = (u64::from(input.tensor), input.holds as u64);
            push_all(payload, &[delta(input.ticks), tensor, holds]);
            for size in input.sizes.iter() {
                push(payload, u64::from(size));
            }
            INPUT_SIZES
        }
        Record::Memory { ticks, memory } => {
            let bytes = zigzag(memory.bytes);
            let numbers = [delta(ticks), bytes, memory.peak_bytes];
            push_all(payload, &numbers);
            MEMORY
        }
        Record::Delay {
            ticks,
            thread,
            delayed_ns,
        } => {
            push_all(payload, &[delta(ticks), thread, delayed_ns]);
            DELAY
        }
        Record::Processors {
            ticks,
            busy_ns,
            stolen_ns,
        } => {
            push_all(payload, &[delta(ticks), busy_ns, stolen_ns]);
            PROCESSORS
        }
        Record::Function { id, name, file } => {
            push(payload, u64::from(id));
            push_pair(payload, name, file);
            FUNCTION
        }
        Record::Frame(frame) => {
            let numbers = [frame.id, frame.parent, frame.function, frame.line].map(u64::from);
            push_all(payload, &numbers);
            FRAME
        }
        Record::Stack(stack) => {
            let state = u64::from(stack.is_running)
                | u64::from(stack.has_interpreter) << 1
                | u64::from(stack.in_same_turn) << 2
                | u64::from(stack.others_ready) << 3;
            let (at, frame) = (delta(stack.ticks), u64::from(stack.frame));
            let numbers = [at, stack.thread, frame, state, stack.within_ns];
            push_all(payload, &numbers);
            push(payload, stack.stands_for_ns);
            let runner = match stack.runner {
                Runner::Unknown => [UNKNOWN_RUNNER, 0, 0],
                Runner::Thread => [THREAD, 0, 0],
                Runner::Task { track, path } => [TASK, u64::from(track), u64::from(path.0)],
            };
            push_all(payload, &runner);
            STACK
        }
        Record::CalledFunction(function) => {
            push_all(payload, &[u64::from(function.id), u64::from(function.line)]);
            push_pair(payload, function.name, function.file);
            CALLED_FUNCTION
        }
        Record::Calls(calls) => {
            push_calls(payload, &calls);
            CALLS
        }
        Record::OperatorName { id, name } => {
            push_named(payload, &[u64::from(id)], name);
            OPERATOR_NAME
        }
        Record::Operator(operator) => {
            let name = u64::from(operator.name);
            push_all(payload, &[delta(operator.ticks), operator.thread, name]);
            push_all(payload, &[operator.self_ns, operator.total_ns]);
            OPERATOR
        }
        Record::DeviceWork(work) => {
            let name = u64::from(work.name);
            push_all(payload, &[delta(work.ticks), work.duration_ns, name]);
            push_all(payload, &[work.kind as u64, u64::from(work.device)]);
            let (launched, thread) = work.launched;
            push_all(payload, &[work.stream, delta(launched), thread]);
            DEVICE_WORK
        }
        _ => device::push_telemetry(payload, cursor, record),
    }
}

/// Pushes numbers, then a text to the payload's end.
fn push_named(out: &mut Vec<u8>, numbers: &[u64], text: &str) {
    push_all(out, numbers);
    out.extend_from_slice(text.as_bytes());
}

/// Pushes two texts with a zero byte between them.
fn push_pair(out: &mut Vec<u8>, one: &str, other: &str) {
    out.extend_from_slice(one.as_bytes());
    out.push(0);
    out.extend_from_slice(other.as_bytes());
}

fn push_calls(out: &mut Vec<u8>, calls: &FunctionCalls) {
    let (caller, function) = (u64::from(calls.caller), u64::from(calls.function));
    push_all(
        out,
        &[u64::from(calls.path.0), calls.thread, caller, function],
    );
    let sums = &calls.sums;
    push_all(out, &[sums.calls, sums.primitive, sums.own, sums.total]);
    push_all(out, &[sums.primitive_from, sums.total_from]);
}

fn push_operations(out: &mut Vec<u8>, operations: &StretchOperations<'_>) {
    let tally = &operations.tally;
    push(out, u64::from(operations.stretch));
    push(out, u64::from(operations.path.0));
    for calls in [tally.counted, tally.zero, tally.uncounted] {
        push(out, calls);
    }
    for cost in tally.cost.columns() {
        push_wide(out, cost);
    }
    push_pair(out, operations.device, operations.dtype);
}

/// Pushes a span whose end is that far from the cursor.
fn push_unusual(out: &mut Vec<u8>, span: &Span, end: u64) {
    out.reserve(MOST_OF_SPAN);
    push_all(
        out,
        &[span.flags.0, u64::from(span.path.0), end, span.duration],
    );
    push_carried(out, span);
}

/// Pushes what the flags of a span carry, lower flags first.
fn push_carried(out: &mut Vec<u8>, span: &Span) {
    for (flag, number) in [
        (SpanFlags::PROCESS_TIME, span.process_ns),
        (SpanFlags::THREAD_TIME, span.thread_ns),
        (SpanFlags::SUSPENDED, span.wall),
    ] {
        if span.flags.has(flag) {
            push(out, number.unwrap_or(0));
        }
    }
    if span.flags.has(SpanFlags::MEMORY) {
        let memory = span.memory.unwrap_or_default();
        push(out, zigzag(memory.net_bytes));
        push(out, memory.peak_bytes);
    }
    for (flag, amount) in [
        (SpanFlags::FLOP, span.work.flop),
        (SpanFlags::BYTES, span.work.bytes),
    ] {
        if span.flags.has(flag) {
            push_wide(out, amount.unwrap_or(0));
        }
    }
}

/// Pushes an integer of 128 bits as two: the upper half, mostly one byte, and the lower.
fn push_wide(out: &mut Vec<u8>, number: u128) {
    push(out, (number >> 64) as u64);
    push(out, number as u64);
}

fn switch_track(out: &mut Vec<u8>, cursor: &mut Cursor, track: u32) {
    if cursor.track != track {
        with_payload(out, |payload| {
            push(payload, u64::from(track));
            TRACK
        });
        cursor.track = track;
    }
}

/// Pushes a lead of the kind that `push` returns, a length, and the payload that it pushes.
pub(super) fn with_payload(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>) -> u64) {
    let head = out.len();
    // Nearly all leads and lengths are of one byte, so the payload need not be moved.
    out.extend_from_slice(&[0; 2]);
    let kind = push(out);
    let length = (out.len() - head - 2) as u64;
    let mut framed = [0; 2 * varint::MAX_LEN];
    let lead = varint::put(&mut framed, (kind << 1) | 1);
    let both = lead + varint::put(&mut framed[lead..], length);
    if both == 2 {
        out[head..head + 2].copy_from_slice(&framed[..2]);
    } else {
        out.splice(head..head + 2, framed[..both].iter().copied());
    }
}
