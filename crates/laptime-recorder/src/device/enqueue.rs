//! Spans that open and close: their events are recorded on streams, outside of any lock.
//!
//! A stream takes so many calls ahead of its device, a thousand or so; the next one waits. Who waits there
//! with a lock that the device's work needs to go on, such as an interpreter's for a callback, waits for ever.
//! So what may wait is called between two looks at the [`Pairs`], and where the stream is behind others may
//! run meanwhile ([`wishes::wait`]). Where it is idle nothing waits, and nobody's turn is given away.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::driver::{Context, Driver, Event, Stream};
use super::pair::{Anchored, Beside, Pair};
use super::pairs::{NEVER, Pairs};
use super::reason::{Absent, Untimed};
use super::timeline::Newest;
use super::wishes;
use crate::lock::Lock;

/// So soon a stream that was idle isn't so far behind that a call waits: each call takes a microsecond.
const NOT_FULL_NS: u64 = 20_000;

thread_local! {
    /// The stream that the calling thread last saw idle, and when that was.
    static IDLE: Cell<(Context, Stream, u64)> = const { Cell::new(NONE_IDLE) };
}

/// No context has this handle.
const NONE_IDLE: (Context, Stream, u64) = (Context(0), Stream(0), 0);

fn was_idle(context: Context, stream: Stream, now_ns: u64) -> bool {
    let (of, idle, at_ns) = IDLE.get();
    (of, idle) == (context, stream) && now_ns.saturating_sub(at_ns) < NOT_FULL_NS
}

/// A span that is open, whose start was recorded; or why it isn't timed.
#[derive(Debug)]
pub struct Begun<S>(Result<Box<Pair<S>>, Box<Untimed>>);

/// A span whose end was recorded; or why it isn't timed.
#[derive(Debug)]
pub struct Over<S>(Result<Box<Pair<S>>, Box<Untimed>>);

/// A driver, and the pairs that it times of spans that are named by `S`.
#[derive(Debug)]
pub struct Enqueuer<D: 'static, S: 'static> {
    driver: D,
    pairs: Lock<Pairs<D, S>>,
    /// The driver has shut down: it is not called any more.
    is_ended: AtomicBool,
    /// From when on the pairs are to be read.
    due_ns: AtomicU64,
}

impl<D: Driver + Copy, S> Enqueuer<D, S> {
    /// No pair yet.
    pub fn new(driver: D) -> Self {
        Self {
            driver,
            pairs: Lock::new(Pairs::new(driver)),
            is_ended: AtomicBool::new(false),
            due_ns: AtomicU64::new(NEVER),
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
    pub fn with<T>(&self, work: impl FnOnce(&mut Pairs<D, S>) -> T) -> T {
        let mut pairs = self.pairs.lock();
        let told = work(&mut pairs);
        if pairs.is_ended() {
            self.is_ended.store(true, Relaxed);
        }
        told
    }

    /// A span opens, whose work goes to a stream. `now` reads the host's clock.
    pub fn begin(&self, stream: Stream, now: impl Fn() -> u64) -> Begun<S> {
        let begun = self.start(stream, now);
        Begun(begun.map_err(|why| Box::new(self.seen(why))))
    }

    fn start(&self, stream: Stream, now: impl Fn() -> u64) -> Result<Box<Pair<S>>, Untimed> {
        self.runs(stream)?;
        let context = self.driver.context(stream).map_err(Untimed::Failed)?;
        let began_ns = now();
        let (mut pair, taken) = self.with(|pairs| pairs.open(context, stream, began_ns))?;
        pair.events = self.whole(context, stream, taken)?;
        let [start, _] = pair.events;
        let may_wait = self.may_wait(context, stream, began_ns);
        let gave_way = match self.record(&[(start, stream)], may_wait) {
            Ok(gave_way) => gave_way,
            Err(why) => {
                self.with(|pairs| pairs.give_back(context, &pair.events, 0, &why));
                return Err(why);
            }
        };
        if gave_way {
            pair.seen.opened_ns = now();
            // The device may have come to the start long before it is this thread's turn again. Nothing
            // was enqueued since, so an idle stream's start is now.
            if self.runs(stream).is_ok() && self.is_idle(stream) {
                let _ = self.driver.record(start, stream);
            }
        }
        Ok(pair)
    }

    /// The device's part of a span is over: on its own stream, or at the last of all streams that are known.
    pub fn end(&self, Begun(begun): Begun<S>, now: impl Fn() -> u64, all_streams: bool) -> Over<S> {
        Over(begun.and_then(|mut pair| {
            if let Err(why) = self.finish(&mut pair, now(), all_streams) {
                self.with(|pairs| pairs.give_back(pair.context, &pair.events, 0, &why));
                return Err(Box::new(self.seen(why)));
            }
            Ok(pair)
        }))
    }

    /// A span whose device's part is over closed, and is this one.
    pub fn closed(&self, span: S, over: Over<S>) {
        self.with(|pairs| {
            pairs.closed(span, over.0);
            self.due_ns.store(pairs.due_ns(), Relaxed);
        });
    }

    /// Reads the pairs that are complete, if it is time to, as it is where a span is over; `take` takes what is
    /// known.
    pub fn read_if_due<T>(
        &self,
        over: &Over<S>,
        now: impl Fn() -> u64,
        take: impl FnOnce(&mut Pairs<D, S>) -> T,
    ) -> Option<T> {
        let due_ns = self.due_ns.load(Relaxed);
        if due_ns == NEVER {
            return None;
        }
        let over_ns = over.0.as_ref().map(|pair| pair.seen.ended_ns);
        if over_ns.unwrap_or_else(|_| now()) < due_ns {
            return None;
        }
        Some(self.with(|pairs| {
            // What is complete now was so before this moment, which is not the span's end.
            pairs.drain(now());
            let taken = take(pairs);
            self.due_ns.store(pairs.due_ns(), Relaxed);
            taken
        }))
    }

    /// A span will never close: nothing is told of it.
    pub fn forget(&self, Begun(begun): Begun<S>) {
        if let Ok(pair) = begun {
            self.with(|pairs| pairs.forget(pair));
        }
    }

    /// As [`Self::forget`], where the device's part is over.
    pub fn forget_over(&self, Over(over): Over<S>) {
        self.forget(Begun(over));
    }

    /// A driver that has shut down says so in answer to anything.
    fn seen(&self, why: Untimed) -> Untimed {
        self.with(|pairs| pairs.look_at(why))
    }

    fn finish(&self, pair: &mut Pair<S>, now_ns: u64, all_streams: bool) -> Result<(), Untimed> {
        let (driver, context, stream) = (&self.driver, pair.context, pair.stream);
        let [start, end] = pair.events;
        self.runs(stream)?;
        if stream.is_default() && driver.context(stream).map_err(Untimed::Failed)? != context {
            return Err(Untimed::OtherContext);
        }
        let newest = || self.with(|pairs| pairs.newest(context, stream));
        let good = |newest: Newest| newest.good_at(now_ns);
        let anchor = pair.newest.and_then(good);
        let anchor = anchor.or_else(|| newest().and_then(good));
        let new = match anchor {
            Some(_) => None,
            // Without one the span has no place.
            None => self.events(context, stream, now_ns).ok(),
        };
        let new = new.map(|[event]| event);
        // Asked right before the end is recorded, and both at once. Where nothing is left to do, the start is
        // complete too.
        let asked = driver.beside_captures(|| {
            let is_idle = wishes::gives_way() && driver.is_idle(stream) == Ok(true);
            let is_complete = || driver.is_complete(start).map_err(Untimed::Failed);
            Ok((is_idle, is_idle || is_complete()?))
        });
        let (is_idle, launch_bound) = match asked {
            Ok(asked) => asked,
            Err(why) => {
                self.with(|pairs| pairs.give_back(context, new.as_slice(), 0, &why));
                return Err(why);
            }
        };
        if is_idle {
            IDLE.set((context, stream, now_ns));
        }
        let mut beside = Beside::default();
        let recorded = if all_streams {
            self.record_all(pair, new, now_ns, &mut beside)
        } else {
            let may_wait = wishes::gives_way() && !is_idle;
            let recorded = match new {
                Some(new) => self.record(&[(new, stream), (end, stream)], may_wait),
                None => self.record(&[(end, stream)], may_wait),
            };
            recorded.map(drop)
        };
        if let Err(why) = recorded {
            beside.events.extend(new);
            self.with(|pairs| pairs.give_back(context, &beside.events, 0, &why));
            return Err(why);
        }
        pair.seen.ended_ns = now_ns;
        pair.launch_bound = launch_bound;
        pair.anchor = anchor.map(Anchored::Before).or(new.map(Anchored::Now));
        if all_streams {
            pair.beside = Some(Box::new(beside));
        }
        Ok(())
    }

    /// Enqueues the end, and one on each other stream that is known, at once; no stream waits for it. What the
    /// driver refuses is no stream any more.
    fn record_all(
        &self,
        pair: &Pair<S>,
        new: Option<Event>,
        now_ns: u64,
        ended: &mut Beside,
    ) -> Result<(), Untimed> {
        let (context, stream) = (pair.context, pair.stream);
        let own = new.into_iter().chain([pair.events[1]]);
        let own: Vec<(Event, Stream)> = own.map(|event| (event, stream)).collect();
        let mut beside = Vec::new();
        for other in self.with(|pairs| pairs.streams().beside(context, stream)) {
            let [event] = self.events(context, stream, now_ns)?;
            ended.events.push(event);
            beside.push((event, other));
        }
        let mut refused = Vec::new();
        let mut recorded = Ok(());
        let mut record = || {
            recorded = self.runs(stream).and_then(|()| self.record_now(&own));
            if recorded.is_err() {
                return;
            }
            for one in &beside {
                // What is captured runs later.
                let is_captured = self.driver.is_capturing(one.1) == Ok(true);
                if is_captured || self.record_now(&[*one]).is_err() {
                    refused.push((*one, is_captured));
                }
            }
        };
        // None is asked that is captured.
        let is_idle = |other| self.driver.is_capturing(other) == Ok(false) && self.is_idle(other);
        let mut streams = own.iter().chain(&beside).map(|one| one.1);
        if wishes::gives_way() && !streams.all(is_idle) {
            wishes::wait(&mut record);
        } else {
            record();
        }
        for ((event, other), is_captured) in refused {
            ended.events.retain(|known| *known != event);
            self.with(|pairs| pairs.give(context, event));
            if !is_captured {
                ended.refused.push(other);
            }
        }
        recorded
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

    /// Events of a context. The stream runs after that as before.
    fn events<const N: usize>(
        &self,
        context: Context,
        stream: Stream,
        now_ns: u64,
    ) -> Result<[Event; N], Untimed> {
        let taken = self.with(|pairs| pairs.take_events::<N>(context, now_ns))?;
        self.whole(context, stream, taken)
    }

    /// Events that were taken, with those made that don't exist yet.
    fn whole<const N: usize>(
        &self,
        context: Context,
        stream: Stream,
        taken: [Option<Event>; N],
    ) -> Result<[Event; N], Untimed> {
        if taken.iter().all(Option::is_some) {
            return Ok(taken.map(|event| event.unwrap_or(Event(0))));
        }
        let mut made = [const { Err(Untimed::StillRunning) }; N];
        // Others may have filled any stream when it is this thread's turn again.
        IDLE.set(NONE_IDLE);
        wishes::wait(|| {
            made = taken.map(|event| match event {
                Some(event) => Ok(event),
                None => self.made(context),
            });
        });
        let good: Vec<Event> = made.iter().flatten().copied().collect();
        let why = made.into_iter().find_map(Result::err);
        match why.map_or_else(|| self.runs(stream), Err) {
            Ok(()) => Ok(std::array::from_fn(|at| good[at])),
            Err(why) => {
                self.with(|pairs| pairs.give_back(context, &good, N - good.len(), &why));
                Err(why)
            }
        }
    }

    fn made(&self, context: Context) -> Result<Event, Untimed> {
        let driver = &self.driver;
        driver.beside_captures(|| driver.create(context).map_err(Untimed::Failed))
    }

    /// Records events, all on one stream that runs. Where that `may_wait`, others may run meanwhile; whether
    /// they might.
    fn record(&self, events: &[(Event, Stream)], may_wait: bool) -> Result<bool, Untimed> {
        let stream = events[0].1;
        if !may_wait {
            return self.record_now(events).map(|()| false);
        }
        let mut recorded = Ok(());
        // Others may begin to capture it before this thread goes on.
        wishes::wait(|| recorded = self.runs(stream).and_then(|()| self.record_now(events)));
        recorded.map(|()| true)
    }

    fn record_now(&self, events: &[(Event, Stream)]) -> Result<(), Untimed> {
        for (event, stream) in events {
            self.driver
                .record(*event, *stream)
                .map_err(Untimed::Failed)?;
        }
        Ok(())
    }

    /// Whether recording on a stream that runs may wait, and somebody can be let on meanwhile.
    fn may_wait(&self, context: Context, stream: Stream, now_ns: u64) -> bool {
        wishes::gives_way() && !was_idle(context, stream, now_ns) && !self.is_idle(stream)
    }

    /// Whether a stream that isn't captured has nothing to do.
    fn is_idle(&self, stream: Stream) -> bool {
        let driver = &self.driver;
        let is_idle = driver.beside_captures(|| driver.is_idle(stream).map_err(Untimed::Failed));
        is_idle == Ok(true)
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
