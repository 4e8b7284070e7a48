//! Where a stack lies: on memory of its own, or in a slot of the black box.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use laptime_core::PathId;
use laptime_core::format::process::{SLOT_ENTRIES, SLOT_LEN};

use super::entry::{AtomicEntry, Entry};

/// Value of [`Slot::depth`] while spans lie beyond the slot: no index of the slot is innermost then.
pub const BEYOND: u32 = SLOT_ENTRIES as u32 + 1;

/// The shared layout of `laptime_core::format::process`. Written by its thread alone.
#[repr(C)]
pub struct Slot {
    pub depth: AtomicU32,
    pub track: AtomicU32,
    zero: u64,
    pub entries: [AtomicEntry; SLOT_ENTRIES],
}

const _: () = assert!(size_of::<Slot>() == SLOT_LEN);

impl Slot {
    /// Its bytes, as they lie in a black box that is mapped. Its thread may go on writing meanwhile.
    pub fn to_bytes(&self) -> [u8; SLOT_LEN] {
        let mut bytes = [0; SLOT_LEN];
        let (head, entries) = bytes.split_at_mut(SLOT_LEN - SLOT_ENTRIES * ENTRY_LEN);
        head[..4].copy_from_slice(&self.depth.load(Ordering::Acquire).to_ne_bytes());
        head[4..8].copy_from_slice(&self.track.load(Ordering::Relaxed).to_ne_bytes());
        for (to, entry) in entries.chunks_exact_mut(ENTRY_LEN).zip(&self.entries) {
            let entry = entry.get();
            to[..4].copy_from_slice(&entry.path.to_ne_bytes());
            to[4..8].copy_from_slice(&entry.site.to_ne_bytes());
            to[8..].copy_from_slice(&entry.start.to_ne_bytes());
        }
        bytes
    }
}

const ENTRY_LEN: usize = size_of::<Entry>();

/// The slot of one stack, empty when it goes: freed if it is memory of its own.
#[derive(Debug)]
pub struct Home {
    slot: NonNull<Slot>,
    owned: bool,
}

impl Home {
    /// Memory of its own, with nothing open but `base`.
    pub fn new(track: u32, base: PathId) -> Self {
        // SAFETY: a slot is integers; zeros are valid.
        let slot: Box<Slot> = Box::new(unsafe { std::mem::zeroed() });
        let home = Self {
            slot: NonNull::from(Box::leak(slot)),
            owned: true,
        };
        home.reset(track, base);
        home
    }

    /// Where the hot path works.
    pub fn pointer(&self) -> NonNull<Slot> {
        self.slot
    }

    /// The slot.
    #[inline]
    pub fn get(&self) -> &Slot {
        // SAFETY: points to the box made in `new` or to a taken slot, whose prefix stays mapped.
        unsafe { self.slot.as_ref() }
    }

    /// Whether it lies in a black box.
    pub fn is_boxed(&self) -> bool {
        !self.owned
    }

    fn reset(&self, track: u32, base: PathId) {
        let slot = self.get();
        slot.track.store(track, Ordering::Relaxed);
        slot.entries[0].set(Entry {
            path: base.0,
            site: u32::MAX,
            start: 0,
        });
        slot.depth.store(1, Ordering::Release);
    }

    /// Moves into a slot of the black box, with all that is open.
    ///
    /// # Safety
    /// `to` is valid for as long as this lives, and nobody else writes it.
    pub unsafe fn move_to(&mut self, to: NonNull<Slot>) {
        self.replace(Self {
            slot: to,
            owned: false,
        });
    }

    /// Moves back onto memory of its own.
    pub fn move_home(&mut self) {
        self.replace(Self::new(0, PathId::ROOT));
    }

    /// All that is open goes on in the other.
    fn replace(&mut self, by: Self) {
        let (source, target) = (self.get(), by.get());
        target
            .track
            .store(source.track.load(Ordering::Relaxed), Ordering::Relaxed);
        for (new, old) in target.entries.iter().zip(&source.entries) {
            new.set(old.get());
        }
        target
            .depth
            .store(source.depth.load(Ordering::Relaxed), Ordering::Release);
        *self = by;
    }

    /// Nothing but `base` is open any more. Leaves a black box without touching it.
    pub fn start_over(&mut self, track: u32, base: PathId) {
        if self.owned {
            self.reset(track, base);
        } else {
            std::mem::forget(std::mem::replace(self, Self::new(track, base)));
        }
    }

    /// Open spans that lie here, the base not counted, whatever is written there.
    pub fn len(&self) -> usize {
        let depth = self.get().depth.load(Ordering::Relaxed) as usize;
        depth.clamp(1, SLOT_ENTRIES) - 1
    }

    /// The entry at an index.
    pub fn entry(&self, index: usize) -> Entry {
        let entry = self.get().entries.get(index);
        entry.map(AtomicEntry::get).unwrap_or_default()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: made by `new` and not used any more.
            drop(unsafe { Box::from_raw(self.slot.as_ptr()) });
        } else {
            self.get().depth.store(0, Ordering::Release);
        }
    }
}
