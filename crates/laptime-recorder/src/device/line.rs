//! The pairs of one stream that wait for the device, in the order of their ends.
//!
//! A stream does what was enqueued in order: when the pair at the front is not complete, none is. That
//! holds for pairs with ends on other streams too, as the later ones have theirs there as well.

use std::collections::VecDeque;

use super::driver::{Context, Driver, Event, Stream};
use super::pairs::{Outcome, Times, Token};
use super::pool::Pool;
use super::reason::{Absent, Fault, Untimed};
use super::timeline::{Seen, Timeline, nanoseconds};

/// A pair that was enqueued.
#[derive(Debug)]
pub struct Pending {
    pub token: Token,
    /// Start and end.
    pub events: [Event; 2],
    /// Ends on other streams.
    pub others: Vec<Event>,
    /// Host time before the start was recorded.
    pub began_ns: u64,
    /// Host time before the end was recorded.
    pub ended_ns: u64,
    pub launch_bound: bool,
    /// What its place is told from.
    pub anchor: Result<u64, Untimed>,
}

impl Pending {
    /// All of its events.
    pub fn all(&self) -> impl Iterator<Item = Event> {
        self.events.iter().chain(&self.others).copied()
    }

    /// Whether the device got to all of its ends.
    fn is_complete(&self, driver: &impl Driver) -> Result<bool, Fault> {
        for event in self.events[1..].iter().chain(&self.others) {
            if !driver.is_complete(*event)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The last of its ends, and the milliseconds from its start to there.
    fn last(&self, driver: &impl Driver) -> Result<(Event, f32), Fault> {
        let [start, end] = self.events;
        let mut last = (end, driver.elapsed_ms(start, end)?);
        for other in &self.others {
            // Below zero where that stream had nothing to do.
            let ms = driver.elapsed_ms(start, *other)?;
            if ms > last.1 {
                last = (*other, ms);
            }
        }
        Ok(last)
    }
}

/// The queue of a stream.
#[derive(Debug)]
pub struct Line {
    pub context: Context,
    pub stream: Stream,
    pub waiting: VecDeque<Pending>,
    pub timeline: Timeline,
}

impl Line {
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
        mut tell: impl FnMut(Outcome),
    ) {
        if is_ended {
            let ended = Untimed::Absent(Absent::Ended);
            for pending in self.waiting.drain(..) {
                tell((pending.token, Err(ended.clone())));
            }
        }
        if self.waiting.is_empty() {
            return;
        }
        let asked = driver.beside_captures(|| {
            while let Some(front) = self.waiting.front() {
                let is_complete = front.is_complete(driver);
                if is_complete == Ok(false) {
                    break;
                }
                let Some(pending) = self.waiting.pop_front() else {
                    break;
                };
                let times = match is_complete {
                    Ok(_) => self.times(driver, pool, &pending, now_ns),
                    Err(fault) => Err(Untimed::Failed(fault)),
                };
                match &times {
                    Ok(_) => pool.give_all(self.context, pending.all()),
                    Err(why) => {
                        let all: Vec<Event> = pending.all().collect();
                        pool.give_after(driver, self.context, &all, why);
                    }
                }
                tell((pending.token, times));
            }
            Ok(())
        });
        // Without the mode exchanged nothing is asked. The first in the queue says why.
        if let Err(why) = asked
            && let Some(pending) = self.waiting.pop_front()
        {
            pool.give_all(self.context, pending.all());
            tell((pending.token, Err(why)));
        }
    }

    fn times(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        pending: &Pending,
        now_ns: u64,
    ) -> Result<Times, Untimed> {
        let (end, ms) = pending.last(driver).map_err(Untimed::Failed)?;
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
            ended_ns: pending.ended_ns,
            complete_ns: now_ns,
        };
        let place = pending.anchor.clone().and_then(|anchor| {
            let span = (end, duration_ns);
            self.timeline
                .place(driver, pool, self.context, anchor, span, seen)
                .map_err(Untimed::Failed)
        });
        Ok(Times {
            duration_ns,
            launch_bound: pending.launch_bound,
            place,
        })
    }
}
