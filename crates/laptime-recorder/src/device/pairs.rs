//! A pair of events for each span: recorded when it opens and closes, read when the device got there.
//!
//! This is what is known of them; [`super::enqueue`] records the events. Pairs queue in the order of their
//! ends, a queue per stream, and [`Pairs::drain`] reads those at the front that are complete. What it learns
//! goes to [`Pairs::take`]: times, or why there are none. Nothing here waits, so that a lock around it is
//! never held for long: of the driver only questions are asked. Time comes in from outside, as numbers.

use std::collections::VecDeque;

use super::driver::{Context, Driver, Event, Stream};
use super::line::{Line, Pending};
use super::pool::{self, Pool};
use super::reason::{Absent, Untimed};
use super::streams::Streams;
use super::timeline::{Newest, Place};

/// Most outcomes that are kept for whoever takes them; of more, the oldest are lost, and counted.
const MOST_OUTCOMES: usize = 65_536;
/// Pairs of which the complete ones are read together: the driver's calls cost less in a row.
pub const READ_TOGETHER: usize = 16;
/// How long a pair is left unread, as others end: when it was seen to be complete tells where it lies in time.
const READ_AFTER_NS: u64 = 5_000_000;
/// A moment that doesn't come.
pub const NEVER: u64 = u64::MAX;
/// Streams above which queues that are empty are given up.
const MANY_LINES: usize = 64;

/// Times of a span on its device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Times {
    /// From the start event to the end event, idle times between kernels included.
    pub duration_ns: u64,
    /// Whether the start was complete when the end was enqueued: the device was not behind.
    pub launch_bound: bool,
    /// When that was on the host's clock, and how far the device was behind; not always known.
    pub place: Option<Place>,
}

/// A span, as its caller names it, with its times, or why it has none.
pub type Outcome<S> = (S, Result<Times, Untimed>);

/// A span that is open.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// The stream's.
    pub context: Context,
    /// Where its work goes.
    pub stream: Stream,
    /// Its start, which is recorded, and its end.
    pub events: [Event; 2],
    /// Host time before the start was recorded.
    pub began_ns: u64,
    /// Host time from which on the span is open: later where others ran before.
    pub opened_ns: u64,
    /// The stream's newest anchor as it opened.
    pub anchor: Option<Newest>,
}

/// What a span that opens takes.
pub type Taken = ([Option<Event>; 2], Option<Newest>);

/// What was recorded where a span ended.
#[derive(Debug)]
pub struct Ended {
    /// Host time before the end was recorded.
    pub at_ns: u64,
    /// Whether the start was complete by then.
    pub launch_bound: bool,
    /// The line's anchor before it, or one that was recorded with it.
    pub anchor: Option<Anchored>,
    /// What was recorded on other streams, if anything was.
    pub beside: Option<Box<Beside>>,
}

/// What was recorded on other streams where a span ended.
#[derive(Debug, Default)]
pub struct Beside {
    /// Ends there.
    pub events: Vec<Event>,
    /// Streams that the driver refused.
    pub refused: Vec<Stream>,
}

/// What a span's place is told from.
#[derive(Debug, Clone, Copy)]
pub enum Anchored {
    /// An anchor of the line's, by its number.
    Before(u32),
    /// One that was recorded right before the span's end.
    Now(Event),
}

/// What was learnt, as it is taken.
pub type Outcomes<'p, S> = std::collections::vec_deque::Drain<'p, Outcome<S>>;

/// What was learnt, until somebody takes it.
#[derive(Debug)]
struct Learnt<S> {
    kept: VecDeque<Outcome<S>>,
    lost: u64,
}

impl<S> Learnt<S> {
    fn tell(&mut self, outcome: Outcome<S>) {
        if self.kept.len() >= MOST_OUTCOMES {
            self.kept.pop_front();
            self.lost += 1;
        }
        self.kept.push_back(outcome);
    }
}

/// All pairs of a driver, of spans that are named by `S`.
#[derive(Debug)]
pub struct Pairs<D, S> {
    driver: D,
    pool: Pool,
    lines: Vec<Line<S>>,
    streams: Streams,
    outcomes: Learnt<S>,
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
            outcomes: Learnt {
                kept: VecDeque::new(),
                lost: 0,
            },
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

    /// What a span takes that opens on a stream: events, and the stream's newest anchor.
    pub fn take_for_span(
        &mut self,
        context: Context,
        stream: Stream,
        now_ns: u64,
    ) -> Result<Taken, Untimed> {
        let events = self.take_events(context, now_ns)?;
        Ok((events, self.newest(context, stream)))
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
    pub fn closed(&mut self, span: S, over: Result<(Open, Ended), Untimed>) {
        let (open, ended) = match over {
            Ok(both) => both,
            Err(why) => return self.outcomes.tell((span, Err(why))),
        };
        for stream in ended.beside.iter().flat_map(|beside| &beside.refused) {
            self.streams.forget(open.context, *stream);
        }
        let at = self.line(open.context, open.stream);
        let line = &mut self.lines[at];
        let anchor = ended.anchor.map(|anchor| match anchor {
            Anchored::Before(number) => number,
            Anchored::Now(event) => line.timeline.add(event, ended.at_ns),
        });
        if self.unread == 0 {
            self.unread_since_ns = ended.at_ns;
        }
        self.unread += 1;
        line.waiting.push_back(Pending {
            span,
            number: self.queued,
            events: open.events,
            beside: ended.beside,
            began_ns: open.began_ns,
            opened_ns: open.opened_ns,
            ended_ns: ended.at_ns,
            launch_bound: ended.launch_bound,
            anchor,
        });
        self.queued += 1;
    }

    /// A span will never close: its events are free again, and nothing is told of it.
    pub fn forget(&mut self, open: Open, ended: Option<Ended>) {
        self.pool.give_all(open.context, open.events);
        let Some(ended) = ended else {
            return;
        };
        if let Some(beside) = ended.beside {
            self.pool.give_all(open.context, beside.events);
        }
        if let Some(Anchored::Now(event)) = ended.anchor {
            self.pool.give(open.context, event);
        }
    }

    /// From when on it is time to read the pairs that are complete, or to take what was learnt already.
    pub fn due_ns(&self) -> u64 {
        match self.unread {
            _ if !self.outcomes.kept.is_empty() => 0,
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
            let outcomes = &mut self.outcomes;
            let mut has_ended = false;
            line.drain(driver, pool, now_ns, is_ended, |(span, times)| {
                let times = times.map_err(|why| why.or_ended(driver));
                has_ended |= times == Err(Untimed::Absent(Absent::Ended));
                outcomes.tell((span, times));
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
        self.outcomes.kept.is_empty() && self.pending() == 0
    }

    /// Waits for none of the pending ones any longer: they are told as still running.
    pub fn give_up(&mut self) {
        for at in 0..self.lines.len() {
            while let Some(pending) = self.lines[at].waiting.pop_front() {
                self.pool.give_all(self.lines[at].context, pending.all());
                self.outcomes
                    .tell((pending.span, Err(Untimed::StillRunning)));
            }
        }
    }

    /// What was learnt since the last time.
    pub fn take(&mut self) -> Outcomes<'_, S> {
        self.outcomes.kept.drain(..)
    }

    /// Outcomes that nobody took in time.
    pub fn lost(&self) -> u64 {
        self.outcomes.lost
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
