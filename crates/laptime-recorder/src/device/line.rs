//! The pairs of one stream that wait for the device, in the order of their ends.
//!
//! A stream does what was enqueued in order: when the pair at the front is not complete, none is. That
//! holds for pairs with ends on other streams too, as the later ones have theirs there as well.

use std::collections::VecDeque;

use super::driver::{Context, Driver, Event, Stream};
use super::pairs::{Beside, Outcome, Times};
use super::pool::Pool;
use super::reason::{Absent, Fault, Untimed};
use super::timeline::{Seen, Timeline, nanoseconds};

/// A pair that was enqueued.
#[derive(Debug)]
pub struct Pending<S> {
    pub span: S,
    /// Which one it is of all that queued.
    pub number: u64,
    /// Start and end.
    pub events: [Event; 2],
    /// What was recorded on other streams, if anything was.
    pub beside: Option<Box<Beside>>,
    /// Host time before the start was recorded.
    pub began_ns: u64,
    /// Host time from which on the span was open.
    pub opened_ns: u64,
    /// Host time before the end was recorded.
    pub ended_ns: u64,
    pub launch_bound: bool,
    /// What its place is told from, if there is one.
    pub anchor: Option<u32>,
}

impl<S> Pending<S> {
    /// All of its events.
    pub fn all(&self) -> impl Iterator<Item = Event> {
        self.events.iter().chain(self.others()).copied()
    }

    fn others(&self) -> &[Event] {
        let beside = self.beside.as_deref();
        beside.map_or(&[], |beside| &beside.events)
    }

    /// The last of its ends, and the milliseconds from its start to there; `None` while the device has not
    /// got to all of them.
    fn last(&self, driver: &impl Driver) -> Result<Option<(Event, f32)>, Fault> {
        let [start, end] = self.events;
        let Some(ms) = driver.elapsed_ms(start, end)? else {
            return Ok(None);
        };
        let mut last = (end, ms);
        for other in self.others() {
            let Some(ms) = driver.elapsed_ms(start, *other)? else {
                return Ok(None);
            };
            // Below zero where that stream had nothing to do.
            if ms > last.1 {
                last = (*other, ms);
            }
        }
        Ok(Some(last))
    }
}

/// The queue of a stream.
#[derive(Debug)]
pub struct Line<S> {
    pub context: Context,
    pub stream: Stream,
    pub waiting: VecDeque<Pending<S>>,
    pub timeline: Timeline,
}

impl<S> Line<S> {
    /// An empty one.
    pub fn new(context: Context, stream: Stream) -> Self {
        Self {
            context,
            stream,
            waiting: VecDeque::new(),
            timeline: Timeline::default(),
        }
    }

    /// Takes out the pairs that are complete and tells of them, or all of them when the driver has shut down.
    pub fn drain(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        now_ns: u64,
        is_ended: bool,
        mut tell: impl FnMut(Outcome<S>),
    ) {
        if is_ended {
            let ended = Untimed::Absent(Absent::Ended);
            for pending in self.waiting.drain(..) {
                tell((pending.span, Err(ended.clone())));
            }
        }
        if self.waiting.is_empty() {
            return;
        }
        let asked = driver.beside_captures(|| {
            while let Some(front) = self.waiting.front() {
                let Some(last) = front.last(driver).transpose() else {
                    break;
                };
                let Some(pending) = self.waiting.pop_front() else {
                    break;
                };
                let times = last
                    .map_err(Untimed::Failed)
                    .and_then(|last| self.times(driver, pool, &pending, last, now_ns));
                match &times {
                    Ok(_) => {
                        pool.give_all(self.context, pending.events);
                        pool.give_all(self.context, pending.others().iter().copied());
                    }
                    Err(why) => {
                        let all = [&pending.events[..], pending.others()].concat();
                        pool.give_after(driver, self.context, &all, why);
                    }
                }
                tell((pending.span, times));
            }
            Ok(())
        });
        // Without the mode exchanged nothing is asked. The first in the queue says why.
        if let Err(why) = asked
            && let Some(pending) = self.waiting.pop_front()
        {
            pool.give_all(self.context, pending.all());
            tell((pending.span, Err(why)));
        }
    }

    fn times(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        pending: &Pending<S>,
        (end, ms): (Event, f32),
        now_ns: u64,
    ) -> Result<Times, Untimed> {
        let duration_ns = u64::try_from(nanoseconds(ms)).ok();
        let duration_ns = duration_ns.filter(|_| ms.is_finite()).ok_or_else(|| {
            Untimed::Failed(Fault {
                call: "cuEventElapsedTime",
                code: 0,
                name: "a time that is none".to_owned(),
            })
        })?;
        let seen = Seen {
            began_ns: pending.began_ns,
            opened_ns: pending.opened_ns,
            ended_ns: pending.ended_ns,
            complete_ns: now_ns,
        };
        let place = pending.anchor.and_then(|anchor| {
            let span = (end, duration_ns);
            let timeline = &mut self.timeline;
            // Without its place a span's duration is as true.
            timeline
                .place(driver, pool, self.context, anchor, span, seen)
                .ok()?
        });
        Ok(Times {
            duration_ns,
            launch_bound: pending.launch_bound,
            place,
        })
    }
}
