//! Where a stream's events lie in time: on a line of the device's, and on the host's clock.
//!
//! A driver tells the time between two events as 32-bit milliseconds: an hour after an anchor, 10 µs
//! would read as 0. So a new anchor is recorded every second, and the line goes from anchor to anchor.
//!
//! The device's clock is tied to the host's by what can't be otherwise: an event completes after the
//! call that recorded it, and before it was seen to be complete. Where the device idles the first of
//! the two is good to some microseconds. Both grow apart with the drift of two clocks.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use super::driver::{Context, Driver, Event};
use super::pool::Pool;
use super::reason::{Fault, Untimed};

/// How old an anchor becomes: distances from it are told to 61 ns.
const ANCHOR_NS: u64 = 1_000_000_000;
/// Distance over which one anchor is placed by another: told to a microsecond. After a longer pause
/// a new line begins.
const LONGEST_NS: u64 = 10_000_000_000;
/// Nanoseconds in which two clocks drift apart by one at most: quartzes keep 50 ppm each.
const DRIFT: i64 = 10_000;

#[derive(Debug)]
struct Anchor {
    event: Event,
    recorded_ns: u64,
    /// Whether the one before is too far away.
    begins: bool,
}

/// What host time is ahead of the line, within bounds.
#[derive(Debug, Clone, Copy)]
struct Offset {
    least: i64,
    most: i64,
}

/// Knows nothing.
const UNKNOWN: Offset = Offset {
    least: i64::MIN / 4,
    most: i64::MAX / 4,
};

/// How far the device was behind when the host ended a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// At least that far.
    pub least_ns: u64,
    /// At most that far.
    pub most_ns: u64,
}

/// When a span ran on the device, on the host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The earliest that it can have started, in nanoseconds of the host's monotonic clock.
    pub started_ns: u64,
    /// From when it was open to that.
    pub lag_ns: u64,
    /// How far the device was behind when the host ended the span.
    pub tail: Tail,
}

/// A span's moments on the host's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// Before its start was recorded.
    pub began_ns: u64,
    /// From when on it was open.
    pub opened_ns: u64,
    /// Before its end was recorded.
    pub ended_ns: u64,
    /// After its end was complete.
    pub complete_ns: u64,
}

/// The line of one stream.
#[derive(Debug)]
pub struct Timeline {
    /// Those in use, in the order of the stream.
    anchors: VecDeque<Anchor>,
    /// Number of the first of `anchors`, of which there is one in a second.
    first: u32,
    /// Where the first of `anchors` lies on the line.
    place_ns: i64,
    offset: Offset,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            anchors: VecDeque::new(),
            first: 0,
            place_ns: 0,
            offset: UNKNOWN,
        }
    }
}

/// The newest anchor of a line.
#[derive(Debug, Clone, Copy)]
pub struct Newest {
    number: u32,
    /// Never 0, so that none takes no room besides.
    recorded_ns: NonZeroU64,
}

impl Newest {
    /// Its number, for what is recorded now; `None` where it is old, and a new one is due.
    pub fn good_at(self, now_ns: u64) -> Option<u32> {
        (now_ns.saturating_sub(self.recorded_ns.get()) < ANCHOR_NS).then_some(self.number)
    }
}

impl Timeline {
    /// The newest anchor, if there is one.
    pub fn newest(&self) -> Option<Newest> {
        self.anchors.back().map(|newest| Newest {
            number: self.last(),
            recorded_ns: NonZeroU64::new(newest.recorded_ns).unwrap_or(NonZeroU64::MIN),
        })
    }

    /// A new anchor was recorded on the stream.
    pub fn add(&mut self, event: Event, recorded_ns: u64) -> u32 {
        let before = self.anchors.back().map(|newest| newest.recorded_ns);
        self.anchors.push_back(Anchor {
            event,
            recorded_ns,
            begins: before.is_none_or(|before| recorded_ns.saturating_sub(before) > LONGEST_NS),
        });
        self.last()
    }

    /// Number of the last of `anchors`.
    fn last(&self) -> u32 {
        self.first + self.anchors.len() as u32 - 1
    }

    /// Where a span lies whose end is complete, as all that was recorded before it on the stream; `None`
    /// where its anchor isn't there. Spans are asked for in the order of their ends.
    pub fn place(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        context: Context,
        anchor: u32,
        (end, duration_ns): (Event, u64),
        seen: Seen,
    ) -> Result<Option<Place>, Fault> {
        let place = self.go_to(driver, pool, context, anchor);
        let Some(anchor) = self.anchors.front() else {
            return Ok(None);
        };
        // Two threads on one stream may have recorded them in the other order.
        let Some(ahead) = driver.elapsed_ms(anchor.event, end)? else {
            return Ok(None);
        };
        let end = place + nanoseconds(ahead);
        let start = end - duration_ns as i64;
        let offset = &mut self.offset;
        for (host, device) in [(seen.began_ns, start), (seen.ended_ns, end)] {
            offset.least = offset.least.max(host as i64 - device);
        }
        offset.most = offset.most.min(seen.complete_ns as i64 - end);
        // A host that lost time between two readings makes them cross by that much.
        offset.most = offset.most.max(offset.least);
        let behind = |offset: i64| (end + offset - seen.ended_ns as i64).max(0) as u64;
        let started_ns = (start + offset.least).max(0) as u64;
        Ok(Some(Place {
            started_ns,
            lag_ns: started_ns.saturating_sub(seen.opened_ns),
            tail: Tail {
                least_ns: behind(offset.least),
                most_ns: behind(offset.most),
            },
        }))
    }

    /// Goes on to an anchor, and gives those before it back.
    fn go_to(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        context: Context,
        anchor: u32,
    ) -> i64 {
        // The newest one stays: a line that was given up and begun anew may not have got to this number.
        while self.first < anchor
            && self.anchors.len() > 1
            && let Some(passed) = self.anchors.pop_front()
        {
            self.first += 1;
            let Some(next) = self.anchors.front() else {
                break;
            };
            let step = driver.elapsed_ms(passed.event, next.event);
            let step = step.map_err(Untimed::Failed);
            match &step {
                Ok(Some(ms)) if !next.begins => {
                    let step = nanoseconds(*ms);
                    self.place_ns += step;
                    self.offset.least -= step / DRIFT;
                    self.offset.most += step / DRIFT;
                }
                // Too far, or an event of a context that is gone: a new line.
                _ => (self.place_ns, self.offset) = (0, UNKNOWN),
            }
            match step {
                Ok(_) => pool.give(context, passed.event),
                Err(why) => pool.give_after(driver, context, &[passed.event], &why),
            }
        }
        self.place_ns
    }

    /// Gives all anchors back: nothing that waits refers to them.
    pub fn clear(&mut self, pool: &mut Pool, context: Context) {
        for anchor in self.anchors.drain(..) {
            pool.give(context, anchor.event);
            self.first += 1;
        }
        (self.place_ns, self.offset) = (0, UNKNOWN);
    }
}

/// The driver's milliseconds as nanoseconds.
pub fn nanoseconds(ms: f32) -> i64 {
    // As `round` does, which is a call on processors of the oldest kind.
    let ns = f64::from(ms) * 1e6;
    (ns + 0.5_f64.copysign(ns)) as i64
}
