//! Spans with their devices' times: from a span that opens to the record that tells its times.
//!
//! The record is written when the device got there, by whichever thread closes a span next. It tells
//! the span's path and its time on the host, as the span itself was written long before.

use std::collections::BTreeMap;
use std::time::Duration;

use laptime_core::format::record::Record;
use laptime_core::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime, Span, Unavailable};

use super::here;
use super::open::Begun;
use super::pairs::{Outcome, Times, Token};
use super::reason::Untimed;
use crate::lock::Lock;
use crate::notes;
use crate::registration;
use crate::thread::Thread;

/// Code of the note that tells an error of the driver.
const FAILED: &str = "device.failed";
/// Code of the note that says why no span has device times.
const UNAVAILABLE: &str = "device.unavailable";

/// How long a report waits for devices that still work on its spans.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Spans that are waited for at most, or whose name is; beyond them the oldest has no device time.
const MOST: usize = 65_536;

/// Spans that closed and are not written, by what they are timed by.
static CLOSED: Lock<BTreeMap<Token, Closed>> = Lock::new(BTreeMap::new());

#[derive(Debug)]
enum Closed {
    /// Its device was not there yet.
    Waits(DeviceSpan),
    /// What the span is isn't known yet; with what the device told, if it did.
    Held(Begun, Option<Result<DeviceTimes, NoDeviceTime>>),
}

/// The time on a device of a span that was taken off the stack, and is to be written later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldTime(Token);

impl HeldTime {
    /// As a number, for a machine that knows nothing of devices.
    pub fn to_raw(self) -> u64 {
        self.0.0
    }

    /// What [`Self::to_raw`] gave. A number that never was is the time of nothing.
    pub fn from_raw(number: u64) -> Self {
        Self(Token(number))
    }
}

/// A span opens. `None` where it isn't timed on a device.
///
/// **Cost** an event is recorded; the span's host time should begin after it.
pub(crate) fn begin() -> Option<Begun> {
    let place = here::here()?;
    let token = super::begin(place.stream)?;
    Some(Begun {
        token,
        device: place.device,
        stream: place.stream,
    })
}

/// A span that was begun closes, and is written with its times once they are known.
pub(crate) fn end(thread: &mut Thread, begun: Begun, span: &Span) {
    close(begun.token, Closed::Waits(as_untimed(begun, span)));
    write(thread, super::take());
}

/// A span that was begun is taken off the stack. What it is follows by [`give`], or never, by [`drop_held`].
pub(crate) fn hold(begun: Begun) -> HeldTime {
    close(begun.token, Closed::Held(begun, None));
    HeldTime(begun.token)
}

/// A span that was taken off the stack is this one.
pub(crate) fn give(thread: &mut Thread, held: HeldTime, span: &Span) {
    let mut closed = CLOSED.lock();
    let Some(Closed::Held(begun, told)) = closed.remove(&held.0) else {
        return;
    };
    let span = as_untimed(begun, span);
    match told {
        Some(times) => {
            drop(closed);
            let record = Record::DeviceSpan(DeviceSpan { times, ..span });
            thread.writer.record(&record);
        }
        None => drop(closed.insert(held.0, Closed::Waits(span))),
    }
}

/// A span that was taken off the stack is not written.
pub(crate) fn drop_held(held: HeldTime) {
    CLOSED.lock().remove(&held.0);
}

fn close(token: Token, span: Closed) {
    let mut closed = CLOSED.lock();
    closed.insert(token, span);
    if closed.len() > MOST {
        closed.pop_first();
    }
    drop(closed);
    super::end(token);
}

fn as_untimed(begun: Begun, span: &Span) -> DeviceSpan {
    DeviceSpan {
        path: span.path,
        start: span.start,
        duration: span.duration,
        track: span.track,
        device: begun.device,
        stream: begun.stream.0 as u64,
        continues: !span.flags.is_whole(),
        times: Err(NoDeviceTime::Unknown),
    }
}

/// Writes what the devices of closed spans tell, for a report; waits for them no longer than told.
pub(crate) fn catch_up(patience: Duration) {
    if CLOSED.lock().is_empty() {
        return;
    }
    super::wait(patience);
    let outcomes = super::take();
    registration::with(|thread| write(thread, outcomes));
}

/// As [`catch_up`], once and for all: what is not done then is told as still running.
pub(crate) fn finish(patience: Duration) {
    if CLOSED.lock().is_empty() {
        return;
    }
    let outcomes = super::flush(patience);
    registration::with(|thread| write(thread, outcomes));
}

/// Says why no span has device times, if they were asked for.
pub(crate) fn explain() {
    if let Some(absent) = super::reason() {
        notes::note(UNAVAILABLE, &Unavailable::from(absent).0);
    }
}

fn write(thread: &mut Thread, outcomes: Vec<Outcome>) {
    if outcomes.is_empty() {
        return;
    }
    let mut faults = Vec::new();
    for span in joined(outcomes, &mut faults) {
        thread.writer.record(&Record::DeviceSpan(span));
    }
    for fault in faults {
        note_fault(thread, &fault);
    }
}

/// The spans of these outcomes. What is known of spans that were lost is dropped.
fn joined(outcomes: Vec<Outcome>, faults: &mut Vec<String>) -> Vec<DeviceSpan> {
    let mut closed = CLOSED.lock();
    let mut known = Vec::new();
    for (token, times) in outcomes {
        let times = times.map(|times| as_told(&times)).map_err(|why| {
            if let Untimed::Failed(fault) = &why {
                faults.push(fault.to_string());
            }
            why.kind()
        });
        match closed.remove(&token) {
            Some(Closed::Waits(span)) => known.push(DeviceSpan { times, ..span }),
            Some(Closed::Held(begun, _)) => {
                closed.insert(token, Closed::Held(begun, Some(times)));
            }
            None => {}
        }
    }
    known
}

fn as_told(times: &Times) -> DeviceTimes {
    let place = times.place.as_ref().ok().map(|place| DevicePlace {
        lag_ns: place.lag_ns,
        tail_least_ns: place.tail.least_ns,
        tail_most_ns: place.tail.most_ns,
    });
    DeviceTimes {
        duration_ns: times.duration_ns,
        launch_bound: times.launch_bound,
        place,
    }
}

/// Tells an error once.
fn note_fault(thread: &mut Thread, fault: &str) {
    if crate::registry::with(|registry| registry.note(FAILED, fault)) {
        thread.writer.record(&Record::Note {
            code: FAILED,
            message: fault,
        });
    }
}

/// Locks over a fork.
pub(super) fn lock_for_fork() {
    CLOSED.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub(super) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { CLOSED.release() };
}

/// In a forked child: what was closed is the parent's to write.
pub(super) fn start_over_after_fork() {
    CLOSED.lock().clear();
}
