//! Times of spans on their devices: from a span that opens to the record that tells its times.
//!
//! The record is written when the device got there, by whichever thread closes a span next. It tells
//! the span's path and its time on the host, as the span itself was written long before.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, Span, Unavailable};

use super::{at_exit, waits};
use crate::device::closed::{self, Known};
use crate::device::here::Place;
use crate::device::wishes::{self, Wish};
use crate::device::{self, Absent, Begun, HeldTime, here, host};
use crate::registration;
use crate::registry;
use crate::stack::Position;
use crate::thread::Thread;

/// Code of the note that tells an error of the driver.
pub(crate) const FAILED: &str = "device.failed";
/// Code of the note that says why no span has device times.
const UNAVAILABLE: &str = "device.unavailable";

/// Code of the note that says that spans end at all streams.
pub(super) const STREAMS: &str = "device.streams";
const ALL_STREAMS: &str = "device times of laps end at the last of all streams";
const TOO_MANY: &str =
    "device times of laps end at the last of the first 64 streams: the program used more";

/// When all that was recorded in memory was forgotten, in ticks.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// How long a report waits for devices that still work on its spans.
const PATIENCE: Duration = Duration::from_secs(2);

/// A span opens. `None` where it isn't timed on a device. Never inside of [`Thread::with`]: other threads may
/// run meanwhile.
///
/// **Cost** an event is recorded; the span's host time should begin after it.
pub fn begin() -> Option<(Place, Begun)> {
    if !device::is_on() {
        return None;
    }
    let place = here::here()?;
    waits::wait_on(place.stream);
    let begun = device::begin(place.stream)?;
    at_exit::come_before_the_driver();
    Some((place, begun))
}

/// The device's part ends of a span that is about to close, and of those that close with it. Writes what
/// became known of others. Never inside of [`Thread::with`]: other threads may run meanwhile.
#[inline]
pub fn end(position: Position) {
    let mut inside = Vec::new();
    let own = Thread::with(|thread| thread.stack().end_on_devices(position, &mut inside));
    for one in inside {
        end_one(one);
    }
    if let Some(own) = own.flatten() {
        end_one(own);
    }
}

#[inline]
fn end_one((start, begun): (u64, Begun)) {
    let over = device::end(begun, host::now_ns, |known| {
        Thread::with(|thread| write(thread, &known));
    });
    Thread::with(|thread| {
        let on_devices = &mut thread.stack().on_devices;
        match over {
            Some(over) => on_devices.over(start, over),
            None => on_devices.forget(start),
        }
    });
}

/// A span that was taken off the stack is this one.
pub fn give(thread: &mut Thread, held: HeldTime, span: &Span) {
    write_one(thread, closed::give(held, span));
}

/// A span is right around one that was taken off the stack, and has its times.
pub fn give_around(thread: &mut Thread, held: HeldTime, span: &Span) {
    write_one(thread, closed::give_around(held, span));
}

fn write_one(thread: &mut Thread, span: Option<DeviceSpan>) {
    if let Some(span) = span {
        at_exit::count(&span);
        thread.writer.device_span(&span);
    }
}

/// Writes what the devices of closed spans tell, for a report; waits for them, but not for long.
pub fn catch_up() {
    if !device::is_idle() {
        wishes::wait(|| device::wait(PATIENCE));
        let known = device::take();
        registration::with(|thread| {
            write(thread, &known);
            tell_streams(|record| thread.writer.record(record));
        });
    }
}

/// The last of what the devices of closed spans tell, written by `write`: what is not done by then is told
/// as still running. Says why no span has device times, if they were asked for.
///
/// The calling thread's own window may be gone by then.
pub fn finish(mut write: impl FnMut(&Record<'_>)) {
    if !device::is_idle() {
        tell(&last_known(), &mut write);
    }
    tell_streams(&mut write);
    at_exit::tell_gone(&mut write);
    // A driver that shut down had been there: the spans that it took along are told by themselves.
    if let Some(absent) = device::reason().filter(|absent| *absent != Absent::Ended) {
        note(UNAVAILABLE, &Unavailable::from(absent).0, &mut write);
    }
}

/// Waits for the devices of closed spans, but not for long.
pub(super) fn wait() {
    device::wait(at_exit::patience(PATIENCE));
}

/// What the devices of closed spans tell. They are waited for; those that are not done then still run.
pub(super) fn last_known() -> Known {
    device::flush(at_exit::patience(PATIENCE))
}

/// What was recorded in memory up to this moment was forgotten, and so are the laps that closed before and whose
/// devices are not there yet.
pub fn forget_before(ticks: u64) {
    FORGOTTEN.store(ticks, Relaxed);
}

/// Whether a span closed before all was forgotten. A recording on disk keeps it.
fn is_forgotten(span: &DeviceSpan) -> bool {
    span.start.saturating_add(span.duration) < FORGOTTEN.load(Relaxed)
        && !registry::with(|registry| registry.disk.is_some())
}

/// Writes what became known to the calling thread's own window.
pub(super) fn write(thread: &mut Thread, known: &Known) {
    for span in known.spans.iter().filter(|span| !is_forgotten(span)) {
        at_exit::count(span);
        thread.writer.device_span(span);
    }
    tell_faults(known, |record| thread.writer.record(record));
}

/// Tells what became known.
pub(super) fn tell(known: &Known, mut write: impl FnMut(&Record<'_>)) {
    for span in &known.spans {
        at_exit::count(span);
        write(&Record::DeviceSpan(*span));
    }
    tell_faults(known, write);
}

fn tell_faults(known: &Known, mut write: impl FnMut(&Record<'_>)) {
    for fault in &known.faults {
        note(FAILED, fault, &mut write);
    }
}

/// Says so where spans end at all streams.
fn tell_streams(write: impl FnMut(&Record<'_>)) {
    if wishes::is_held(Wish::AllStreams) && device::is_timing() {
        let said = if device::has_too_many_streams() {
            TOO_MANY
        } else {
            ALL_STREAMS
        };
        note(STREAMS, said, write);
    }
}

/// Tells something once.
pub(super) fn note(code: &str, message: &str, mut write: impl FnMut(&Record<'_>)) {
    if registry::with(|registry| registry.note(code, message)) {
        write(&Record::Note { code, message });
    }
}
