//! The pairs of events of spans: recorded when these open and close, read when the device got there.
//!
//! This is what is known of all of them; [`super::enqueue`] records the events. Pairs queue in the order of their
//! ends, a queue per stream, and [`Pairs::drain`] reads those at the front that are complete. What it learns
//! goes to [`Pairs::take`]: times, or why there are none. Nothing here waits, so that a lock around it is
//! never held for long: of the driver only questions are asked. Time comes in from outside, as numbers.

use std::collections::VecDeque;

use super::driver::{Context, Driver, Event, Stream};
use super::line::Line;
use super::pair::{Anchored, Pair, Times};
use super::pool::{self, Pool};
use super::reason::{Absent, Untimed};
use super::streams::Streams;
use super::timeline::Newest;

/// Most pairs that are kept for whoever takes what is known of them; of more, the oldest are lost, and counted.
const MOST_LEARNT: usize = 65_536;
/// Most pairs that are kept to be used again.
const MOST_SPARE: usize = 256;
/// Pairs of which the complete ones are read together: the driver's calls cost less in a row.
pub const READ_TOGETHER: usize = 16;
/// How long a pair is left unread, as others end: when it was seen to be complete tells where it lies in time.
const READ_AFTER_NS: u64 = 5_000_000;
/// A moment that doesn't come.
pub const NEVER: u64 = u64::MAX;
/// Streams above which queues that are empty are given up.
const MANY_LINES: usize = 64;

/// What a span takes that opens: a pair, and events for it; `None` for each that is to be made.
pub type Taken<S> = (Box<Pair<S>>, [Option<Event>; 2]);

/// Pairs whose times are known, until somebody takes them.
#[derive(Debug)]
struct Learnt<S> {
    kept: VecDeque<Box<Pair<S>>>,
    lost: u64,
}

impl<S> Learnt<S> {
    /// Keeps one more, and gives back one that is lost for it.
    fn tell(&mut self, pair: Box<Pair<S>>) -> Option<Box<Pair<S>>> {
        let is_full = self.kept.len() >= MOST_LEARNT;
        self.lost += u64::from(is_full);
        let lost = if is_full { self.kept.pop_front() } else { None };
        self.kept.push_back(pair);
        lost
    }
}

/// Pairs that are in no use, to be used again.
#[derive(Debug)]
struct Spare<S>(Vec<Box<Pair<S>>>);

impl<S> Spare<S> {
    fn take(&mut self) -> Box<Pair<S>> {
        self.0.pop().unwrap_or_else(Pair::new)
    }

    fn give(&mut self, mut pair: Box<Pair<S>>) {
        if self.0.len() < MOST_SPARE {
            pair.beside = None;
            pair.anchor = None;
            self.0.push(pair);
        }
    }
}

/// All pairs of a driver, of spans that are named by `S`.
#[derive(Debug)]
pub struct Pairs<D, S> {
    driver: D,
    pool: Pool,
    lines: Vec<Line<S>>,
    streams: Streams,
    learnt: Learnt<S>,
    spare: Spare<S>,
    /// Pairs that queued so far.
    queued: u64,
    /// Pairs that ended since the last look at those that wait, and when the first of them did.
    unread: usize,
    unread_since_ns: u64,
    /// The driver has shut down: it is not called any more.
    is_ended: bool,
}

impl<D: Driver, S> Pairs<D, S> {
    /// None yet.
    pub fn new(driver: D) -> Self {
        Self {
            driver,
            pool: Pool::new(pool::MOST),
            lines: Vec::new(),
            streams: Streams::default(),
            learnt: Learnt {
                kept: VecDeque::new(),
                lost: 0,
            },
            spare: Spare(Vec::new()),
            queued: 0,
            unread: 0,
            unread_since_ns: 0,
            is_ended: false,
        }
    }

    /// Free events of a context, if they are not all in use; `None` for each that is to be made.
    pub fn take_events<const N: usize>(
        &mut self,
        context: Context,
        now_ns: u64,
    ) -> Result<[Option<Event>; N], Untimed> {
        match self.pool.take(context) {
            Err(Untimed::TooManyPending { .. }) => {
                self.drain(now_ns);
                self.pool.take(context)
            }
            taken => taken,
        }
    }

    /// Events that were taken come back unused, as a call failed; so many could not be made at all.
    pub fn give_back(&mut self, context: Context, events: &[Event], unmade: usize, why: &Untimed) {
        self.pool.unreserve(unmade);
        self.pool.give_after(&self.driver, context, events, why);
    }

    /// An event that was taken comes back.
    pub fn give(&mut self, context: Context, event: Event) {
        self.pool.give(context, event);
    }

    /// What a span takes that opens on a stream. The pair knows the stream's newest anchor.
    pub fn open(
        &mut self,
        context: Context,
        stream: Stream,
        now_ns: u64,
    ) -> Result<Taken<S>, Untimed> {
        let events = self.take_events(context, now_ns)?;
        let mut pair = self.spare.take();
        pair.context = context;
        pair.stream = stream;
        pair.newest = self.newest(context, stream);
        pair.seen.began_ns = now_ns;
        pair.seen.opened_ns = now_ns;
        Ok((pair, events))
    }

    /// The newest anchor of a stream.
    pub fn newest(&mut self, context: Context, stream: Stream) -> Option<Newest> {
        let line = self.line(context, stream);
        self.lines[line].timeline.newest()
    }

    /// A stream is in use that never ends: spans can end there too.
    pub fn see(&mut self, context: Context, stream: Stream) {
        self.streams.see(context, stream);
    }

    /// The streams that are known.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// A span closed: its end was recorded, or why it isn't timed.
    pub fn closed(&mut self, span: S, over: Result<Box<Pair<S>>, Box<Untimed>>) {
        let mut pair = match over {
            Ok(pair) => pair,
            Err(why) => {
                let mut pair = self.spare.take();
                (pair.span, pair.times) = (Some(span), Err(*why));
                return self.tell(pair);
            }
        };
        for stream in pair.beside.iter().flat_map(|beside| &beside.refused) {
            self.streams.forget(pair.context, *stream);
        }
        let at = self.line(pair.context, pair.stream);
        let line = &mut self.lines[at];
        if let Some(Anchored::Now(event)) = pair.anchor {
            let number = line.timeline.add(event, pair.seen.ended_ns);
            pair.anchor = Some(Anchored::Before(number));
        }
        if self.unread == 0 {
            self.unread_since_ns = pair.seen.ended_ns;
        }
        self.unread += 1;
        pair.span = Some(span);
        pair.number = self.queued;
        self.queued += 1;
        line.waiting.push_back(pair);
    }

    /// A span will never close: its events are free again, and nothing is told of it.
    pub fn forget(&mut self, pair: Box<Pair<S>>) {
        self.pool.give_all(pair.context, pair.all());
        if let Some(Anchored::Now(event)) = pair.anchor {
            self.pool.give(pair.context, event);
        }
        self.spare.give(pair);
    }

    fn tell(&mut self, pair: Box<Pair<S>>) {
        if let Some(lost) = self.learnt.tell(pair) {
            self.spare.give(lost);
        }
    }

    /// From when on it is time to read the pairs that are complete, or to take what was learnt already.
    pub fn due_ns(&self) -> u64 {
        match self.unread {
            _ if !self.learnt.kept.is_empty() => 0,
            0 => NEVER,
            READ_TOGETHER.. => 0,
            _ => self.unread_since_ns.saturating_add(READ_AFTER_NS),
        }
    }

    /// Reads the pairs that are complete. Waits for none.
    pub fn drain(&mut self, now_ns: u64) {
        self.unread = 0;
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            let (driver, pool, is_ended) = (&self.driver, &mut self.pool, self.is_ended);
            let (learnt, spare) = (&mut self.learnt, &mut self.spare);
            let mut has_ended = false;
            line.drain(driver, pool, now_ns, is_ended, |mut pair| {
                if let Err(why) = pair.times {
                    pair.times = Err(why.or_ended(driver));
                    has_ended |= pair.times == Err(Untimed::Absent(Absent::Ended));
                }
                if let Some(lost) = learnt.tell(pair) {
                    spare.give(lost);
                }
            });
            self.is_ended |= has_ended;
        }
        self.lines = lines;
    }

    /// Spans that closed and whose device has not got there yet.
    pub fn pending(&self) -> usize {
        self.lines.iter().map(|line| line.waiting.len()).sum()
    }

    /// How many queued so far.
    pub fn queued(&self) -> u64 {
        self.queued
    }

    /// Whether none is pending of the first so many that queued.
    pub fn is_past(&self, queued: u64) -> bool {
        let mut first = self.lines.iter().filter_map(|line| line.waiting.front());
        first.all(|pending| pending.number >= queued)
    }

    /// Whether nothing is pending, and all that was learnt is taken.
    pub fn is_idle(&self) -> bool {
        self.learnt.kept.is_empty() && self.pending() == 0
    }

    /// Waits for none of the pending ones any longer: they are told as still running.
    pub fn give_up(&mut self) {
        for at in 0..self.lines.len() {
            while let Some(mut pair) = self.lines[at].waiting.pop_front() {
                self.pool.give_all(self.lines[at].context, pair.all());
                pair.times = Err(Untimed::StillRunning);
                self.tell(pair);
            }
        }
    }

    /// Tells what was learnt since the last time: of each span its times, or why it has none.
    pub fn take(&mut self, mut tell: impl FnMut(&S, &Result<Times, Untimed>)) {
        while let Some(pair) = self.learnt.kept.pop_front() {
            if let Some(span) = &pair.span {
                tell(span, &pair.times);
            }
            self.spare.give(pair);
        }
    }

    /// Spans of which something was learnt that nobody took so far.
    pub fn learnt(&self) -> usize {
        self.learnt.kept.len()
    }

    /// Those of which nobody took it in time.
    pub fn lost(&self) -> u64 {
        self.learnt.lost
    }

    /// Events that exist.
    pub fn events(&self) -> usize {
        self.pool.made()
    }

    /// Whether the driver has shut down.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// A driver that has shut down says so in answer to anything.
    pub fn look_at(&mut self, why: Untimed) -> Untimed {
        let why = why.or_ended(&self.driver);
        self.is_ended |= why == Untimed::Absent(Absent::Ended);
        why
    }

    /// The queue of a stream.
    fn line(&mut self, context: Context, stream: Stream) -> usize {
        let is_it = |line: &Line<S>| line.stream == stream && line.context == context;
        if let Some(at) = self.lines.iter().position(is_it) {
            return at;
        }
        if self.lines.len() >= MANY_LINES {
            let pool = &mut self.pool;
            self.lines.retain_mut(|line| {
                let is_needed = !line.waiting.is_empty();
                if !is_needed {
                    line.timeline.clear(pool, line.context);
                }
                is_needed
            });
        }
        self.lines.push(Line::new(context, stream));
        self.lines.len() - 1
    }
}
