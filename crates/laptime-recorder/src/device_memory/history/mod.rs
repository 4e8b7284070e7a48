//! Peaks of one device's allocator by the history that it keeps of its calls, with nothing reset.
//!
//! An allocator counts its calls and their bytes, so two looks say how many entries of the history lie
//! between them: places in it are found by count, never by time. Entries tell addresses and the sizes that
//! were asked for; [`Blocks`] knows how large the blocks became. What is played has to give the bytes that
//! the allocator counted, on both sides of each look, or nothing of it is believed: then [`Missing`] says why,
//! and the peak is what counters alone tell.

mod blocks;
mod look;
mod play;

use blocks::Blocks;
pub use blocks::{Block, Segment};
pub use look::{Flow, Look};
use play::Play;

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

#[cfg(test)]
#[path = "../history_tests.rs"]
mod tests;
