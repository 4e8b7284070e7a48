//! Memory of an interval that is no span, such as a segment of a timer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_core::SpanMemory;

use super::counters::Quiet;
use crate::registration;
use crate::state;
use crate::thread::Thread;

/// Set in the identity of an interval; starts of spans, in ticks, never reach it.
const INTERVAL: u64 = 1 << 63;

static NEXT: AtomicU64 = AtomicU64::new(INTERVAL);

/// An interval of one thread or task, over which memory is counted. Intervals and laps may end in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval(u64);

impl Interval {
    /// Begins an interval. `None` while memory is not counted.
    pub fn begin() -> Option<Self> {
        if !state::measures_memory() {
            return None;
        }
        let _quiet = Quiet::begin();
        registration::with(|thread| {
            let id = NEXT.fetch_add(1, Relaxed);
            thread.stack().memory.open(id);
            Self(id)
        })
    }

    /// Ends the interval and tells its memory. `None` elsewhere than on the thread or task where it began, or a second time.
    pub fn end(self) -> Option<SpanMemory> {
        if !state::measures_memory() {
            return None;
        }
        let _quiet = Quiet::begin();
        Thread::with(|thread| thread.stack().memory.close(self.0))?
    }

    /// The interval as an integer, above 0, for a foreign language.
    pub fn to_raw(self) -> u64 {
        self.0
    }

    /// The interval of [`Interval::to_raw`]. One that never was simply ends nothing.
    pub fn from_raw(raw: u64) -> Self {
        Self(raw)
    }
}
