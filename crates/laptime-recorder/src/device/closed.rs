//! What spans that closed are told as, once their devices are there: at once what they are, or, of those
//! that were taken off the stack and are written later, a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_core::{DevicePlace, DeviceSpan, DeviceTimes, NoDeviceTime, PathId, Span};

use super::Over;
use super::driver::Driver;
use super::here::Place;
use super::pair::Times;
use super::pairs::Pairs;
use super::reason::Untimed;
use crate::lock::Lock;

/// Spans that are waited for at most, or whose name is; beyond them the older half has no device time.
const MOST: usize = 65_536;

/// Spans that were taken off the stack and are not written.
static HELD: Lock<Spans> = Lock::new(HashMap::with_hasher(BuildHasherDefault::new()));
static NEXT: AtomicU64 = AtomicU64::new(0);

type Spans = HashMap<HeldTime, Held, BuildHasherDefault<OfNumber>>;

/// Numbers in a row, which no program chooses: a multiplication spreads them.
#[derive(Default)]
struct OfNumber(u64);

impl Hasher for OfNumber {
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

/// A span that a device is timed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// It closed, and is this one.
    Span(Closed),
    /// It was taken off the stack.
    Held(HeldTime),
}

/// A span that closed, and where it was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    path: PathId,
    track: u32,
    start: u64,
    duration: u64,
    place: Place,
    continues: bool,
}

impl Closed {
    /// This span, there.
    pub fn new(place: Place, span: &Span) -> Self {
        Self {
            path: span.path,
            track: span.track,
            start: span.start,
            duration: span.duration,
            place,
            continues: !span.flags.is_whole(),
        }
    }

    fn told(&self, times: Told) -> DeviceSpan {
        DeviceSpan {
            path: self.path,
            start: self.start,
            duration: self.duration,
            track: self.track,
            device: self.place.device,
            stream: self.place.stream.0 as u64,
            continues: self.continues,
            times,
        }
    }
}

#[derive(Debug)]
enum Held {
    /// Its device was not there yet; with the span right around it, if that has the same times.
    Waits(Closed, Around),
    /// What the span is isn't known yet; with what the device told, if it did.
    Unnamed(Place, Option<Told>, Around),
}

/// What a device tells of a span.
type Told = Result<DeviceTimes, NoDeviceTime>;

/// A span of the same times that was written already.
type Around = Option<Box<Closed>>;

/// The time on a device of a span that was taken off the stack, and is to be written later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeldTime(u64);

impl HeldTime {
    /// As a number, for a machine that knows nothing of devices.
    pub fn to_raw(self) -> u64 {
        self.0
    }

    /// What [`Self::to_raw`] gave. A number that never was is the time of nothing.
    pub fn from_raw(number: u64) -> Self {
        Self(number)
    }
}

/// The device's part is over of a span that is taken off the stack. What the span is follows by [`give`], or
/// never, by [`drop_held`].
pub fn hold(place: Place, over: Over) -> HeldTime {
    let held = HeldTime(NEXT.fetch_add(1, Relaxed));
    keep(&mut HELD.lock(), held, Held::Unnamed(place, None, None));
    super::closed(Subject::Held(held), over);
    held
}

/// A span that was taken off the stack is this one: what its device told, or none yet.
pub fn give(held: HeldTime, span: &Span) -> Option<DeviceSpan> {
    let mut all = HELD.lock();
    let kept = all.get_mut(&held)?;
    let Held::Unnamed(place, told, around) = kept else {
        return None;
    };
    let span = Closed::new(*place, span);
    let Some(times) = *told else {
        let around = around.take();
        *kept = Held::Waits(span, around);
        return None;
    };
    all.remove(&held);
    Some(span.told(times))
}

/// A span is right around one that was taken off the stack, and has its times. The one inside follows by
/// [`give`].
pub fn give_around(held: HeldTime, span: &Span) -> Option<DeviceSpan> {
    let mut all = HELD.lock();
    let Some(Held::Unnamed(place, told, around)) = all.get_mut(&held) else {
        return None;
    };
    let span = Closed::new(*place, span);
    if told.is_none() {
        *around = Some(Box::new(span));
    }
    Some(span.told((*told)?))
}

/// A span that was taken off the stack is not written.
pub fn drop_held(held: HeldTime) {
    HELD.lock().remove(&held);
}

fn keep(all: &mut Spans, held: HeldTime, span: Held) {
    if all.len() >= MOST {
        let mut numbers: Vec<HeldTime> = all.keys().copied().collect();
        let (_, middle, _) = numbers.select_nth_unstable(MOST / 2);
        all.retain(|held, _| *held >= *middle);
    }
    all.insert(held, span);
}

/// What became known of spans.
#[derive(Debug, Default)]
pub struct Known {
    /// Each with its times, or the kind of reason that it has none.
    pub spans: Vec<DeviceSpan>,
    /// Errors of the driver.
    pub faults: Vec<String>,
}

impl Known {
    /// Whether nothing did.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty() && self.faults.is_empty()
    }

    fn add(&mut self, subject: &Subject, times: Told) {
        match subject {
            Subject::Span(span) => self.spans.push(span.told(times)),
            Subject::Held(held) => self.add_held(*held, times),
        }
    }

    /// What is known of spans that were lost is dropped.
    fn add_held(&mut self, held: HeldTime, times: Told) {
        let mut all = HELD.lock();
        let Entry::Occupied(mut kept) = all.entry(held) else {
            return;
        };
        let (Held::Waits(_, around) | Held::Unnamed(_, _, around)) = kept.get_mut();
        if let Some(around) = around.take() {
            self.spans.push(around.told(times));
        }
        match kept.get_mut() {
            Held::Waits(span, _) => {
                self.spans.push(span.told(times));
                kept.remove();
            }
            Held::Unnamed(_, told, _) => *told = Some(times),
        }
    }
}

/// Takes what was learnt.
pub fn take(pairs: &mut Pairs<impl Driver, Subject>) -> Known {
    let mut known = Known::default();
    known.spans.reserve(pairs.learnt());
    pairs.take(|subject, times| {
        let times = times.as_ref().map(as_told).map_err(|why| {
            if let Untimed::Failed(fault) = why {
                known.faults.push(fault.to_string());
            }
            why.kind()
        });
        known.add(subject, times);
    });
    known
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
    HELD.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub(super) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { HELD.release() };
}

/// In a forked child: what is held is the parent's to write.
pub(super) fn start_over_after_fork() {
    HELD.lock().clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Stream;

    #[test]
    fn beyond_the_bound_the_older_half_is_dropped() {
        let mut all = Spans::default();
        let place = Place {
            device: 0,
            stream: Stream(7),
        };
        for number in 0..=MOST as u64 {
            let held = Held::Unnamed(place, None, None);
            keep(&mut all, HeldTime(number), held);
        }
        assert_eq!(all.len(), MOST / 2 + 1);
        assert!(all.keys().all(|held| held.0 >= MOST as u64 / 2));
    }
}
