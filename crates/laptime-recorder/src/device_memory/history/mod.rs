//! Peaks of one device's allocator by the history that it keeps of its calls, with nothing reset.
//!
//! An allocator counts its calls and their bytes, so two looks say how many entries of the history lie
//! between them: places in it are found by count, never by time. Entries tell addresses and the sizes that
//! were asked for; [`Blocks`] knows how large the blocks became. What is played has to give the bytes that
//! the allocator counted, on both sides of each look, or nothing of it is believed: then [`Missing`] says why,
//! and the peak is what counters alone tell.

mod blocks;
mod look;

use blocks::Blocks;
pub use blocks::{Block, Segment};
pub use look::{Flow, Look};

use super::counter::Bounds;
use super::frames::Most;

/// One call of the allocator, as its history tells it.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Memory was asked for, and given at an address.
    Allocated {
        /// Where.
        address: u64,
        /// As much as was asked for, before it was rounded.
        bytes: u64,
    },
    /// A block was given back. It may be in use on another stream still.
    FreeRequested {
        /// Where.
        address: u64,
    },
    /// What was given back may be given out again.
    FreeCompleted {
        /// Where.
        address: u64,
    },
    /// The allocator took memory from the device.
    Reserved {
        /// Where.
        address: u64,
        /// How much.
        bytes: u64,
        /// Whether it is a piece of a segment that can grow: its blocks are always split.
        grows: bool,
    },
    /// The allocator gave memory back to the device.
    Released {
        /// Where.
        address: u64,
        /// How much.
        bytes: u64,
    },
}

/// Why the history does not tell a peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It has another number of calls than the allocator counted: some were overwritten, or came while it was
    /// read.
    Entries,
    /// Played, it gives other bytes than the allocator counted.
    Disagrees,
}

/// What is known where the history was emptied.
#[derive(Debug, Clone)]
struct Base {
    at: Look,
    blocks: Blocks,
}

/// One device's.
#[derive(Debug, Clone, Default)]
pub struct History {
    latest: Option<Look>,
    base: Option<Base>,
}

impl History {
    /// Whether the history itself is needed for the most since the last look, or to begin with.
    pub fn is_needed(&self, now: &Look) -> bool {
        self.base.is_none() || self.without(now).is_none()
    }

    /// Whether it begins anew: the blocks that there are have to be told.
    pub fn lacks_blocks(&self) -> bool {
        self.base.is_none()
    }

    /// Whether these are as many calls as the allocator counted since it was emptied.
    pub fn has_all(&self, now: &Look, entries: &[Entry]) -> bool {
        let base = self.base.as_ref();
        base.is_none_or(|base| Play::new(base.at).ends_at(now, entries))
    }

    /// How many entries it may have by now.
    pub fn length(&self, now: &Look) -> u64 {
        let base = self.base.as_ref();
        base.map_or(0, |base| now.calls_since(&base.at))
    }

    /// The most since the last look, where counters alone tell it exactly.
    fn without(&self, now: &Look) -> Option<Most> {
        let before = self.latest.as_ref()?;
        let allocated = now.allocated.most_since(&before.allocated);
        let reserved = now.reserved.most_since(&before.reserved);
        allocated.known().and(reserved.known())?;
        Some(Most {
            allocated,
            reserved,
        })
    }

    /// A look that goes without the history. `None` at the first one.
    pub fn look(&mut self, now: Look) -> Option<Most> {
        let before = self.latest.replace(now)?;
        Some(Most {
            allocated: now.allocated.most_since(&before.allocated),
            reserved: now.reserved.most_since(&before.reserved),
        })
    }

    /// A look, with all that the history has since the base, which moves here.
    ///
    /// **Errors** where it can't be trusted: there is no base then, and what was seen of it is lost.
    pub fn play(&mut self, now: Look, entries: &[Entry]) -> Result<Most, Missing> {
        let base = self.base.take().ok_or(Missing::Entries)?;
        let from = self.latest.unwrap_or(base.at);
        let mut blocks = base.blocks;
        let told = Play::new(base.at).until(from, now, entries, &mut blocks)?;
        let possible =
            |exact: Bounds, flow: Bounds| flow.least <= exact.least && exact.most <= flow.most;
        let is_possible = possible(told.allocated, now.allocated.most_since(&from.allocated))
            && possible(told.reserved, now.reserved.most_since(&from.reserved));
        if !is_possible {
            return Err(Missing::Disagrees);
        }
        self.latest = Some(now);
        self.base = Some(Base { at: now, blocks });
        Ok(told)
    }

    /// The blocks that there are as of a look, from where the history is empty.
    pub fn begin(&mut self, now: Look, segments: &[Segment]) {
        let blocks = Blocks::of(segments);
        // What is told of the blocks is of that very moment, or of no use.
        self.base =
            (blocks.allocated() == now.allocated.counter.now).then_some(Base { at: now, blocks });
    }

    /// Entries are gone that were not played, or come no more.
    pub fn lose(&mut self) {
        self.base = None;
    }

    /// The program reset the peaks, at once after a look.
    pub fn was_reset(&mut self) {
        if let Some(latest) = &mut self.latest {
            latest.reset_peaks();
        }
    }

    /// The program let the counts begin anew, at once after a look.
    pub fn was_restarted(&mut self) {
        self.base = None;
        if let Some(latest) = &mut self.latest {
            latest.restart();
        }
    }
}

/// What is counted while entries are played.
struct Play {
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
    fn new(base: Look) -> Self {
        Self {
            base,
            allocations: 0,
            frees: 0,
            allocated: Sums::new(base.allocated.counter.now),
            reserved: Sums::new(base.reserved.counter.now),
        }
    }

    /// Whether they are all calls up to a look.
    fn ends_at(&self, now: &Look, entries: &[Entry]) -> bool {
        let count =
            |kind: fn(&Entry) -> bool| entries.iter().filter(|entry| kind(entry)).count() as u64;
        let allocations = count(|entry| matches!(entry, Entry::Allocated { .. }));
        let frees = count(|entry| matches!(entry, Entry::FreeRequested { .. }));
        self.base.allocations.checked_add(allocations) == Some(now.allocations)
            && self.base.frees.checked_add(frees) == Some(now.frees)
    }

    fn until(
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

#[cfg(test)]
#[path = "../history_tests.rs"]
mod tests;
