//! Records about devices: the times and memory of spans there, and what devices say of themselves.

use super::{
    Cursor, DEVICE_LACKS, DEVICE_NAME, DEVICE_SAMPLE, GOES_ON, LAUNCH_BOUND, PLACED, Record, TOLD,
    UNKNOWN, push_named, push_pair,
};
use crate::device_memory::DeviceMemorySpan;
use crate::device_sample::{DeviceReading, DeviceSample};
use crate::device_span::DeviceSpan;
use crate::format::varint::{push, push_all, zigzag};

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

pub(super) fn push_span(out: &mut Vec<u8>, cursor: &Cursor, span: &DeviceSpan) {
    let start = zigzag(span.start.wrapping_sub(cursor.last) as i64);
    let (path, device) = (u64::from(span.path.0), u64::from(span.device));
    push_all(out, &[path, start, span.duration, device, span.stream]);
    let goes_on = if span.continues { GOES_ON } else { 0 };
    let times = match span.times {
        Ok(times) => times,
        Err(why) => return push_all(out, &[goes_on, why as u64]),
    };
    let launch_bound = if times.launch_bound { LAUNCH_BOUND } else { 0 };
    let told = TOLD | launch_bound | goes_on;
    match times.place {
        None => push_all(out, &[told, times.duration_ns]),
        Some(place) => {
            let (told, lag, ns) = (told | PLACED, place.lag_ns, times.duration_ns);
            push_all(
                out,
                &[told, ns, lag, place.tail_least_ns, place.tail_most_ns],
            );
        }
    }
}
