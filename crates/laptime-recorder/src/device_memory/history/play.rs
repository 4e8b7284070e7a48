//! Entries of a history, played from the moment at which it was emptied.
//!
//! They have to be as many as the allocator counted, and to give its bytes: from the beginning to the look
//! that a peak is told from, and on to the look that it is told to.

use super::blocks::Blocks;
use super::look::{Flow, Look};
use super::{Entry, Missing};
use crate::device_memory::counter::Bounds;
use crate::device_memory::frames::Most;

/// What is counted while entries are played.
pub struct Play {
    base: Look,
    allocations: u64,
    frees: u64,
    allocated: Sums,
    reserved: Sums,
}

/// One counter, as entries move it.
struct Sums {
    base: u64,
    added: u64,
    taken: u64,
    most: u64,
}

impl Sums {
    fn new(base: u64) -> Self {
        Self {
            base,
            added: 0,
            taken: 0,
            most: base,
        }
    }

    fn level(&self) -> u64 {
        self.base.wrapping_add(self.added).wrapping_sub(self.taken)
    }

    fn add(&mut self, bytes: u64) {
        self.added += bytes;
        self.most = self.most.max(self.level());
    }

    /// Whether they are what was counted between two looks.
    fn are(&self, now: &Flow, base: &Flow) -> bool {
        base.added.checked_add(self.added) == Some(now.added)
            && base.taken.checked_add(self.taken) == Some(now.taken)
            && self.level() == now.counter.now
    }
}

impl Play {
    pub fn new(base: Look) -> Self {
        Self {
            base,
            allocations: 0,
            frees: 0,
            allocated: Sums::new(base.allocated.counter.now),
            reserved: Sums::new(base.reserved.counter.now),
        }
    }

    /// Whether they are all calls up to a look.
    pub fn ends_at(&self, now: &Look, entries: &[Entry]) -> bool {
        let count =
            |kind: fn(&Entry) -> bool| entries.iter().filter(|entry| kind(entry)).count() as u64;
        let allocations = count(|entry| matches!(entry, Entry::Allocated { .. }));
        let frees = count(|entry| matches!(entry, Entry::FreeRequested { .. }));
        self.base.allocations.checked_add(allocations) == Some(now.allocations)
            && self.base.frees.checked_add(frees) == Some(now.frees)
    }

    /// The most from one look to the next, with all entries up to that.
    pub fn until(
        mut self,
        from: Look,
        now: Look,
        entries: &[Entry],
        blocks: &mut Blocks,
    ) -> Result<Most, Missing> {
        if !self.ends_at(&now, entries) {
            return Err(Missing::Entries);
        }
        let mut is_inside = false;
        for entry in entries {
            is_inside = is_inside || self.begins_at(&from);
            self.step(entry, blocks).ok_or(Missing::Disagrees)?;
        }
        is_inside = is_inside || self.begins_at(&from);
        let adds_up = self.allocated.are(&now.allocated, &self.base.allocated)
            && self.reserved.are(&now.reserved, &self.base.reserved);
        if !is_inside || !adds_up {
            return Err(Missing::Disagrees);
        }
        Ok(Most {
            allocated: Bounds::exactly(self.allocated.most),
            reserved: Bounds::exactly(self.reserved.most),
        })
    }

    /// Whether the look is here. The most is that from here on then.
    fn begins_at(&mut self, from: &Look) -> bool {
        let is_here = self.base.allocations + self.allocations == from.allocations
            && self.base.frees + self.frees == from.frees
            && self.allocated.are(&from.allocated, &self.base.allocated)
            && self.reserved.are(&from.reserved, &self.base.reserved);
        if is_here {
            self.allocated.most = self.allocated.level();
            self.reserved.most = self.reserved.level();
        }
        is_here
    }

    fn step(&mut self, entry: &Entry, blocks: &mut Blocks) -> Option<()> {
        match *entry {
            Entry::Allocated { address, bytes } => {
                self.allocations += 1;
                self.allocated.add(blocks.allocate(address, bytes)?);
            }
            Entry::FreeRequested { address } => {
                self.frees += 1;
                self.allocated.taken += blocks.request(address)?;
            }
            Entry::FreeCompleted { address } => blocks.complete(address)?,
            Entry::Reserved {
                address,
                bytes,
                grows,
            } => {
                blocks.reserve(address, bytes, grows);
                self.reserved.add(bytes);
            }
            Entry::Released { address, bytes } => {
                blocks.release(address);
                self.reserved.taken += bytes;
            }
        }
        Some(())
    }
}
