//! The stack of open spans of one thread or task, laid out as a slot of the black box.
//!
//! While a recording is on, the slot *is* the black box: pushing a span is also what
//! tells a later reader that it was open. Spans nested deeper than a slot go to a list
//! beside it; spans left open by a parent that closed go to the strays.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use laptime_core::format::process::{OpenSpan, SLOT_ENTRIES, SLOT_LEN};
use laptime_core::{PathId, SpanWork};

use crate::device::here::Place;
use crate::device::{Begun, OpenOnDevices};
use crate::device_memory::OpenWithMemory;
use crate::memory::Frames;
use crate::nvtx::Ranges;
use crate::site::Site;

/// Set in [`Entry::site`] of spans that close together with their parent.
pub const AUTOMATIC: u32 = 1 << 31;

/// Set in [`Entry::site`] of spans whose work lies in [`Stack::work`], or that [`Stack::part`] was told of: no site
/// is equal to it, so such spans close the general way.
pub const CARRIES: u32 = 1 << 30;

/// Set in [`Entry::site`] of spans without a path of their own, of `<overflow>`: what is around them may have their time.
const OVERFLOWS: u32 = 1 << 29;

/// Spans with any of these close the general way.
pub const GENERAL: u32 = CARRIES | OVERFLOWS;

/// What of [`Entry::site`] is no site.
const FLAGS: u32 = AUTOMATIC | GENERAL;

/// Value of [`Slot::depth`] while spans lie beyond the slot: no index of the slot is innermost then.
const BEYOND: u32 = SLOT_ENTRIES as u32 + 1;

/// Most spans kept as strays: a program that leaks open spans must not leak memory.
const MAX_STRAYS: usize = 1_024;

/// Forks between the program's first process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// In a forked child: every stack made until now is the parent's.
pub fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// One open span.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entry {
    pub path: u32,
    pub site: u32,
    pub start: u64,
}

impl Entry {
    /// A span that opens.
    #[inline]
    pub fn new(path: PathId, site: &Site, flags: u32, start: u64) -> Self {
        let site = site.index() | flags;
        Self {
            path: 0,
            site,
            start,
        }
        .moved(path)
    }

    /// The same span under another path.
    pub fn moved(self, path: PathId) -> Self {
        let overflows = if path == PathId::OVERFLOW {
            OVERFLOWS
        } else {
            0
        };
        Self {
            path: path.0,
            site: self.site & !OVERFLOWS | overflows,
            ..self
        }
    }

    /// Whether it has no path of its own.
    pub fn is_overflow(self) -> bool {
        self.path == PathId::OVERFLOW.0
    }
}

/// The shared layout of `laptime_core::format::process`. Written by its thread alone.
#[repr(C)]
pub struct Slot {
    pub depth: AtomicU32,
    pub track: AtomicU32,
    zero: u64,
    pub entries: [Cell<Entry>; SLOT_ENTRIES],
}

const _: () = assert!(size_of::<Slot>() == SLOT_LEN);

/// A span's identity: where it stands and when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub index: u32,
    pub start: u64,
}

/// A stack: its slot and what does not fit there.
#[derive(Debug)]
pub struct Stack {
    slot: NonNull<Slot>,
    owned: bool,
    /// Forks that had happened when it was made or started over.
    forks: u32,
    deep: Vec<Entry>,
    strays: Vec<Entry>,
    /// Work of open spans by their starts, where it was given.
    work: Vec<(u64, SpanWork)>,
    /// Until when open spans were written already, by their starts.
    parted: Vec<(u64, u64)>,
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
        // SAFETY: a slot is integers; zeros are valid.
        let slot: Box<Slot> = Box::new(unsafe { std::mem::zeroed() });
        let stack = Self {
            slot: NonNull::from(Box::leak(slot)),
            owned: true,
            forks: FORKS.load(Ordering::Relaxed),
            deep: Vec::new(),
            strays: Vec::new(),
            work: Vec::new(),
            parted: Vec::new(),
            memory: Frames::default(),
            on_devices: OpenOnDevices::default(),
            device_memory: OpenWithMemory::default(),
            ranges: Ranges::default(),
        };
        stack.reset(track, base);
        stack
    }

    /// Where the hot path works.
    pub fn slot(&self) -> NonNull<Slot> {
        self.slot
    }

    fn get(&self) -> &Slot {
        // SAFETY: points to the box made in `new` or to a taken slot, whose prefix stays mapped.
        unsafe { self.slot.as_ref() }
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

    /// Moves onto other memory, with all that is open.
    ///
    /// # Safety
    /// `to` is valid for as long as the stack lives, and nobody else writes it.
    pub unsafe fn move_to(&mut self, to: NonNull<Slot>) {
        // SAFETY: the caller's promise.
        let target = unsafe { to.as_ref() };
        let source = self.get();
        target
            .track
            .store(source.track.load(Ordering::Relaxed), Ordering::Relaxed);
        for (new, old) in target.entries.iter().zip(&source.entries) {
            new.set(old.get());
        }
        target
            .depth
            .store(source.depth.load(Ordering::Relaxed), Ordering::Release);
        self.release();
        self.slot = to;
        self.owned = false;
    }

    /// Moves back onto memory of its own.
    pub fn move_home(&mut self) {
        let fresh = Self::new(0, PathId::ROOT);
        let home = fresh.slot;
        std::mem::forget(fresh);
        // SAFETY: the memory was just allocated, and is now owned here.
        unsafe { self.move_to(home) };
        self.owned = true;
    }

    /// Whether the stack lies in a black box.
    pub fn is_boxed(&self) -> bool {
        !self.owned
    }

    /// In a forked child: what was open belongs to the parent; the innermost, `base`, is what spans
    /// open under. Leaves the black box without touching it.
    pub fn start_over(&mut self, track: u32, base: PathId) {
        if self.owned {
            self.reset(track, base);
        } else {
            let fresh = Self::new(track, base);
            self.slot = fresh.slot;
            self.owned = true;
            std::mem::forget(fresh);
        }
        self.forks = FORKS.load(Ordering::Relaxed);
        // Not freed: another thread may have been in the midst of changing them as the fork happened.
        std::mem::forget((
            std::mem::take(&mut self.deep),
            std::mem::take(&mut self.strays),
            std::mem::take(&mut self.work),
            std::mem::take(&mut self.parted),
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
        PathId(self.in_slot(self.slot_len()).path)
    }

    pub fn track(&self) -> u32 {
        self.get().track.load(Ordering::Relaxed)
    }

    /// Open spans, the base not counted.
    pub fn len(&self) -> usize {
        match self.slot_len() {
            len if len == SLOT_ENTRIES - 1 => len + self.deep.len(),
            len => len,
        }
    }

    /// How many of them lie in the slot, whatever is written there.
    fn slot_len(&self) -> usize {
        let depth = self.get().depth.load(Ordering::Relaxed) as usize;
        depth.clamp(1, SLOT_ENTRIES) - 1
    }

    fn in_slot(&self, index: usize) -> Entry {
        let entry = self.get().entries.get(index);
        entry.map(Cell::get).unwrap_or_default()
    }

    /// Path under which the next span opens.
    pub fn innermost(&self) -> PathId {
        PathId(self.entry(self.len()).path)
    }

    /// The entry at an index; 0 is the base.
    pub fn entry(&self, index: usize) -> Entry {
        match index.checked_sub(SLOT_ENTRIES) {
            None => self.in_slot(index),
            Some(beyond) => self.deep.get(beyond).copied().unwrap_or_default(),
        }
    }

    pub fn set_entry(&mut self, index: usize, entry: Entry) {
        match index.checked_sub(SLOT_ENTRIES) {
            None => self.get().entries[index].set(entry),
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
            self.get().entries[index].set(entry);
            self.get().depth.store(index as u32 + 1, Ordering::Release);
        } else {
            self.deep.push(entry);
            self.get().depth.store(BEYOND, Ordering::Release);
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
        self.get().depth.store(depth, Ordering::Release);
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
            .find(|index| self.entry(*index).site & !FLAGS == site)
            .map(|index| Position {
                index: index as u32,
                start: self.entry(index).start,
            })
    }

    /// Closes a span wherever it stands.
    ///
    /// Spans above it that close with their parent are returned, innermost first; others become
    /// strays, which close later, and then out of order. `None` when it is not open here at all.
    pub fn close(&mut self, position: Position) -> Option<Closed> {
        if let Some(index) = self.find(position) {
            let entry = self.entry(index);
            let mut closed = Closed {
                entry,
                unbalanced: false,
                with_it: Vec::new(),
            };
            for above in ((index + 1)..=self.len()).rev() {
                let above = self.entry(above);
                if above.site & AUTOMATIC != 0 {
                    closed.with_it.push(above);
                } else {
                    closed.unbalanced = true;
                    self.strays.push(above);
                }
            }
            self.truncate(index);
            if self.strays.len() > MAX_STRAYS {
                for lost in self.strays.drain(..self.strays.len() - MAX_STRAYS) {
                    self.memory.forget(lost.start);
                    self.on_devices.forget(lost.start);
                    self.device_memory.forget(lost.start);
                    self.ranges.close(lost.start);
                    self.work.retain(|(start, _)| *start != lost.start);
                    self.parted.retain(|(start, _)| *start != lost.start);
                }
            }
            return Some(closed);
        }
        let stray = self
            .strays
            .iter()
            .rposition(|stray| stray.start == position.start)?;
        Some(Closed {
            entry: self.strays.remove(stray),
            unbalanced: true,
            with_it: Vec::new(),
        })
    }

    /// The device's part ends of a span that is about to close, which is returned by when it opened, and of
    /// those that close with it, which are added to `inside`, innermost first.
    pub fn end_on_devices(
        &mut self,
        position: Position,
        inside: &mut Vec<(u64, Begun)>,
    ) -> Option<(u64, Begun)> {
        if self.on_devices.is_empty() {
            return None;
        }
        if let Some(index) = self.find(position) {
            for above in ((index + 1)..=self.len()).rev() {
                let above = self.entry(above);
                if above.site & AUTOMATIC != 0
                    && let Some(begun) = self.on_devices.end(above.start)
                {
                    inside.push((above.start, begun));
                }
            }
        }
        Some((position.start, self.on_devices.end(position.start)?))
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
        let slot = self.get();
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
        self.get().depth.store(position.index, Ordering::Release);
        Some(entry)
    }

    /// Gives an open span its work, or more of it.
    pub fn give(&mut self, index: usize, work: SpanWork) {
        let entry = self.entry(index);
        self.carry(index, entry);
        match self.place_of_work(entry) {
            Some(place) => self.work[place].1 = self.work[place].1.or_later(work),
            None => self.work.push((entry.start, work)),
        }
    }

    /// From now on an open span closes the general way.
    fn carry(&mut self, index: usize, entry: Entry) {
        let carrying = Entry {
            site: entry.site | CARRIES,
            ..entry
        };
        self.set_entry(index, carrying);
    }

    /// The work that an open span was given.
    pub fn given(&self, index: usize) -> SpanWork {
        let place = self.place_of_work(self.entry(index));
        place.map_or_else(SpanWork::default, |place| self.work[place].1)
    }

    /// Takes the work of a span that closes, if it was given any.
    #[inline]
    pub fn take_work(&mut self, entry: Entry) -> Option<SpanWork> {
        Some(self.work.remove(self.place_of_work(entry)?).1)
    }

    /// Spans that opened at once are told apart by whether they carry any: the inner one came last.
    fn place_of_work(&self, entry: Entry) -> Option<usize> {
        if entry.site & CARRIES == 0 {
            return None;
        }
        self.work.iter().rposition(|known| known.0 == entry.start)
    }

    /// An open span was written until then, and goes on from there.
    pub fn part(&mut self, index: usize, until: u64) {
        let entry = self.entry(index);
        self.take_start(entry);
        self.carry(index, entry);
        self.parted.push((entry.start, until));
    }

    /// From when on the time of an open span was not written yet.
    pub fn start(&self, entry: Entry) -> u64 {
        let place = self.place_of_part(entry);
        place.map_or(entry.start, |place| self.parted[place].1)
    }

    /// As [`Self::start`], of a span that closes.
    #[inline]
    pub fn take_start(&mut self, entry: Entry) -> u64 {
        let place = self.place_of_part(entry);
        place.map_or(entry.start, |place| self.parted.remove(place).1)
    }

    fn place_of_part(&self, entry: Entry) -> Option<usize> {
        if entry.site & CARRIES == 0 {
            return None;
        }
        self.parted.iter().rposition(|known| known.0 == entry.start)
    }

    /// A stray of a site, the latest first.
    pub fn find_stray(&self, site: u32) -> Option<Position> {
        self.strays
            .iter()
            .rfind(|stray| stray.site & !FLAGS == site)
            .map(|stray| Position {
                index: u32::MAX,
                start: stray.start,
            })
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

    fn release(&mut self) {
        if self.owned {
            // SAFETY: made by `new` and not used any more.
            drop(unsafe { Box::from_raw(self.slot.as_ptr()) });
        } else {
            self.get().depth.store(0, Ordering::Release);
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.release();
    }
}

/// What closing a span took off the stack.
#[derive(Debug)]
pub struct Closed {
    pub entry: Entry,
    pub unbalanced: bool,
    pub with_it: Vec<Entry>,
}

#[cfg(test)]
#[path = "stack_tests.rs"]
mod tests;
