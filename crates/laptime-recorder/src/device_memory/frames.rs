//! The laps that are open while one device's allocator is looked at, whichever thread opened them.
//!
//! As on the host (`memory::frames`), a frame remembers the peak between the start of the lap before
//! it and its own. So the peak since any lap's start is the maximum over what stands above it, and
//! closing a lap, in any order, only moves one number to its neighbour.

use laptime_core::DeviceMemory;

use super::counter::{Bounds, Counter, Mode};

/// What an allocator tells at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Bytes of live tensors.
    pub allocated: Counter,
    /// Bytes that the allocator holds.
    pub reserved: Counter,
}

/// The greatest values of both counters in a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Most {
    /// Of live tensors.
    allocated: Bounds,
    /// Held by the allocator.
    reserved: Bounds,
}

impl Most {
    fn of(reading: &Reading) -> Self {
        Self {
            allocated: Bounds::exactly(reading.allocated.now),
            reserved: Bounds::exactly(reading.reserved.now),
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            allocated: self.allocated.max(other.allocated),
            reserved: self.reserved.max(other.reserved),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    lap: u64,
    /// Bytes at its start.
    allocated: u64,
    reserved: u64,
    /// The most from the frame below to this one.
    before: Most,
}

/// The open laps, in the order in which they opened.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    open: Vec<Frame>,
    /// As it was looked at last.
    latest: Reading,
    /// The most since the topmost frame.
    most: Most,
}

impl Frames {
    /// Of a device that holds nothing.
    pub const fn new() -> Self {
        const NOTHING: Counter = Counter { now: 0, peak: 0 };
        const NONE: Bounds = Bounds { least: 0, most: 0 };
        Self {
            open: Vec::new(),
            latest: Reading {
                allocated: NOTHING,
                reserved: NOTHING,
            },
            most: Most {
                allocated: NONE,
                reserved: NONE,
            },
        }
    }

    /// Whether no lap is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The allocator was looked at: folds what happened since the last time into all open laps.
    pub fn look(&mut self, reading: Reading, mode: Mode) {
        let Reading {
            allocated,
            reserved,
        } = self.latest;
        let most = Most {
            allocated: reading.allocated.most_since(allocated, mode),
            reserved: reading.reserved.most_since(reserved, mode),
        };
        self.most = self.most.max(most);
        self.latest = reading;
    }

    /// The peaks were reset since the last look, at once after it.
    pub fn was_reset(&mut self) {
        self.latest.allocated = self.latest.allocated.reset();
        self.latest.reserved = self.latest.reserved.reset();
    }

    /// A lap opens, as of the last look.
    pub fn open(&mut self, lap: u64) {
        self.open.push(Frame {
            lap,
            allocated: self.latest.allocated.now,
            reserved: self.latest.reserved.now,
            before: self.most,
        });
        self.most = Most::of(&self.latest);
    }

    /// A lap closes, as of the last look. `None` where it isn't open here, or nothing limits its peak.
    pub fn close(&mut self, lap: u64) -> Option<DeviceMemory> {
        let index = self.open.iter().rposition(|frame| frame.lap == lap)?;
        let above = self.open[index + 1..].iter().map(|frame| frame.before);
        let most = above.fold(self.most, Most::max);
        let frame = self.open.remove(index);
        match self.open.get_mut(index) {
            Some(next) => next.before = next.before.max(frame.before),
            None => self.most = self.most.max(frame.before),
        }
        let allocated = most.allocated;
        (allocated.most < u64::MAX).then(|| DeviceMemory {
            net_bytes: difference(self.latest.allocated.now, frame.allocated),
            peak_least_bytes: allocated.least.saturating_sub(frame.allocated),
            peak_most_bytes: allocated.most.saturating_sub(frame.allocated),
            reserved_net_bytes: difference(self.latest.reserved.now, frame.reserved),
            reserved_peak_bytes: most.reserved.known(),
        })
    }
}

fn difference(end: u64, start: u64) -> i64 {
    end.wrapping_sub(start) as i64
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
