//! Records about devices: the times and memory of spans there, and what devices say of themselves.

use super::{
    Cursor, DEVICE_LACKS, DEVICE_NAME, DEVICE_SAMPLE, DEVICE_SPAN, GOES_ON, LAUNCH_BOUND, PLACED,
    Record, TOLD, UNKNOWN, push_named, push_pair,
};
use crate::device_memory::DeviceMemorySpan;
use crate::device_sample::{DeviceReading, DeviceSample};
use crate::device_span::DeviceSpan;
use crate::format::varint::{MAX_LEN, push, push_all, put, zigzag};

/// Pushes what a device said of itself. Returns its kind.
pub(super) fn push_telemetry(payload: &mut Vec<u8>, cursor: &Cursor, record: &Record<'_>) -> u64 {
    match *record {
        Record::DeviceSample(sample) => {
            push_sample(payload, cursor, &sample);
            DEVICE_SAMPLE
        }
        Record::DeviceName { device, uuid, name } => {
            push(payload, u64::from(device));
            push_pair(payload, uuid, name);
            DEVICE_NAME
        }
        Record::DeviceLacks {
            device,
            reading,
            why,
        } => {
            push_named(payload, &[u64::from(device), reading], why);
            DEVICE_LACKS
        }
        // None comes here; readers skip the kind, and the measured program goes on.
        _ => UNKNOWN,
    }
}

pub(super) fn push_memory(out: &mut Vec<u8>, cursor: &Cursor, span: &DeviceMemorySpan) {
    let memory = &span.memory;
    let numbers = [
        u64::from(span.path.0),
        zigzag(span.start.wrapping_sub(cursor.last) as i64),
        u64::from(span.device),
        zigzag(memory.net_bytes),
        memory.peak_least_bytes,
        memory.peak_most_bytes,
        zigzag(memory.reserved_net_bytes),
        memory
            .reserved_peak_bytes
            .map_or(0, |bytes| bytes.saturating_add(1)),
    ];
    push_all(out, &numbers);
}

fn push_sample(out: &mut Vec<u8>, cursor: &Cursor, sample: &DeviceSample) {
    let at = zigzag(sample.ticks.wrapping_sub(cursor.last) as i64);
    let told = DeviceReading::ALL.map(|reading| sample.readings.get(reading));
    let bits = told.iter().enumerate().filter(|(_, value)| value.is_some());
    let bits = bits.fold(0, |bits, (code, _)| bits | 1 << code);
    push_all(out, &[at, u64::from(sample.device), bits]);
    for value in told.into_iter().flatten() {
        push(out, value);
    }
}

/// Longest encoding of a span's time on a device.
///
/// **Units** bytes.
pub const DEVICE_SPAN_MAX: usize = HEAD + SPAN_FIELDS * MAX_LEN;

/// A lead and a length of one byte each, as the kind and the fields are short.
const HEAD: usize = 2;
const SPAN_FIELDS: usize = 10;

/// Encodes the time of a span on a device into its own room, as [`encode`](super::encode) does; the track must be
/// that of the cursor. Returns the bytes used.
#[inline]
pub fn encode_device_span(
    out: &mut [u8; DEVICE_SPAN_MAX],
    cursor: &Cursor,
    span: &DeviceSpan,
) -> usize {
    let length = put_span(&mut out[HEAD..], cursor, span);
    put(&mut out[..1], (DEVICE_SPAN << 1) | 1);
    put(&mut out[1..HEAD], length as u64);
    HEAD + length
}

pub(super) fn push_span(out: &mut Vec<u8>, cursor: &Cursor, span: &DeviceSpan) {
    let mut bytes = [0; SPAN_FIELDS * MAX_LEN];
    let length = put_span(&mut bytes, cursor, span);
    out.extend_from_slice(&bytes[..length]);
}

#[inline]
fn put_span(out: &mut [u8], cursor: &Cursor, span: &DeviceSpan) -> usize {
    let mut end = 0;
    let mut put = |value| end += put(&mut out[end..], value);
    put(u64::from(span.path.0));
    put(zigzag(span.start.wrapping_sub(cursor.last) as i64));
    put(span.duration);
    put(u64::from(span.device));
    put(span.stream);
    let goes_on = if span.continues { GOES_ON } else { 0 };
    match span.times {
        Err(why) => {
            put(goes_on);
            put(why as u64);
        }
        Ok(times) => {
            let launch_bound = if times.launch_bound { LAUNCH_BOUND } else { 0 };
            let placed = if times.place.is_some() { PLACED } else { 0 };
            put(TOLD | launch_bound | placed | goes_on);
            put(times.duration_ns);
            if let Some(place) = times.place {
                put(place.lag_ns);
                put(place.tail_least_ns);
                put(place.tail_most_ns);
            }
        }
    }
    end
}
