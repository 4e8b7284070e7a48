//! The stack of open spans of one thread or task, laid out as a slot of the black box.
//!
//! While a recording is on, the slot *is* the black box: pushing a span is also what
//! tells a later reader that it was open. Spans nested deeper than a slot go to a list
//! beside it; spans left open by a parent that closed go to the strays.

mod carried;
mod closing;
mod entry;
mod slot;

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use laptime_core::format::process::{OpenSpan, SLOT_ENTRIES};
use laptime_core::{PathId, SpanWork};

use crate::device::here::Place;
use crate::device::{Begun, OpenOnDevices};
use crate::device_memory::OpenWithMemory;
use crate::memory::Frames;
use crate::nvtx::Ranges;
use carried::Carried;
pub use closing::Closed;
pub use entry::{AUTOMATIC, AtomicEntry, CARRIES, Entry, GENERAL};
pub use slot::Slot;
use slot::{BEYOND, Home};

/// Forks between the program's first process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// In a forked child: every stack made until now is the parent's.
pub fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// A span's identity: where it stands and when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub index: u32,
    pub start: u64,
}

/// A stack: its slot and what does not fit there.
#[derive(Debug)]
pub struct Stack {
    home: Home,
    /// Forks that had happened when it was made or started over.
    forks: u32,
    deep: Vec<Entry>,
    strays: Vec<Entry>,
    /// What the open spans carry.
    carried: Carried,
    /// Memory of the open spans, while it is counted.
    pub memory: Frames,
    /// Those of the open spans that are timed on a device.
    pub on_devices: OpenOnDevices,
    /// Those of the open spans whose memory on devices is followed.
    pub device_memory: OpenWithMemory,
    /// Ranges of the open spans, while a tool takes them.
    pub ranges: Ranges,
}

impl Stack {
    /// An empty stack on memory of its own. Spans open under `base`.
    pub fn new(track: u32, base: PathId) -> Self {
        Self {
            home: Home::new(track, base),
            forks: FORKS.load(Ordering::Relaxed),
            deep: Vec::new(),
            strays: Vec::new(),
            carried: Carried::default(),
            memory: Frames::default(),
            on_devices: OpenOnDevices::default(),
            device_memory: OpenWithMemory::default(),
            ranges: Ranges::default(),
        }
    }

    /// Where the hot path works.
    pub fn slot(&self) -> NonNull<Slot> {
        self.home.pointer()
    }

    /// Moves onto other memory, with all that is open.
    ///
    /// # Safety
    /// `to` is valid for as long as the stack lives, and nobody else writes it.
    pub unsafe fn move_to(&mut self, to: NonNull<Slot>) {
        // SAFETY: the caller's promise.
        unsafe { self.home.move_to(to) };
    }

    /// Moves back onto memory of its own.
    pub fn move_home(&mut self) {
        self.home.move_home();
    }

    /// Whether the stack lies in a black box.
    pub fn is_boxed(&self) -> bool {
        self.home.is_boxed()
    }

    /// In a forked child: what was open belongs to the parent; the innermost, `base`, is what spans
    /// open under. Leaves the black box without touching it.
    pub fn start_over(&mut self, track: u32, base: PathId) {
        self.home.start_over(track, base);
        self.forks = FORKS.load(Ordering::Relaxed);
        // Not freed: another thread may have been in the midst of changing them as the fork happened.
        std::mem::forget((
            std::mem::take(&mut self.deep),
            std::mem::take(&mut self.strays),
            std::mem::take(&mut self.carried),
            std::mem::take(&mut self.memory),
        ));
        self.on_devices.start_over();
        self.device_memory.start_over();
        self.ranges.start_over();
    }

    /// Whether the process was forked since it was made or started over.
    #[inline]
    pub fn is_inherited(&self) -> bool {
        self.forks != FORKS.load(Ordering::Relaxed)
    }

    /// Starts over if it is inherited; for a stack that another thread may have been using.
    #[inline]
    pub fn start_over_if_inherited(&mut self) {
        if self.is_inherited() {
            self.start_over(self.track(), self.innermost_in_slot());
        }
    }

    /// The innermost path that the slot knows: all that may be read of another thread's stack.
    pub fn innermost_in_slot(&self) -> PathId {
        PathId(self.home.entry(self.home.len()).path)
    }

    pub fn track(&self) -> u32 {
        self.home.get().track.load(Ordering::Relaxed)
    }

    /// Open spans, the base not counted.
    pub fn len(&self) -> usize {
        match self.home.len() {
            len if len == SLOT_ENTRIES - 1 => len + self.deep.len(),
            len => len,
        }
    }

    /// Path under which the next span opens.
    pub fn innermost(&self) -> PathId {
        PathId(self.entry(self.len()).path)
    }

    /// The entry at an index; 0 is the base.
    pub fn entry(&self, index: usize) -> Entry {
        match index.checked_sub(SLOT_ENTRIES) {
            None => self.home.entry(index),
            Some(beyond) => self.deep.get(beyond).copied().unwrap_or_default(),
        }
    }

    pub fn set_entry(&mut self, index: usize, entry: Entry) {
        match index.checked_sub(SLOT_ENTRIES) {
            None => self.home.get().entries[index].set(entry),
            Some(beyond) => {
                if let Some(deep) = self.deep.get_mut(beyond) {
                    *deep = entry;
                }
            }
        }
    }

    /// Opens a span; the general case of what `span::enter` does inline.
    pub fn push(&mut self, entry: Entry) -> Position {
        let index = self.len() + 1;
        if index < SLOT_ENTRIES {
            self.home.get().entries[index].set(entry);
            self.home
                .get()
                .depth
                .store(index as u32 + 1, Ordering::Release);
        } else {
            self.deep.push(entry);
            self.home.get().depth.store(BEYOND, Ordering::Release);
        }
        Position {
            index: index as u32,
            start: entry.start,
        }
    }

    fn truncate(&mut self, index: usize) {
        if index >= SLOT_ENTRIES {
            self.deep.truncate(index - SLOT_ENTRIES);
        } else {
            self.deep.clear();
        }
        let depth = if self.deep.is_empty() {
            index.min(SLOT_ENTRIES) as u32
        } else {
            BEYOND
        };
        self.home.get().depth.store(depth, Ordering::Release);
    }

    /// Whether a span is open here.
    pub fn find(&self, position: Position) -> Option<usize> {
        let index = position.index as usize;
        let there = index >= 1 && index <= self.len() && self.entry(index).start == position.start;
        there.then_some(index)
    }

    /// Whether the time of an open span is in that of the one around it: a recursion too deep to be told apart,
    /// or a span without a path of its own.
    pub fn is_inside(&self, position: Position) -> bool {
        self.find(position).is_some_and(|index| self.is_part(index))
    }

    /// As [`Self::is_inside`], of the span at an index.
    pub fn is_part(&self, index: usize) -> bool {
        let entry = self.entry(index);
        match index {
            0 => false,
            // What was open where a task was created has none of the task's time.
            1 if entry.is_overflow() => false,
            _ => entry.is_overflow() || entry.path == self.entry(index - 1).path,
        }
    }

    /// The innermost open span of a site.
    pub fn find_site(&self, site: u32) -> Option<Position> {
        (1..=self.len())
            .rev()
            .find(|index| self.entry(*index).is_of(site))
            .map(|index| Position {
                index: index as u32,
                start: self.entry(index).start,
            })
    }

    /// From now on the spans that are open and timed on a device close the general way.
    pub fn carry_timed(&mut self) {
        for index in 1..=self.len() {
            let entry = self.entry(index);
            if self.on_devices.stream(entry.start).is_some() {
                self.carry(index, entry);
            }
        }
    }

    /// The innermost span, if it is this one, and carries nothing but its time on a device.
    #[inline]
    fn innermost_plain(&self, position: Position) -> Option<Entry> {
        let slot = self.home.get();
        let index = position.index as usize;
        let entry = slot.entries.get(index)?.get();
        let is_it = position.index + 1 == slot.depth.load(Ordering::Relaxed)
            && entry.start == position.start
            && entry.site & GENERAL == 0
            && self.ranges.is_empty()
            && self.device_memory.is_empty()
            && !self.is_inside(position);
        is_it.then_some(entry)
    }

    /// Takes the device's part of the innermost span, if it is this one, carries nothing else, and is timed.
    /// It closes by [`Self::take_innermost`].
    #[inline]
    pub fn take_on_device(&mut self, position: Position) -> Option<(Place, Begun)> {
        self.innermost_plain(position)?;
        self.on_devices.take_running(position.start)
    }

    /// Takes the innermost span off, if it is this one, and carries nothing.
    #[inline]
    pub fn take_innermost(&mut self, position: Position) -> Option<Entry> {
        let entry = self.innermost_plain(position)?;
        self.home
            .get()
            .depth
            .store(position.index, Ordering::Release);
        Some(entry)
    }

    /// Gives an open span its work, or more of it.
    pub fn give(&mut self, index: usize, work: SpanWork) {
        let entry = self.entry(index);
        self.carry(index, entry);
        self.carried.give(entry, work);
    }

    /// From now on an open span closes the general way.
    fn carry(&mut self, index: usize, entry: Entry) {
        self.set_entry(index, entry.carrying());
    }

    /// The work that an open span was given.
    pub fn given(&self, index: usize) -> SpanWork {
        self.carried.given(self.entry(index))
    }

    /// Takes the work of a span that closes, if it was given any.
    #[inline]
    pub fn take_work(&mut self, entry: Entry) -> Option<SpanWork> {
        self.carried.take_work(entry)
    }

    /// An open span was written until then, and goes on from there.
    pub fn part(&mut self, index: usize, until: u64) {
        let entry = self.entry(index);
        self.carry(index, entry);
        self.carried.part(entry, until);
    }

    /// From when on the time of an open span was not written yet.
    pub fn start(&self, entry: Entry) -> u64 {
        self.carried.start(entry)
    }

    /// As [`Self::start`], of a span that closes.
    #[inline]
    pub fn take_start(&mut self, entry: Entry) -> u64 {
        self.carried.take_start(entry)
    }

    /// What is open, outermost first.
    pub fn open(&self) -> Vec<OpenSpan> {
        let track = self.track();
        (1..=self.len())
            .map(|index| {
                let entry = self.entry(index);
                OpenSpan {
                    path: PathId(entry.path),
                    track,
                    start: entry.start,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
