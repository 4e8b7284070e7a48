//! The memory of the laps that are open on one stack.
//!
//! A lap's frame remembers the running net at its start, and the largest net between the
//! start of the lap before it and its own. So the largest net since any lap's start is the
//! maximum over what stands above it, and closing a lap, in any order, only moves one number
//! to its neighbour: that is how each peak folds into the laps around it.

use laptime_core::SpanMemory;

use super::counters::{self, Running};

#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The span's start in ticks, which is its identity on the stack.
    id: u64,
    /// Running net at its start.
    net: i64,
    /// Largest running net from the frame below to this one.
    before: i64,
}

/// The open laps of a stack, outermost first.
#[derive(Debug, Default)]
pub struct Frames {
    open: Vec<Frame>,
    epoch: u32,
    /// The stack's numbers while it is not in use.
    kept: Running,
}

impl Frames {
    fn drop_stale(&mut self) {
        let epoch = counters::epoch();
        if self.epoch != epoch {
            self.open.clear();
            self.epoch = epoch;
        }
    }

    /// A lap opens on the stack in use.
    pub fn open(&mut self, id: u64) {
        self.drop_stale();
        counters::at_boundary(|running| {
            self.push(id, running);
            ((), true)
        });
    }

    /// A lap of the stack in use closes. `None` when it opened before counting began.
    pub fn close(&mut self, id: u64) -> Option<SpanMemory> {
        self.drop_stale();
        counters::at_boundary(|running| {
            let memory = self.take(id, running);
            (memory, !self.open.is_empty())
        })
    }

    /// Forgets a lap that will never close.
    pub fn forget(&mut self, id: u64) {
        let mut nothing = Running::default();
        if let Some(index) = self.open.iter().position(|frame| frame.id == id) {
            if index + 1 == self.open.len() {
                self.close(id);
            } else {
                self.take(id, &mut nothing);
            }
        }
    }

    fn push(&mut self, id: u64, running: &mut Running) {
        self.open.push(Frame {
            id,
            net: running.net,
            before: running.peak,
        });
        running.peak = running.net;
    }

    fn take(&mut self, id: u64, running: &mut Running) -> Option<SpanMemory> {
        let index = self.open.iter().rposition(|frame| frame.id == id)?;
        let above = self.open[index + 1..].iter().map(|frame| frame.before);
        let peak = above.fold(running.peak, i64::max);
        let frame = self.open.remove(index);
        match self.open.get_mut(index) {
            Some(next) => next.before = next.before.max(frame.before),
            None => running.peak = running.peak.max(frame.before),
        }
        Some(SpanMemory {
            net_bytes: running.net.wrapping_sub(frame.net),
            peak_bytes: u64::try_from(peak.wrapping_sub(frame.net)).unwrap_or(0),
        })
    }

    /// The stack is put aside.
    pub fn leave(&mut self) {
        counters::at_boundary(|running| {
            self.kept = *running;
            ((), false)
        });
    }

    /// The stack comes into use.
    pub fn arrive(&mut self) {
        self.drop_stale();
        counters::at_boundary(|running| {
            *running = self.kept;
            ((), !self.open.is_empty())
        });
    }

    /// The thread ends, or was forked: nothing is open here any more.
    pub fn clear(&mut self) {
        self.open.clear();
        counters::at_boundary(|_| ((), false));
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
