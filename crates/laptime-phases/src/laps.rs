//! What the machine does to the outside: spans opened, closed, held back and written.
//!
//! Two implementers: the recorder's adapter, and a test's script with exact times.

use laptime_core::{MemoryOnDevice, PhaseName, SpanFlags, SpanMemory};

/// Which open span it is, on the stack of the thread or task that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId {
    /// How many spans were open when it was, itself included.
    pub depth: u32,
    /// When the span opened, in ticks.
    pub start: u64,
}

/// What is known of a span that was taken off the stack.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    /// The span's memory, while memory is counted.
    pub memory: Option<SpanMemory>,
    /// The span's memory on a device, while that is read.
    pub device_memory: Option<MemoryOnDevice>,
    /// What the recorder calls the span's time on a device, where it has one.
    pub device_time: Option<u64>,
}

/// A span that is over and not yet written. Times are ticks.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// What the span is.
    pub name: PhaseName,
    /// When the span began.
    pub start: u64,
    /// How long the span ran.
    pub duration: u64,
    /// What is unusual about it.
    pub flags: SpanFlags,
    /// The span's memory, read when it was taken off the stack.
    pub memory: Option<SpanMemory>,
    /// The span's memory on a device, read then too.
    pub device_memory: Option<MemoryOnDevice>,
    /// What the recorder calls its time on a device.
    pub device_time: Option<u64>,
}

impl Held {
    /// An ordinary span, by its start and its end.
    pub(crate) fn new(name: PhaseName, start: u64, end: u64) -> Self {
        Self {
            name,
            start,
            duration: end.saturating_sub(start),
            flags: SpanFlags::NONE,
            memory: None,
            device_memory: None,
            device_time: None,
        }
    }
}

/// A flag, if it is so.
pub(crate) fn flag_if(is_so: bool, flag: SpanFlags) -> SpanFlags {
    if is_so { flag } else { SpanFlags::NONE }
}

/// The phases that a step consists of.
const PHASES: [PhaseName; 4] = [
    PhaseName::Data,
    PhaseName::Forward,
    PhaseName::Backward,
    PhaseName::Optimizer,
];

/// Where the next span would open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Number of the path: equal for equal paths.
    pub path: u32,
    /// Whether a span named `step` is open.
    pub in_step: bool,
    /// Whether a span is open that is named as a phase of a step.
    pub in_phase: bool,
    /// The innermost open span's name, when it is one of the machine's.
    pub innermost: Option<PhaseName>,
}

impl Spot {
    /// The facts about a path.
    pub fn new(path: u32, names: &[String]) -> Self {
        let is_in = |phases: &[PhaseName]| {
            let mut known = names.iter().filter_map(|name| of(name));
            known.any(|name| phases.contains(&name))
        };
        Self {
            path,
            in_step: is_in(&[PhaseName::Step]),
            in_phase: is_in(&PHASES),
            innermost: names.last().and_then(|name| of(name)),
        }
    }
}

/// What a span is, also while its operations are counted.
fn of(name: &str) -> Option<PhaseName> {
    PhaseName::of(name).or_else(|| PhaseName::of_counted(name))
}

/// Spans, on the stack of the calling thread or task. Times are ticks.
pub trait Laps {
    /// The clock.
    fn now(&self) -> u64;
    /// A length of time in nanoseconds.
    fn nanoseconds(&self, ticks: u64) -> u64;
    /// Opens a span that closes with its parent. `None` while nothing is recorded.
    fn open(&self, name: PhaseName, start: u64) -> Option<SpanId>;
    /// Opens a span inside a phase that is under way, whatever context has been entered in it.
    fn open_within(&self, name: PhaseName, start: u64) -> Option<SpanId> {
        self.open(name, start)
    }
    /// Closes a span of [`Laps::open_within`].
    fn close_within(&self, span: SpanId, end: u64, flags: SpanFlags) {
        self.close(span, end, flags);
    }
    /// Closes a span.
    fn close(&self, span: SpanId, end: u64, flags: SpanFlags);
    /// Takes a span off the stack without writing it. `None` when it wasn't there.
    fn suspend(&self, span: SpanId) -> Option<Taken>;
    /// Writes a finished span under a path; the number of its own.
    fn emit(&self, held: &Held, parent: u32) -> u32;
    /// As [`Laps::emit`], of a span whose only span inside is written next and has the same times.
    fn emit_around(&self, held: &Held, parent: u32) -> u32 {
        self.emit(held, parent)
    }
    /// Gives an open span another name.
    fn rename(&self, span: SpanId, name: PhaseName);
    /// The unit that is open goes on under a name of its own, with all that is open inside: its
    /// operations are being counted, which makes it longer. What it holds back began at `held_since`.
    fn set_aside(&self, held_since: Option<u64>);
    /// An open span without any inside goes on with one that was set aside: it gets the path of that.
    fn go_on_aside(&self, span: SpanId, path: u32);
    /// When the span named `step` opened that is open here.
    fn step_since(&self) -> Option<u64> {
        None
    }
    /// When what this thread wrote last ended: another number once anything was written.
    fn last_written(&self) -> u64;
    /// Whether a span is still open here.
    fn is_open(&self, span: SpanId) -> bool;
    /// Number of an open span's path; 0 when it isn't open here.
    fn path_of(&self, span: SpanId) -> u32;
    /// Where the next span would open.
    fn here(&self) -> Spot;
    /// A forward was told by what is around it.
    fn inferred(&self);
    /// A lap of the program's held only a part of a step, which went on after it: the path of the lap.
    fn torn(&self, path: u32) {
        let _ = path;
    }
    /// Marks an instant, outside of every span.
    fn mark(&self, name: PhaseName, at: u64);
}
