//! The blocks of one device's allocator, by address: how large is what was given out.
//!
//! The history of torch tells what was asked for. A block is that, rounded up to 512 bytes; the rest of a free
//! block is split off, unless that would leave a remainder of 1 MiB or less of a large one. How large a free
//! block was follows from its neighbours. The rule is torch's own (`DeviceCachingAllocator::should_split`).

use std::collections::BTreeMap;

/// Sizes of blocks are multiples of it.
const GRAIN: u64 = 512;
/// Blocks up to this size come from segments of their own, where each is split. Of larger ones a remainder
/// up to this size is not split off.
const SMALL: u64 = 1 << 20;

/// Memory that the allocator took from the device in one piece.
///
/// **Units** bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins.
    pub address: u64,
    /// How large it is.
    pub bytes: u64,
    /// Whether it can grow.
    pub grows: bool,
    /// Its blocks that are not free.
    pub blocks: Vec<Block>,
}

/// A part of a segment that is not free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// How large it is.
    pub bytes: u64,
    /// Whether it is live: it was not given back.
    pub is_live: bool,
}

/// Those of a device.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// Where each segment that can't grow ends, by where it begins.
    segments: BTreeMap<u64, u64>,
    /// Those that are not free, by address: the size, and whether it is live.
    taken: BTreeMap<u64, (u64, bool)>,
}

impl Blocks {
    /// As they are told.
    pub fn of(segments: &[Segment]) -> Self {
        let mut blocks = Self::default();
        for segment in segments {
            blocks.reserve(segment.address, segment.bytes, segment.grows);
            let each = segment.blocks.iter();
            blocks
                .taken
                .extend(each.map(|one| (one.address, (one.bytes, one.is_live))));
        }
        blocks
    }

    /// Bytes of all that are live.
    pub fn allocated(&self) -> u64 {
        let live = self.taken.values().filter(|(_, is_live)| *is_live);
        live.map(|(bytes, _)| bytes).sum()
    }

    /// One is given out. How large it is; `None` where no free block is there.
    pub fn allocate(&mut self, address: u64, asked: u64) -> Option<u64> {
        let least = asked.max(1).checked_next_multiple_of(GRAIN)?;
        let bytes = match self.free_at(address) {
            Some(free) if free < least => return None,
            Some(free) if least > SMALL && free - least <= SMALL => free,
            _ => least,
        };
        self.taken
            .insert(address, (bytes, true))
            .is_none()
            .then_some(bytes)
    }

    /// How much is free from an address on; `None` in a segment that can grow.
    fn free_at(&self, address: u64) -> Option<u64> {
        let (_, end) = self.segments.range(..=address).next_back()?;
        if *end <= address {
            return None;
        }
        let next = self.taken.range(address + 1..).next();
        Some(next.map_or(*end, |(next, _)| *end.min(next)) - address)
    }

    /// One is given back. How large it is.
    pub fn request(&mut self, address: u64) -> Option<u64> {
        let (bytes, is_live) = self.taken.get_mut(&address)?;
        std::mem::take(is_live).then_some(*bytes)
    }

    /// One that was given back is free.
    pub fn complete(&mut self, address: u64) -> Option<()> {
        let (_, is_live) = self.taken.remove(&address)?;
        (!is_live).then_some(())
    }

    /// A segment is there, or a part of one.
    pub fn reserve(&mut self, address: u64, bytes: u64, grows: bool) {
        if !grows {
            self.segments.insert(address, address.saturating_add(bytes));
        }
    }

    /// It is gone.
    pub fn release(&mut self, address: u64) {
        self.segments.remove(&address);
    }
}
