//! The memory behind a window: the heap, or a part of the recording's file.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use laptime_core::format::record::Cursor;
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN, WindowHeader};

use crate::platform;

/// Where a window's bytes end up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// The bytes are folded into tallies, once the window is full.
    Nowhere,
    /// The bytes end up in the file's slot, through a mapping.
    Mapped { slot: u64 },
    /// The bytes end up in the file's slot, which is written out now and then.
    Written { slot: u64 },
}

/// A window. One thread writes records; others may read what is committed.
#[derive(Debug)]
pub struct Window {
    base: NonNull<u8>,
    /// Bytes that may be used, the header included.
    length: usize,
    destination: Destination,
    /// Number of the recording it belongs to; windows of a finished one are dropped.
    epoch: u64,
    /// The number that it was opened with, and where its records start counting.
    stream: u32,
    start: Cursor,
}

/// Of a window that wasn't opened.
const NOWHERE: Cursor = Cursor { last: 0, track: 0 };

// SAFETY: plain memory; the discipline of who writes when is the writer's and the collector's.
unsafe impl Send for Window {}

/// Where the header goes on after the committed length.
const AFTER_COMMITTED: usize = COMMITTED_OFFSET + size_of::<u32>();

/// Bytes of a window's magic.
const MAGIC_LEN: usize = 4;

const LAYOUT: Layout = match Layout::from_size_align(WINDOW_LEN, 64) {
    Ok(layout) => layout,
    Err(_) => panic!("a valid layout"),
};

impl Window {
    /// A window on the heap, with `length` bytes to be used.
    pub fn on_heap(destination: Destination, length: usize, epoch: u64) -> Self {
        // SAFETY: the layout has a size.
        let base = unsafe { alloc_zeroed(LAYOUT) };
        let base = NonNull::new(base).unwrap_or_else(|| handle_alloc_error(LAYOUT));
        Self {
            base,
            length,
            destination,
            epoch,
            stream: 0,
            start: NOWHERE,
        }
    }

    /// A window on a mapped slot of the file, whose first `length` bytes are there to be used.
    pub fn on_map(base: NonNull<u8>, slot: u64, length: usize, epoch: u64) -> Self {
        let destination = Destination::Mapped { slot };
        Self {
            base,
            length,
            destination,
            epoch,
            stream: 0,
            start: NOWHERE,
        }
    }

    pub fn destination(&self) -> Destination {
        self.destination
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number that it was opened with.
    pub fn stream(&self) -> u32 {
        self.stream
    }

    /// Where its records start counting.
    pub fn start(&self) -> Cursor {
        self.start
    }

    /// The slot in the file.
    pub fn slot(&self) -> Option<u64> {
        match self.destination {
            Destination::Nowhere => None,
            Destination::Mapped { slot } | Destination::Written { slot } => Some(slot),
        }
    }

    /// Makes the window an open one without records. The magic comes last: a kill before it leaves a slot
    /// that was never used.
    pub fn open(&mut self, header: &WindowHeader) {
        (self.stream, self.start) = (header.stream, header.cursor());
        let bytes = header.to_bytes();
        let (magic, rest) = bytes.split_at(MAGIC_LEN);
        // SAFETY: the window is at least a header long and aligned, and nobody else has it.
        unsafe {
            let first = AtomicU32::from_ptr(self.base.as_ptr().cast());
            first.store(0, Ordering::Relaxed);
            self.base
                .add(MAGIC_LEN)
                .copy_from_nonoverlapping(NonNull::from(rest).cast(), rest.len());
            let magic = magic.first_chunk().copied().unwrap_or_default();
            first.store(u32::from_ne_bytes(magic), Ordering::Release);
        }
    }

    /// First byte of the records.
    pub fn records(&self) -> *mut u8 {
        // SAFETY: inside the window.
        unsafe { self.base.as_ptr().add(HEADER_LEN) }
    }

    /// First byte after what may be used.
    pub fn end(&self) -> *mut u8 {
        // SAFETY: inside the window, or one past it.
        unsafe { self.base.as_ptr().add(self.length) }
    }

    /// The committed length.
    pub fn committed(&self) -> &AtomicU32 {
        // SAFETY: the records of a window that lives as long as the result.
        unsafe { Self::committed_at(self.records()) }
    }

    /// The committed length of the window whose records start here.
    ///
    /// # Safety
    /// `records` comes from [`Window::records`] of a window that outlives the result.
    #[inline]
    #[allow(clippy::cast_ptr_alignment)] // windows are aligned to 64
    pub unsafe fn committed_at<'a>(records: *mut u8) -> &'a AtomicU32 {
        // SAFETY: inside the window, and only ever accessed atomically once open.
        unsafe {
            &*records
                .sub(HEADER_LEN - COMMITTED_OFFSET)
                .cast::<AtomicU32>()
        }
    }

    /// A copy of the header and the committed records, valid while the owner goes on writing.
    pub fn copy(&self) -> Vec<u8> {
        let committed = self.committed().load(Ordering::Acquire);
        let len = HEADER_LEN + (committed as usize).min(self.length - HEADER_LEN);
        let mut bytes = vec![0; len];
        // SAFETY: committed records are never written again, and of the header, while the window is open, the committed
        // length alone: it is left out, since its owner may store it at this moment.
        unsafe {
            let (from, to) = (self.base.as_ptr(), bytes.as_mut_ptr());
            std::ptr::copy_nonoverlapping(from, to, COMMITTED_OFFSET);
            let (from, to) = (from.add(AFTER_COMMITTED), to.add(AFTER_COMMITTED));
            std::ptr::copy_nonoverlapping(from, to, len - AFTER_COMMITTED);
        }
        bytes[COMMITTED_OFFSET..AFTER_COMMITTED].copy_from_slice(&committed.to_le_bytes());
        bytes
    }

    /// A copy of the committed records behind the first `read` bytes of them, as [`Window::copy`].
    pub fn copy_since(&self, read: usize) -> Vec<u8> {
        let committed = self.committed().load(Ordering::Acquire) as usize;
        let committed = committed.min(self.length - HEADER_LEN);
        let mut bytes = vec![0; committed.saturating_sub(read)];
        // SAFETY: committed bytes are never written again.
        unsafe {
            let from = self.records().add(read.min(committed));
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len());
        }
        bytes
    }

    /// All bytes that may be used, for sealing.
    ///
    /// # Safety
    /// The window's writer has let go of it: no record is being written.
    pub unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is this window's, and the caller promises that nobody writes.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.length) }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: allocated or mapped by the constructor, with this length.
        unsafe {
            match self.destination {
                Destination::Mapped { .. } => platform::unmap(self.base, WINDOW_LEN),
                Destination::Nowhere | Destination::Written { .. } => {
                    dealloc(self.base.as_ptr(), LAYOUT);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
