//! Spans that open and close: their events are recorded on streams, outside of any lock.
//!
//! A stream takes so many calls ahead of its device, a thousand or so; the next one waits. Who waits there
//! with a lock that the device's work needs to go on, such as an interpreter's for a callback, waits for ever.
//! So what may wait is called between two looks at the [`Pairs`], and where the stream is behind others may
//! run meanwhile ([`wishes::wait`]). Where it is idle nothing waits, and nobody's turn is given away.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::driver::{Context, Driver, Event, Stream};
use super::pairs::{Anchored, Ended, Open, Pairs, Token};
use super::reason::{Absent, Fault, Untimed};
use super::wishes;
use crate::lock::Lock;

/// A driver, and the pairs that it times.
#[derive(Debug)]
pub struct Enqueuer<D: 'static> {
    driver: D,
    pairs: Lock<Pairs<D>>,
    /// The driver has shut down: it is not called any more.
    is_ended: AtomicBool,
}

impl<D: Driver + Copy> Enqueuer<D> {
    /// No pair yet.
    pub fn new(driver: D) -> Self {
        Self {
            driver,
            pairs: Lock::new(Pairs::new(driver)),
            is_ended: AtomicBool::new(false),
        }
    }

    /// The driver.
    pub fn driver(&self) -> &D {
        &self.driver
    }

    /// Whether it has shut down.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Relaxed)
    }

    /// Runs with the pairs, which nobody else sees meanwhile.
    pub fn with<T>(&self, work: impl FnOnce(&mut Pairs<D>) -> T) -> T {
        let mut pairs = self.pairs.lock();
        let told = work(&mut pairs);
        if pairs.is_ended() {
            self.is_ended.store(true, Relaxed);
        }
        told
    }

    /// A span opens, whose work goes to a stream.
    pub fn begin(&self, stream: Stream, now_ns: u64) -> Token {
        let open = self.start(stream, now_ns);
        self.with(|pairs| pairs.opened(open))
    }

    fn start(&self, stream: Stream, now_ns: u64) -> Result<Open, Untimed> {
        self.runs(stream)?;
        let context = self.driver.context(stream).map_err(Untimed::Failed)?;
        let events = self.events(context, now_ns)?;
        if let Err(fault) = self.record(&[events[0]], stream) {
            let why = Untimed::Failed(fault);
            self.with(|pairs| pairs.give_back(context, &events, 0, &why));
            return Err(why);
        }
        Ok(Open {
            context,
            stream,
            events,
            began_ns: now_ns,
        })
    }

    /// The span closes: on its own stream, or at the last of all streams that are known. One that is not
    /// open closes nothing. What becomes known by then is taken by `take`.
    pub fn end(
        &self,
        token: Token,
        now_ns: u64,
        all_streams: bool,
        take: impl FnOnce(&mut Pairs<D>),
    ) {
        let Some(open) = self.with(|pairs| pairs.close(token, now_ns)) else {
            return;
        };
        let (open, ended) = match open {
            Ok((open, anchor)) => {
                let ended = self.finish(&open, anchor, now_ns, all_streams);
                (Some(open), ended)
            }
            Err(why) => (None, Err(why)),
        };
        self.with(|pairs| {
            pairs.closed(token, open, ended);
            pairs.drain(now_ns);
            take(pairs);
        });
    }

    fn finish(
        &self,
        open: &Open,
        anchor: Option<u64>,
        now_ns: u64,
        all_streams: bool,
    ) -> Result<Ended, Untimed> {
        let (driver, context, stream) = (&self.driver, open.context, open.stream);
        let [start, end] = open.events;
        self.runs(stream)?;
        if stream.is_default() && driver.context(stream).map_err(Untimed::Failed)? != context {
            return Err(Untimed::OtherContext);
        }
        let launch_bound =
            driver.beside_captures(|| driver.is_complete(start).map_err(Untimed::Failed))?;
        let new = match anchor {
            Some(_) => None,
            // Without one the span has no place.
            None => self.events(context, now_ns).ok().map(|[event]| event),
        };
        let recorded = match new {
            Some(new) => self.record(&[new, end], stream),
            None => self.record(&[end], stream),
        };
        if let Err(fault) = recorded {
            let why = Untimed::Failed(fault);
            self.with(|pairs| pairs.give_back(context, new.as_slice(), 0, &why));
            return Err(why);
        }
        let mut ended = Ended {
            at_ns: now_ns,
            launch_bound,
            anchor: anchor.map(Anchored::Before).or(new.map(Anchored::Now)),
            others: Vec::new(),
            refused: Vec::new(),
        };
        if all_streams && let Err(why) = self.end_beside(open, &mut ended) {
            ended.others.extend(new);
            self.with(|pairs| pairs.give_back(context, &ended.others, 0, &why));
            return Err(why);
        }
        Ok(ended)
    }

    /// Enqueues an end on each other stream that is known; no stream waits for it. What the driver refuses is
    /// no stream any more.
    fn end_beside(&self, open: &Open, ended: &mut Ended) -> Result<(), Untimed> {
        let context = open.context;
        for other in self.with(|pairs| pairs.streams().beside(context, open.stream)) {
            // What is captured runs later.
            if self.driver.is_capturing(other) == Ok(true) {
                continue;
            }
            let [event] = self.events(context, ended.at_ns)?;
            if self.record(&[event], other).is_ok() {
                ended.others.push(event);
            } else {
                self.with(|pairs| pairs.give(context, event));
                ended.refused.push(other);
            }
        }
        Ok(())
    }

    /// The streams that a span on one waits for, none while that is captured: it, or all that are known.
    pub fn awaited(&self, stream: Stream, all_streams: bool) -> Result<Vec<Stream>, Untimed> {
        match self.runs(stream) {
            Ok(()) => {}
            Err(Untimed::Captured) => return Ok(Vec::new()),
            Err(why) => return Err(why),
        }
        let mut awaited = vec![stream];
        if all_streams {
            let context = self.driver.context(stream).map_err(Untimed::Failed)?;
            let others = self.with(|pairs| pairs.streams().beside(context, stream));
            awaited.extend(others.iter().filter(|other| self.runs(**other).is_ok()));
        }
        Ok(awaited)
    }

    /// A stream is in use that never ends: spans can end there too.
    pub fn see(&self, stream: Stream) {
        if let Ok(context) = self.driver.context(stream) {
            self.with(|pairs| pairs.see(context, stream));
        }
    }

    /// What is enqueued now runs, instead of becoming part of a graph.
    fn runs(&self, stream: Stream) -> Result<(), Untimed> {
        if self.is_ended() {
            return Err(Untimed::Absent(Absent::Ended));
        }
        match self.driver.is_capturing(stream) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Untimed::Captured),
            Err(fault) => Err(Untimed::Failed(fault)),
        }
    }

    /// Events of a context; those that don't exist yet are made.
    fn events<const N: usize>(&self, context: Context, now_ns: u64) -> Result<[Event; N], Untimed> {
        let taken = self.with(|pairs| pairs.take_events::<N>(context, now_ns))?;
        if taken.iter().all(Option::is_some) {
            return Ok(taken.map(|event| event.unwrap_or(Event(0))));
        }
        let mut made = [const { Err(Untimed::StillRunning) }; N];
        wishes::wait(|| {
            made = taken.map(|event| match event {
                Some(event) => Ok(event),
                None => self.made(context),
            });
        });
        let good: Vec<Event> = made.iter().flatten().copied().collect();
        match <[Event; N]>::try_from(good) {
            Ok(events) => Ok(events),
            Err(good) => {
                let why = made.into_iter().find_map(Result::err);
                let why = why.unwrap_or(Untimed::StillRunning);
                self.with(|pairs| pairs.give_back(context, &good, N - good.len(), &why));
                Err(why)
            }
        }
    }

    fn made(&self, context: Context) -> Result<Event, Untimed> {
        let driver = &self.driver;
        driver.beside_captures(|| driver.create(context).map_err(Untimed::Failed))
    }

    /// Records events on a stream. Where it is behind, others may run meanwhile.
    fn record(&self, events: &[Event], stream: Stream) -> Result<(), Fault> {
        let driver = &self.driver;
        let record = || {
            let mut each = events.iter();
            each.try_for_each(|event| driver.record(*event, stream))
        };
        let is_idle = || driver.beside_captures(|| driver.is_idle(stream).map_err(Untimed::Failed));
        if !wishes::gives_way() || is_idle() == Ok(true) {
            return record();
        }
        let mut recorded = Ok(());
        wishes::wait(|| recorded = record());
        recorded
    }

    /// Locks over a fork.
    pub fn lock_for_fork(&'static self) {
        self.pairs.hold();
    }

    /// Undoes [`Self::lock_for_fork`].
    ///
    /// # Safety
    /// The calling thread holds the lock.
    pub unsafe fn unlock_after_fork(&'static self) {
        // SAFETY: the caller's promise.
        unsafe { self.pairs.release() };
    }
}
