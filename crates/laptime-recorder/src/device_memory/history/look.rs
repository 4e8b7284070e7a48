//! What an allocator tells at one moment, with what it counted since it began.

use crate::device_memory::counter::{Bounds, Counter, Mode};

/// A counter, and all that was ever added to it and taken from it.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flow {
    /// Its value and its peak.
    pub counter: Counter,
    /// Added since the counts began.
    pub added: u64,
    /// Taken since then.
    pub taken: u64,
}

impl Flow {
    /// The greatest value since `before` was read, as near as counters tell.
    pub fn most_since(&self, before: &Self) -> Bounds {
        let bounds = self.counter.most_since(before.counter, Mode::Bounds);
        let added = self.added.checked_sub(before.added);
        let taken = self.taken.checked_sub(before.taken);
        let (Some(added), Some(taken)) = (added, taken) else {
            return bounds;
        };
        let (old, new) = (before.counter.now, self.counter.now);
        if old
            .checked_add(added)
            .and_then(|sum| sum.checked_sub(taken))
            != Some(new)
        {
            return bounds;
        }
        // It only grew, or only shrank.
        if added == 0 || taken == 0 {
            return Bounds::exactly(old.max(new));
        }
        // All that was added came before all that was taken, at most.
        Bounds {
            least: bounds.least,
            most: bounds.most.min(old + added),
        }
    }
}

/// Both counters of one device, and its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Bytes of live tensors.
    pub allocated: Flow,
    /// Bytes that the allocator holds.
    pub reserved: Flow,
    /// Calls that allocated, since the counts began.
    pub allocations: u64,
    /// Calls that freed.
    pub frees: u64,
    /// Bytes that are live, or wait for another stream to be done with them.
    pub active: u64,
}

impl Look {
    /// At most so many entries a history has of what came after an earlier look.
    pub fn calls_since(&self, earlier: &Self) -> u64 {
        let allocations = self.allocations.saturating_sub(earlier.allocations);
        let frees = self.frees.saturating_sub(earlier.frees);
        allocations + 2 * frees
    }

    /// Whether nothing happened between two looks.
    pub fn is_still(&self, later: &Self) -> bool {
        let calm = |one: &Self| Self {
            allocated: one.allocated.without_peak(),
            reserved: one.reserved.without_peak(),
            ..*one
        };
        calm(self) == calm(later)
    }

    pub(super) fn reset_peaks(&mut self) {
        self.allocated.counter = self.allocated.counter.reset();
        self.reserved.counter = self.reserved.counter.reset();
    }

    pub(super) fn restart(&mut self) {
        for flow in [&mut self.allocated, &mut self.reserved] {
            (flow.added, flow.taken) = (0, 0);
        }
        (self.allocations, self.frees) = (0, 0);
    }
}

impl Flow {
    fn without_peak(self) -> Self {
        Self {
            counter: self.counter.reset(),
            ..self
        }
    }
}
