//! What the policy does to the outside: spans opened, closed, held back and written.
//!
//! Two implementers: the recorder, and an object of a test's with a scripted clock.

use laptime_core::{SpanFlags, SpanMemory};
use laptime_recorder::Open;

/// What the name of a unit begins with, once that was set aside.
const ASIDE: &str = "counted ";

/// The names that the policy gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Name {
    Step,
    Evaluation,
    Loading,
    Data,
    Forward,
    Backward,
    Optimizer,
    Compile,
    Epoch,
}

impl Name {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Step,
        Self::Evaluation,
        Self::Loading,
        Self::Data,
        Self::Forward,
        Self::Backward,
        Self::Optimizer,
        Self::Compile,
        Self::Epoch,
    ];

    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Evaluation => "evaluation",
            Self::Loading => "loading",
            Self::Data => "data",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Compile => "compile",
            Self::Epoch => "epoch",
        }
    }

    /// The one of these that a span of the user's has, if it has one.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.strip_prefix(ASIDE).unwrap_or(text);
        Self::ALL.into_iter().find(|name| name.text() == text)
    }
}

/// What is known of a span that was taken off the stack.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    /// Its memory, while that is counted.
    pub memory: Option<SpanMemory>,
}

/// A span that is over and not yet written. Times are ticks.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// What it is.
    pub name: Name,
    /// When it began.
    pub start: u64,
    /// How long it ran.
    pub duration: u64,
    /// What is unusual about it.
    pub flags: SpanFlags,
    /// Its memory, read when it was taken off the stack.
    pub memory: Option<SpanMemory>,
}

/// Where the next span would open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Number of the path: equal for equal paths.
    pub path: u32,
    /// Whether a span named `step` is open.
    pub in_step: bool,
    /// The innermost open span's name, when it is one of the policy's.
    pub innermost: Option<Name>,
}

impl Spot {
    /// The facts about a path.
    pub fn new(path: u32, names: &[String]) -> Self {
        Self {
            path,
            in_step: names.iter().any(|name| Name::of(name) == Some(Name::Step)),
            innermost: names.last().and_then(|name| Name::of(name)),
        }
    }
}

/// Spans, on the stack of the calling thread or task. Times are ticks.
pub trait Laps {
    /// The clock.
    fn now(&self) -> u64;
    /// A length of time in nanoseconds.
    fn nanoseconds(&self, ticks: u64) -> u64;
    /// Opens a span that closes with its parent. `None` while nothing is recorded.
    fn open(&self, name: Name, start: u64) -> Option<Open>;
    /// Opens one inside a phase that is under way, whatever context has been entered in it.
    fn open_within(&self, name: Name, start: u64) -> Option<Open> {
        self.open(name, start)
    }
    /// Closes a span that was opened so.
    fn close_within(&self, open: Open, end: u64) {
        self.close(open, end, SpanFlags::NONE);
    }
    /// Closes a span.
    fn close(&self, open: Open, end: u64, flags: SpanFlags);
    /// Takes a span off the stack without writing it. `None` when it wasn't there.
    fn suspend(&self, open: Open) -> Option<Taken>;
    /// Writes a finished span under a path.
    fn emit(&self, held: &Held, parent: u32);
    /// Gives an open span another name.
    fn rename(&self, open: Open, name: Name);
    /// The unit that is open goes on under a name of its own, with all that is open inside: its
    /// operations are being counted, which makes it longer.
    fn set_aside(&self) {}
    /// When what this thread wrote last ended: another number once anything was written.
    fn last_written(&self) -> u64;
    /// Whether a span is still open here.
    fn is_open(&self, open: Open) -> bool;
    /// Number of an open span's path; 0 when it isn't open here.
    fn path_of(&self, open: Open) -> u32;
    /// Where the next span would open.
    fn here(&self) -> Spot;
    /// Marks an instant, outside of every span.
    fn mark(&self, name: Name, at: u64);
}

/// What the policy asks the program, and only when it has to know.
pub trait Program {
    /// Whether gradients are recorded.
    fn grad(&self) -> bool;
    /// Whether the module that is called is in training mode.
    fn training(&self) -> bool;
    /// Whether the module that is called, or what it is given, has something to learn.
    fn trains(&self) -> bool;
    /// Whether the program has no optimizer and updates its parameters itself.
    fn by_hand(&self) -> bool;
}
