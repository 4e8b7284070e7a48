//! Spans that closed and are not written yet, as their devices are not there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use laptime_core::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime, Span};

use super::open::Begun;
use super::pairs::{Outcome, Times, Token};
use super::reason::Untimed;
use crate::lock::Lock;

/// Spans that are waited for at most, or whose name is; beyond them the older half has no device time.
const MOST: usize = 65_536;

/// Spans that closed and are not written.
static CLOSED: Lock<Spans> = Lock::new(HashMap::with_hasher(BuildHasherDefault::new()));

/// Spans by what they are timed by.
type Spans = HashMap<Token, Closed, BuildHasherDefault<OfToken>>;

/// Tokens are numbers in a row, which no program chooses: a multiplication spreads them.
#[derive(Default)]
struct OfToken(u64);

impl Hasher for OfToken {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[derive(Debug)]
enum Closed {
    /// Its device was not there yet; with the span right around it, if that has the same times.
    Waits(DeviceSpan, Around),
    /// What the span is isn't known yet; with what the device told, if it did.
    Held(Begun, Option<Told>, Around),
}

/// What a device tells of a span.
type Told = Result<DeviceTimes, NoDeviceTime>;

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

/// The device's part of a span that was begun is over. What is known by now of others. What the span is
/// follows by [`give`], or never, by [`drop_held`].
pub fn end(begun: Begun) -> Known {
    let mut known = Known::default();
    super::end_and_take(begun.token, |outcomes| {
        let mut closed = CLOSED.lock();
        keep(&mut closed, begun.token, Closed::Held(begun, None, None));
        look_up(&mut closed, outcomes, &mut known);
    });
    known
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

fn keep(closed: &mut Spans, token: Token, span: Closed) {
    if closed.len() >= MOST {
        let mut tokens: Vec<Token> = closed.keys().copied().collect();
        let (_, middle, _) = tokens.select_nth_unstable(MOST / 2);
        closed.retain(|token, _| *token >= *middle);
    }
    closed.insert(token, span);
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

/// What became known of spans.
#[derive(Debug, Default)]
pub struct Known {
    pub spans: Vec<DeviceSpan>,
    /// Errors of the driver.
    pub faults: Vec<String>,
}

impl Known {
    /// Whether nothing did.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty() && self.faults.is_empty()
    }

    fn push(&mut self, times: Told, span: DeviceSpan, around: Around) {
        if let Some(around) = around {
            self.spans.push(DeviceSpan { times, ..*around });
        }
        self.spans.push(DeviceSpan { times, ..span });
    }
}

/// The spans of these outcomes, and the errors among them. What is known of spans that were lost is dropped.
pub fn known(outcomes: Vec<Outcome>) -> Known {
    let (mut known, mut closed) = (Known::default(), CLOSED.lock());
    look_up(&mut closed, outcomes.into_iter(), &mut known);
    known
}

/// Finds the spans of outcomes.
fn look_up(
    closed: &mut Spans,
    outcomes: impl ExactSizeIterator<Item = Outcome>,
    known: &mut Known,
) {
    known.spans.reserve(outcomes.len());
    for (token, times) in outcomes {
        let times = times.map(|times| as_told(&times)).map_err(|why| {
            if let Untimed::Failed(fault) = &why {
                known.faults.push(fault.to_string());
            }
            why.kind()
        });
        let Entry::Occupied(mut kept) = closed.entry(token) else {
            continue;
        };
        match kept.get_mut() {
            Closed::Waits(span, around) => {
                known.push(times, *span, around.take());
                kept.remove();
            }
            Closed::Held(_, told, around) => {
                if let Some(around) = around.take() {
                    known.spans.push(DeviceSpan { times, ..*around });
                }
                *told = Some(times);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Stream;

    #[test]
    fn beyond_the_bound_the_older_half_is_dropped() {
        let mut closed = Spans::default();
        for number in 0..=MOST as u64 {
            let begun = Begun {
                token: Token(number),
                device: 0,
                stream: Stream(7),
            };
            keep(&mut closed, begun.token, Closed::Held(begun, None, None));
        }
        assert_eq!(closed.len(), MOST / 2 + 1);
        assert!(closed.keys().all(|token| token.0 >= MOST as u64 / 2));
    }
}
