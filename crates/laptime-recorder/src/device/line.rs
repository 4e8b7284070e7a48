//! The pairs of one stream that wait for the device, in the order of their ends.
//!
//! A stream does what was enqueued in order: when the pair at the front is not complete, none is. That
//! holds for pairs with ends on other streams too, as the later ones have theirs there as well.

use std::collections::VecDeque;

use super::driver::{Context, Driver, Event, Stream};
use super::pair::{Anchored, Pair, Times};
use super::pool::Pool;
use super::reason::{Absent, Fault, Untimed};
use super::timeline::{Timeline, nanoseconds};

/// The last of a pair's ends, and the milliseconds from its start to there; `None` while the device has not got to
/// all of them.
fn last_end<S>(pair: &Pair<S>, driver: &impl Driver) -> Result<Option<(Event, f32)>, Fault> {
    let [start, end] = pair.events;
    let Some(ms) = driver.elapsed_ms(start, end)? else {
        return Ok(None);
    };
    let mut last = (end, ms);
    for other in pair.others() {
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

/// The queue of a stream.
#[derive(Debug)]
pub struct Line<S> {
    pub context: Context,
    pub stream: Stream,
    pub waiting: VecDeque<Box<Pair<S>>>,
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
        mut tell: impl FnMut(Box<Pair<S>>),
    ) {
        if is_ended {
            let ended = Untimed::Absent(Absent::Ended);
            for mut pair in self.waiting.drain(..) {
                pair.times = Err(ended.clone());
                tell(pair);
            }
        }
        if self.waiting.is_empty() {
            return;
        }
        let asked = driver.beside_captures(|| {
            while let Some(front) = self.waiting.front() {
                let Some(last) = last_end(front, driver).transpose() else {
                    break;
                };
                let Some(mut pair) = self.waiting.pop_front() else {
                    break;
                };
                pair.seen.complete_ns = now_ns;
                pair.times = last
                    .map_err(Untimed::Failed)
                    .and_then(|last| self.times(driver, pool, &pair, last));
                match &pair.times {
                    Ok(_) => pool.give_all(self.context, pair.all()),
                    Err(why) => {
                        let all: Vec<Event> = pair.all().collect();
                        pool.give_after(driver, self.context, &all, why);
                    }
                }
                tell(pair);
            }
            Ok(())
        });
        // Without the mode exchanged nothing is asked. The first in the queue says why.
        if let Err(why) = asked
            && let Some(mut pair) = self.waiting.pop_front()
        {
            pool.give_all(self.context, pair.all());
            pair.times = Err(why);
            tell(pair);
        }
    }

    fn times(
        &mut self,
        driver: &impl Driver,
        pool: &mut Pool,
        pair: &Pair<S>,
        (end, ms): (Event, f32),
    ) -> Result<Times, Untimed> {
        let duration_ns = u64::try_from(nanoseconds(ms)).ok();
        let duration_ns = duration_ns.filter(|_| ms.is_finite()).ok_or_else(|| {
            Untimed::Failed(Fault {
                call: "cuEventElapsedTime",
                code: 0,
                name: "a time that is none".to_owned(),
            })
        })?;
        let place = pair.anchor.and_then(|anchor| {
            let Anchored::Before(anchor) = anchor else {
                return None;
            };
            let span = (end, duration_ns);
            let timeline = &mut self.timeline;
            // Without its place a span's duration is as true.
            timeline
                .place(driver, pool, self.context, anchor, span, pair.seen)
                .ok()?
        });
        Ok(Times {
            duration_ns,
            launch_bound: pair.launch_bound,
            place,
        })
    }
}
