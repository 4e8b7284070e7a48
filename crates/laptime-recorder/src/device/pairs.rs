//! A pair of events for each span: recorded when it opens and closes, read when the device got there.
//!
//! This is what is known of them; [`super::enqueue`] records the events. Pairs queue in the order of their
//! ends, a queue per stream, and [`Pairs::drain`] reads those at the front that are complete. What it learns
//! goes to [`Pairs::take`]: times, or why there are none. Nothing here waits, so that a lock around it is
//! never held for long: of the driver only questions are asked. Time comes in from outside, as numbers.

use std::collections::{HashSet, VecDeque};

use super::driver::{Context, Driver, Event, Stream};
use super::line::{Line, Pending};
use super::pool::{self, Pool};
use super::reason::{Absent, Untimed};
use super::streams::Streams;
use super::timeline::Place;

/// Most outcomes that are kept for whoever takes them; of more, the oldest are lost, and counted.
const MOST_OUTCOMES: usize = 65_536;
/// Pairs of which the complete ones are read together: the driver's calls cost less in a row.
pub const READ_TOGETHER: usize = 16;
/// How long a pair is left unread, as others end: when it was seen to be complete tells where it lies in time.
const READ_AFTER_NS: u64 = 5_000_000;
/// Streams above which queues that are empty are given up.
const MANY_LINES: usize = 64;

/// A span that a device is timed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

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

/// A span's token with its times, or why it has none.
pub type Outcome = (Token, Result<Times, Untimed>);

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
}

/// What was recorded where a span ended.
#[derive(Debug)]
pub struct Ended {
    /// Host time before the end was recorded.
    pub at_ns: u64,
    /// Whether the start was complete by then.
    pub launch_bound: bool,
    /// The line's anchor before it, or one that was recorded with it.
    pub anchor: Option<Anchored>,
    /// Ends on other streams.
    pub others: Vec<Event>,
    /// Other streams that the driver refused.
    pub refused: Vec<Stream>,
}

/// What a span's place is told from.
#[derive(Debug, Clone, Copy)]
pub enum Anchored {
    /// An anchor of the line's, by its number.
    Before(u64),
    /// One that was recorded right before the span's end.
    Now(Event),
}

/// What was learnt, as it is taken.
pub type Outcomes<'p> = std::collections::vec_deque::Drain<'p, Outcome>;

/// What was learnt, until somebody takes it.
#[derive(Debug, Default)]
struct Learnt {
    kept: VecDeque<Outcome>,
    lost: u64,
}

impl Learnt {
    fn tell(&mut self, outcome: Outcome) {
        if self.kept.len() >= MOST_OUTCOMES {
            self.kept.pop_front();
            self.lost += 1;
        }
        self.kept.push_back(outcome);
    }
}

/// All pairs of a driver.
#[derive(Debug)]
pub struct Pairs<D> {
    driver: D,
    pool: Pool,
    /// In the order of their tokens: most close in the opposite one.
    open: Vec<(Token, Result<Open, Untimed>)>,
    lines: Vec<Line>,
    streams: Streams,
    outcomes: Learnt,
    next: u64,
    /// Pairs that ended since the last look at those that wait, and when the first of them did.
    unread: usize,
    unread_since_ns: u64,
    /// The driver has shut down: it is not called any more.
    is_ended: bool,
}

impl<D: Driver> Pairs<D> {
    /// None yet.
    pub fn new(driver: D) -> Self {
        Self {
            driver,
            pool: Pool::new(pool::MOST),
            open: Vec::new(),
            lines: Vec::new(),
            streams: Streams::default(),
            outcomes: Learnt::default(),
            next: 0,
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

    /// A span opened, and its start was recorded; or why not.
    pub fn opened(&mut self, open: Result<Open, Untimed>) -> Token {
        let token = Token(self.next);
        self.next += 1;
        let open = open.map_err(|why| self.look_at(why));
        self.open.push((token, open));
        token
    }

    /// A stream is in use that never ends: spans can end there too.
    pub fn see(&mut self, context: Context, stream: Stream) {
        self.streams.see(context, stream);
    }

    /// The streams that are known.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// A span closes, if it is open: with the anchor of its line, unless a new one is due.
    pub fn close(
        &mut self,
        token: Token,
        now_ns: u64,
    ) -> Option<Result<(Open, Option<u64>), Untimed>> {
        let at = self.open.binary_search_by_key(&token, |(open, _)| *open);
        let open = self.open.remove(at.ok()?).1;
        Some(open.map(|open| {
            let line = self.line(open.context, open.stream);
            (open, self.lines[line].timeline.newest(now_ns))
        }))
    }

    /// A span that was closed has its end recorded, or why not.
    pub fn closed(&mut self, token: Token, open: Option<Open>, ended: Result<Ended, Untimed>) {
        let (open, ended) = match (open, ended) {
            (Some(open), Ok(ended)) => (open, ended),
            (open, Err(why)) => {
                if let Some(Open {
                    context, events, ..
                }) = open
                {
                    self.pool.give_after(&self.driver, context, &events, &why);
                }
                let why = self.look_at(why);
                return self.outcomes.tell((token, Err(why)));
            }
            (None, Ok(_)) => return,
        };
        for stream in ended.refused {
            self.streams.forget(open.context, stream);
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
            token,
            events: open.events,
            others: ended.others,
            began_ns: open.began_ns,
            opened_ns: open.opened_ns,
            ended_ns: ended.at_ns,
            launch_bound: ended.launch_bound,
            anchor,
        });
    }

    /// A span will never close: its events are free again, and nothing is told of it.
    pub fn forget(&mut self, token: Token) {
        if let Some(Ok((open, _))) = self.close(token, 0) {
            self.pool.give_all(open.context, open.events);
        }
    }

    /// Whether it is time to read the pairs that are complete.
    pub fn is_due(&self, now_ns: u64) -> bool {
        let age = || now_ns.saturating_sub(self.unread_since_ns);
        self.unread >= READ_TOGETHER || self.unread > 0 && age() >= READ_AFTER_NS
    }

    /// Reads the pairs that are complete. Waits for none.
    pub fn drain(&mut self, now_ns: u64) {
        self.unread = 0;
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            let (driver, pool, is_ended) = (&self.driver, &mut self.pool, self.is_ended);
            let outcomes = &mut self.outcomes;
            let mut has_ended = false;
            line.drain(driver, pool, now_ns, is_ended, |(token, times)| {
                let times = times.map_err(|why| why.or_ended(driver));
                has_ended |= times == Err(Untimed::Absent(Absent::Ended));
                outcomes.tell((token, times));
            });
            self.is_ended |= has_ended;
        }
        self.lines = lines;
    }

    /// Spans that closed and whose device has not got there yet.
    pub fn pending(&self) -> usize {
        self.lines.iter().map(|line| line.waiting.len()).sum()
    }

    /// Which those are.
    pub fn pending_tokens(&self) -> HashSet<Token> {
        let waiting = self.lines.iter().flat_map(|line| &line.waiting);
        waiting.map(|pending| pending.token).collect()
    }

    /// Waits for none of the pending ones any longer: they are told as still running.
    pub fn give_up(&mut self) {
        for at in 0..self.lines.len() {
            while let Some(pending) = self.lines[at].waiting.pop_front() {
                self.pool.give_all(self.lines[at].context, pending.all());
                self.outcomes
                    .tell((pending.token, Err(Untimed::StillRunning)));
            }
        }
    }

    /// What was learnt since the last time.
    pub fn take(&mut self) -> Outcomes<'_> {
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
    fn look_at(&mut self, why: Untimed) -> Untimed {
        let why = why.or_ended(&self.driver);
        self.is_ended |= why == Untimed::Absent(Absent::Ended);
        why
    }

    /// The queue of a stream.
    fn line(&mut self, context: Context, stream: Stream) -> usize {
        let is_it = |line: &Line| line.stream == stream && line.context == context;
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
