//! Laps of a process that held their event loop, and the outermost laps that may have been open around them, for
//! [`crate::reading::event_loop::blocked_tasks`].

use laptime_core::anchor::Rate;
use laptime_core::{PathId, Span, SpanFlags};

use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;

/// Laps of a process that are kept of either kind: what came later isn't looked at.
const MOST: usize = 65_536;
/// The recorder tells it of laps from here on; only such ones can be open around them.
const LEAST_NS: u64 = 20_000_000;

/// When a lap ran, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct Lap {
    /// Its path.
    pub path: PathId,
    /// The thread or task that it ran on.
    pub track: u32,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// Long laps of one process.
#[derive(Debug, Default)]
pub struct BlockingLaps {
    /// Those that held their thread.
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
