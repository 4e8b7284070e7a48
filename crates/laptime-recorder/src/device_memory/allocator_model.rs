//! An allocator as torch's is, for tests: what its counters see of it.

use std::collections::BTreeMap;

use super::counter::Counter;

const MIB: u64 = 1 << 20;

/// Blocks of which it knows the sizes, and segments by how much it holds of the device.
#[derive(Debug, Default)]
pub struct Allocator {
    blocks: BTreeMap<u64, u64>,
    next: u64,
    allocated: Counter,
    reserved: Counter,
    /// What the program would see of its peaks, had nobody else reset them.
    pub alone: [u64; 2],
}

fn at(counter: Counter, now: u64) -> Counter {
    Counter {
        now,
        peak: counter.peak.max(now),
    }
}

impl Allocator {
    /// Where so much is live from now on.
    pub fn allocate(&mut self, asked: u64) -> u64 {
        let bytes = asked.next_multiple_of(512);
        self.allocated = at(self.allocated, self.allocated.now + bytes);
        if self.allocated.now > self.reserved.now {
            let more = bytes.next_multiple_of(2 * MIB);
            self.reserved = at(self.reserved, self.reserved.now + more);
        }
        for (alone, counter) in self.alone.iter_mut().zip([self.allocated, self.reserved]) {
            *alone = (*alone).max(counter.now);
        }
        self.next += 1;
        self.blocks.insert(self.next, bytes);
        self.next
    }

    /// Gives it back.
    pub fn free(&mut self, address: u64) {
        let bytes = self.blocks.remove(&address).unwrap();
        self.allocated = at(self.allocated, self.allocated.now - bytes);
    }

    /// Gives what isn't live back to the device.
    pub fn empty_cache(&mut self) {
        let used = self.allocated.now.next_multiple_of(2 * MIB);
        self.reserved = at(self.reserved, used.min(self.reserved.now));
    }

    /// The allocator's peaks begin anew.
    pub fn reset_peaks(&mut self) {
        for counter in [&mut self.allocated, &mut self.reserved] {
            *counter = counter.reset();
        }
    }

    pub fn counters(&self) -> [Counter; 2] {
        [self.allocated, self.reserved]
    }
}
