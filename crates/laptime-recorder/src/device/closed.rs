//! Spans that closed and are not written yet, as their devices are not there.

use std::collections::BTreeMap;

use laptime_core::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime, Span};

use super::open::Begun;
use super::pairs::{Outcome, Times, Token};
use super::reason::Untimed;
use crate::lock::Lock;

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

/// Whether there are none.
pub fn is_empty() -> bool {
    CLOSED.lock().is_empty()
}

/// A span that was begun closes; [`known`] has it once its device was there.
pub fn end(begun: Begun, span: &Span) {
    close(begun.token, Closed::Waits(as_untimed(begun, span)));
}

/// A span that was begun is taken off the stack. What it is follows by [`give`], or never, by [`drop_held`].
pub fn hold(begun: Begun) -> HeldTime {
    close(begun.token, Closed::Held(begun, None));
    HeldTime(begun.token)
}

/// A span that was taken off the stack is this one: what its device told, or none yet.
pub fn give(held: HeldTime, span: &Span) -> Option<DeviceSpan> {
    let mut closed = CLOSED.lock();
    let Some(Closed::Held(begun, told)) = closed.remove(&held.0) else {
        return None;
    };
    let span = as_untimed(begun, span);
    if told.is_none() {
        closed.insert(held.0, Closed::Waits(span));
    }
    Some(DeviceSpan {
        times: told?,
        ..span
    })
}

/// A span that was taken off the stack is not written.
pub fn drop_held(held: HeldTime) {
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

/// The spans of these outcomes, and the errors among them. What is known of spans that were lost is dropped.
pub fn known(outcomes: Vec<Outcome>) -> (Vec<DeviceSpan>, Vec<String>) {
    let mut closed = CLOSED.lock();
    let (mut known, mut faults) = (Vec::new(), Vec::new());
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
    (known, faults)
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
