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
    /// Its device was not there yet; with the span right around it, if that has the same times.
    Waits(DeviceSpan, Around),
    /// What the span is isn't known yet; with what the device told, if it did.
    Held(Begun, Option<Told>, Around),
}

/// What a device tells of a span.
pub type Told = Result<DeviceTimes, NoDeviceTime>;

/// A span of the same times that was written already.
type Around = Option<Box<DeviceSpan>>;

/// The time on a device of a span that was taken off the stack, and is to be written later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldTime(Token);

impl HeldTime {
    /// That of a span whose device's part is over.
    pub(crate) fn of(begun: Begun) -> Self {
        Self(begun.token)
    }

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

/// The device's part of a span that was begun is over: what it tells, if it does at once, and what is known by
/// now of others. Else what the span is follows by [`give`], or never, by [`drop_held`].
pub fn end(begun: Begun) -> (Option<Told>, Known) {
    let mut known = Known::default();
    let mut own = (begun.token, None);
    super::end_and_take(begun.token, |outcomes| {
        let mut closed = CLOSED.lock();
        look_up(&mut closed, outcomes, Some(&mut own), &mut known);
        if own.1.is_none() {
            keep(&mut closed, begun.token, Closed::Held(begun, None, None));
        }
    });
    (own.1, known)
}

/// As what [`end`] keeps, where the device told at once.
pub(super) fn hold(begun: Begun, told: Told) {
    let held = Closed::Held(begun, Some(told), None);
    keep(&mut CLOSED.lock(), begun.token, held);
}

/// A span that was taken off the stack is this one: what its device told, or none yet.
pub fn give(held: HeldTime, span: &Span) -> Option<DeviceSpan> {
    let mut closed = CLOSED.lock();
    let kept = closed.get_mut(&held.0)?;
    let Closed::Held(begun, told, around) = kept else {
        return None;
    };
    let span = as_untimed(*begun, span);
    let Some(times) = *told else {
        let around = around.take();
        *kept = Closed::Waits(span, around);
        return None;
    };
    closed.remove(&held.0);
    Some(DeviceSpan { times, ..span })
}

/// A span is right around one that was taken off the stack, and has its times. The one inside follows by
/// [`give`].
pub fn give_around(held: HeldTime, span: &Span) -> Option<DeviceSpan> {
    let mut closed = CLOSED.lock();
    let Some(Closed::Held(begun, told, around)) = closed.get_mut(&held.0) else {
        return None;
    };
    let span = as_untimed(*begun, span);
    if told.is_none() {
        *around = Some(Box::new(span));
    }
    Some(DeviceSpan {
        times: (*told)?,
        ..span
    })
}

/// A span that was taken off the stack is not written.
pub fn drop_held(held: HeldTime) {
    CLOSED.lock().remove(&held.0);
}

fn keep(closed: &mut BTreeMap<Token, Closed>, token: Token, span: Closed) {
    closed.insert(token, span);
    if closed.len() > MOST {
        closed.pop_first();
    }
}

pub(super) fn as_untimed(begun: Begun, span: &Span) -> DeviceSpan {
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

/// What became known of spans. Mostly of one: that costs no allocation.
#[derive(Debug, Default)]
pub struct Known {
    first: Option<DeviceSpan>,
    more: Vec<DeviceSpan>,
    /// Errors of the driver.
    pub faults: Vec<String>,
}

impl Known {
    /// Whether nothing did.
    pub fn is_empty(&self) -> bool {
        self.first.is_none() && self.faults.is_empty()
    }

    /// What others became known too.
    pub fn extend(&mut self, other: Self) {
        for span in other.first.into_iter().chain(other.more) {
            self.push(span);
        }
        self.faults.extend(other.faults);
    }

    /// The spans.
    pub fn spans(&self) -> impl Iterator<Item = &DeviceSpan> {
        self.first.iter().chain(&self.more)
    }

    fn push_around(&mut self, around: Around, times: Result<DeviceTimes, NoDeviceTime>) {
        if let Some(span) = around {
            self.push(DeviceSpan { times, ..*span });
        }
    }

    fn push(&mut self, span: DeviceSpan) {
        match self.first {
            None => self.first = Some(span),
            Some(_) => self.more.push(span),
        }
    }
}

/// The spans of these outcomes, and the errors among them. What is known of spans that were lost is dropped.
pub fn known(outcomes: Vec<Outcome>) -> Known {
    let (mut known, mut closed) = (Known::default(), CLOSED.lock());
    look_up(&mut closed, &mut outcomes.into_iter(), None, &mut known);
    known
}

/// Finds the spans of outcomes; `own` isn't kept yet, and takes its own.
fn look_up(
    closed: &mut BTreeMap<Token, Closed>,
    outcomes: &mut dyn Iterator<Item = Outcome>,
    mut own: Option<&mut (Token, Option<Told>)>,
    known: &mut Known,
) {
    for (token, times) in outcomes {
        let times = times.map(|times| as_told(&times)).map_err(|why| {
            if let Untimed::Failed(fault) = &why {
                known.faults.push(fault.to_string());
            }
            why.kind()
        });
        if let Some(own) = own.as_mut().filter(|own| own.0 == token) {
            own.1 = Some(times);
            continue;
        }
        match closed.remove(&token) {
            Some(Closed::Waits(span, around)) => {
                known.push_around(around, times);
                known.push(DeviceSpan { times, ..span });
            }
            Some(Closed::Held(begun, _, around)) => {
                known.push_around(around, times);
                closed.insert(token, Closed::Held(begun, Some(times), None));
            }
            None => {}
        }
    }
}

fn as_told(times: &Times) -> DeviceTimes {
    let place = times.place.as_ref().map(|place| DevicePlace {
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
