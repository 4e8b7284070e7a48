//! Laps of a process that held their event loop, and the outermost laps that may have been open around them, for
//! [`crate::reading::event_loop::blocked_tasks`].

use laptime_core::anchor::Rate;
use laptime_core::{PathId, Span, SpanFlags};

use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;

/// Most laps of a process of either kind: later ones aren't looked at.
const MOST: usize = 65_536;
/// Shortest lap that the recorder flags; only laps of this length can be open around a flagged one.
const LEAST_NS: u64 = 20_000_000;

/// One run of a lap, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct Lap {
    /// Path of the lap.
    pub path: PathId,
    /// Thread or task that it ran on.
    pub track: u32,
    /// Start of the lap.
    pub start: u64,
    /// End of the lap.
    pub end: u64,
}

/// Long laps of one process.
#[derive(Debug, Default)]
pub struct BlockingLaps {
    /// Laps that held their thread.
    pub held: Vec<Lap>,
    /// Outermost laps of threads and tasks.
    pub outermost: Vec<Lap>,
}

impl Lap {
    fn from_span(span: &Span) -> Self {
        Self {
            path: span.path,
            track: span.track,
            start: span.start,
            end: span.end(),
        }
    }
}

impl BlockingLaps {
    /// Takes in a lap that held its thread.
    fn hold(&mut self, span: &Span) {
        if self.held.len() < MOST {
            self.held.push(Lap::from_span(span));
        }
    }

    /// Takes in an outermost lap of a thread or task.
    fn open(&mut self, span: &Span, rate: Rate) {
        if self.outermost.len() < MOST && rate.nanoseconds(span.duration) >= LEAST_NS {
            self.outermost.push(Lap::from_span(span));
        }
    }
}

impl Feature for BlockingLaps {
    fn take_span(&mut self, span: &Span, noted: Noted, context: Context<'_>) {
        if span.flags.has(SpanFlags::ASIDE) {
            return;
        }
        if span.flags.has(SpanFlags::HELD) {
            self.hold(span);
        }
        if noted.is_outermost || span.flags.has(SpanFlags::DETACHED) {
            self.open(span, context.rate);
        }
    }
}
