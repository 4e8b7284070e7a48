//! A pair of events for each span: recorded when it opens and closes, read when the device got there.
//!
//! Nothing here waits. [`Pairs::begin`] and [`Pairs::end`] enqueue an event each on the span's stream.
//! Pairs queue in the order of their ends, a queue per stream, and [`Pairs::drain`] reads those at the
//! front that are complete. What it learns goes to [`Pairs::take`]: times, or why there are none.
//! Time comes in from outside, as numbers; the driver is the only thing that is touched.

use std::collections::{HashSet, VecDeque};

use super::driver::{Context, Driver, Event, Stream};
use super::line::{Line, Pending};
use super::pool::{self, Pool};
use super::reason::{Absent, Untimed};
use super::streams::Streams;
use super::timeline::Place;

/// Most outcomes that are kept for whoever takes them; of more, the oldest are lost, and counted.
const MOST_OUTCOMES: usize = 65_536;
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
    /// When that was on the host's clock, and how far the device was behind.
    pub place: Result<Place, Untimed>,
}

/// A span's token with its times, or why it has none.
pub type Outcome = (Token, Result<Times, Untimed>);

/// A span that is open.
#[derive(Debug)]
struct Open {
    context: Context,
    stream: Stream,
    events: [Event; 2],
    began_ns: u64,
}

/// What was learnt, until somebody takes it.
#[derive(Debug, Default)]
struct Outcomes {
    kept: VecDeque<Outcome>,
    lost: u64,
}

impl Outcomes {
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
    outcomes: Outcomes,
    next: u64,
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
            outcomes: Outcomes::default(),
            next: 0,
            is_ended: false,
        }
    }

    /// A span opens, whose work goes to a stream.
    pub fn begin(&mut self, stream: Stream, now_ns: u64) -> Token {
        let token = Token(self.next);
        self.next += 1;
        let open = self.try_begin(stream, now_ns);
        let open = open.map_err(|why| self.look_at(why));
        self.open.push((token, open));
        token
    }

    fn try_begin(&mut self, stream: Stream, now_ns: u64) -> Result<Open, Untimed> {
        if self.is_ended {
            return Err(Untimed::Absent(Absent::Ended));
        }
        self.runs(stream)?;
        let context = self.driver.context(stream).map_err(Untimed::Failed)?;
        let mut events = self.pool.take_pair(&self.driver, context);
        if matches!(events, Err(Untimed::TooManyPending { .. })) {
            self.drain(now_ns);
            events = self.pool.take_pair(&self.driver, context);
        }
        let events = events?;
        if let Err(fault) = self.driver.record(events[0], stream) {
            let why = Untimed::Failed(fault);
            self.pool.give_after(&self.driver, context, &events, &why);
            return Err(why);
        }
        Ok(Open {
            context,
            stream,
            events,
            began_ns: now_ns,
        })
    }

    /// What is enqueued now runs, instead of becoming part of a graph.
    fn runs(&self, stream: Stream) -> Result<(), Untimed> {
        match self.driver.is_capturing(stream) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Untimed::Captured),
            Err(fault) => Err(Untimed::Failed(fault)),
        }
    }

    /// A stream is in use that never ends: spans can end there too.
    pub fn see(&mut self, stream: Stream) {
        if let Ok(context) = self.driver.context(stream) {
            self.streams.see(context, stream);
        }
    }

    /// The driver.
    pub fn driver(&self) -> &D {
        &self.driver
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
            let others = self.streams.beside(context, stream);
            awaited.extend(others.iter().filter(|other| self.runs(**other).is_ok()));
        }
        Ok(awaited)
    }

    /// The streams that are known.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The span closes. One that is not open closes nothing.
    pub fn end(&mut self, token: Token, now_ns: u64) {
        self.end_at(token, now_ns, false);
    }

    /// The span closes: on its own stream, or at the last of all streams that are known.
    pub fn end_at(&mut self, token: Token, now_ns: u64, all_streams: bool) {
        let Some(open) = self.close(token) else {
            return;
        };
        let ended = open.and_then(|open| {
            let (context, events) = (open.context, open.events);
            let ended = self.try_end(token, &open, now_ns, all_streams);
            ended.inspect_err(|why| {
                self.pool.give_after(&self.driver, context, &events, why);
            })
        });
        if let Err(why) = ended {
            let why = self.look_at(why);
            self.outcomes.tell((token, Err(why)));
        }
    }

    fn try_end(
        &mut self,
        token: Token,
        open: &Open,
        now_ns: u64,
        all_streams: bool,
    ) -> Result<(), Untimed> {
        if self.is_ended {
            return Err(Untimed::Absent(Absent::Ended));
        }
        let &Open {
            context,
            stream,
            events: [start, end],
            began_ns,
        } = open;
        self.runs(stream)?;
        if stream.is_default() && self.driver.context(stream).map_err(Untimed::Failed)? != context {
            return Err(Untimed::OtherContext);
        }
        let at = self.line(context, stream);
        let (driver, pool) = (&self.driver, &mut self.pool);
        let launch_bound =
            driver.beside_captures(|| driver.is_complete(start).map_err(Untimed::Failed))?;
        let line = &mut self.lines[at];
        let anchor = line
            .timeline
            .anchor(driver, pool, (context, stream), now_ns);
        driver.record(end, stream).map_err(Untimed::Failed)?;
        let others = if all_streams {
            self.end_beside(context, stream, now_ns)?
        } else {
            Vec::new()
        };
        self.lines[at].waiting.push_back(Pending {
            token,
            events: [start, end],
            others,
            began_ns,
            ended_ns: now_ns,
            launch_bound,
            anchor,
        });
        Ok(())
    }

    /// Ends on the streams beside the span's own.
    fn end_beside(
        &mut self,
        context: Context,
        stream: Stream,
        now_ns: u64,
    ) -> Result<Vec<Event>, Untimed> {
        let at = (context, stream);
        let ends = self.streams.end_beside(&self.driver, &mut self.pool, at);
        if matches!(ends, Err(Untimed::TooManyPending { .. })) {
            self.drain(now_ns);
            return self.streams.end_beside(&self.driver, &mut self.pool, at);
        }
        ends
    }

    fn close(&mut self, token: Token) -> Option<Result<Open, Untimed>> {
        let at = self.open.binary_search_by_key(&token, |(open, _)| *open);
        at.ok().map(|at| self.open.remove(at).1)
    }

    /// A span will never close: its events are free again, and nothing is told of it.
    pub fn forget(&mut self, token: Token) {
        if let Some(Ok(open)) = self.close(token) {
            self.pool.give_all(open.context, open.events);
        }
    }

    /// Reads the pairs that are complete. Waits for none.
    pub fn drain(&mut self, now_ns: u64) {
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
    pub fn take(&mut self) -> impl Iterator<Item = Outcome> {
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
