//! A pair of events, and all that is known of the span between them, from where it opens until it is told.
//!
//! It is one object that goes from hand to hand and is used again, as most of what a span takes besides the
//! driver's calls would be copies of it.

use super::driver::{Context, Event, Stream};
use super::reason::Untimed;
use super::timeline::{Newest, Place, Seen};

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

/// A pair, of a span that is named by `S`.
#[derive(Debug)]
pub struct Pair<S> {
    /// The stream's.
    pub context: Context,
    /// Where the span's work goes.
    pub stream: Stream,
    /// Its start and its end.
    pub events: [Event; 2],
    /// What was recorded on other streams, if anything was.
    pub beside: Option<Box<Beside>>,
    /// Its moments on the host's clock, as far as they have come.
    pub seen: Seen,
    /// The stream's newest anchor as it opened.
    pub newest: Option<Newest>,
    /// Whether its start was complete when its end was recorded.
    pub launch_bound: bool,
    /// What its place is told from, if there is one.
    pub anchor: Option<Anchored>,
    /// Which one it is of all that queued.
    pub number: u64,
    /// What it is told as, from where it closed.
    pub span: Option<S>,
    /// What is told of it, once the device got there.
    pub times: Result<Times, Untimed>,
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

impl<S> Pair<S> {
    /// One of no span.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            context: Context(0),
            stream: Stream(0),
            events: [Event(0); 2],
            beside: None,
            seen: Seen::default(),
            newest: None,
            launch_bound: false,
            anchor: None,
            number: 0,
            span: None,
            times: Err(Untimed::StillRunning),
        })
    }

    /// Its events, but for an anchor.
    pub fn all(&self) -> impl Iterator<Item = Event> {
        self.events.iter().chain(self.others()).copied()
    }

    /// Those on other streams.
    pub fn others(&self) -> &[Event] {
        let beside = self.beside.as_deref();
        beside.map_or(&[], |beside| &beside.events)
    }
}
