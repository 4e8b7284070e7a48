//! Where the program has used up its memory: an allocation of ours that fails may not abort it.
//!
//! Rust's collections abort the process when the allocator has nothing left. A program that catches
//! its `MemoryError` and goes on with less would be ended by us. So a door with an allocator of its
//! own keeps a [`Reserve`]: what the system refuses comes from there, and before it is used up
//! recording stops, with one warning.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::guard;

/// Bytes kept back. They are address space until they are needed: nothing is touched before.
const SIZE: usize = 1 << 20;
/// Bytes in use from which on nothing is recorded any more.
const STOP: usize = SIZE / 2;

/// An allocator that has something left when the system's has not.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: laptime_recorder::Reserve = laptime_recorder::Reserve::system();
/// # fn main() {}
/// ```
///
/// **Cost** one comparison an allocation and a release.
#[derive(Debug)]
pub struct Reserve<A = System> {
    inner: A,
    bytes: Bytes,
    /// How many blocks of `bytes` are in use (upper half), and where the next begins. Blocks are
    /// given from the front and taken back all at once, with the last.
    used: AtomicU64,
}

#[derive(Debug)]
#[repr(align(64))]
struct Bytes(UnsafeCell<[u8; SIZE]>);

// SAFETY: only the blocks that `used` deals out are touched, each by who has it.
unsafe impl Sync for Bytes {}

const ONE: u64 = 1 << 32;

const fn top(used: u64) -> usize {
    (used & (ONE - 1)) as usize
}

impl Reserve {
    /// Behind the system's allocator.
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> Reserve<A> {
    /// Behind any allocator. For a static: it is too large for a stack.
    #[expect(
        clippy::large_stack_arrays,
        reason = "it stands in a static, never on a stack"
    )]
    pub const fn new(inner: A) -> Self {
        Self {
            inner,
            bytes: Bytes(UnsafeCell::new([0; SIZE])),
            used: AtomicU64::new(0),
        }
    }

    fn holds(&self, memory: *const u8) -> bool {
        (memory as usize).wrapping_sub(self.bytes.0.get() as usize) < SIZE
    }

    #[cold]
    #[inline(never)]
    fn take(&self, layout: Layout) -> *mut u8 {
        let first = self.bytes.0.get().cast::<u8>();
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let gap = first.wrapping_add(top(used)).align_offset(layout.align());
            let begin = top(used).saturating_add(gap);
            let end = begin.saturating_add(layout.size());
            if end > SIZE {
                return ptr::null_mut();
            }
            let next = (used & !(ONE - 1)) + ONE + end as u64;
            match self
                .used
                .compare_exchange_weak(used, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => {
                    if end > STOP {
                        guard::out_of_memory();
                    }
                    return first.wrapping_add(begin);
                }
                Err(now) => used = now,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn give_back(&self) {
        let step = |used: u64| Some(if used < 2 * ONE { 0 } else { used - ONE });
        let _ = self
            .used
            .fetch_update(Ordering::Release, Ordering::Relaxed, step);
    }
}

// SAFETY: a block comes from the inner allocator or, where that has none, is a part of `bytes` that
// nobody else has; it goes back to where it came from. Nothing here unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Reserve<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { self.inner.alloc(layout) };
        if memory.is_null() {
            return self.take(layout);
        }
        memory
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { self.inner.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let memory = self.take(layout);
        if !memory.is_null() {
            // SAFETY: a block of this size, which may have been in use before.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if self.holds(memory) {
            return self.give_back();
        }
        // SAFETY: the caller's promise.
        unsafe { self.inner.dealloc(memory, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.holds(memory) {
            // SAFETY: the caller's promise.
            let grown = unsafe { self.inner.realloc(memory, layout, size) };
            if !grown.is_null() {
                return grown;
            }
        }
        // SAFETY: the caller promises a size that fits; the old block is whole until it is released.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.dealloc(memory, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// An allocator that has nothing left from a moment on.
    struct Ends(AtomicBool);

    // SAFETY: the system's, or nothing.
    unsafe impl GlobalAlloc for Ends {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if self.0.load(Ordering::Relaxed) {
                return ptr::null_mut();
            }
            // SAFETY: the caller's promise.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
            // SAFETY: the caller's promise.
            unsafe { System.dealloc(memory, layout) }
        }
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    impl Ends {
        const fn new(has_ended: bool) -> Self {
            Self(AtomicBool::new(has_ended))
        }
    }

    #[test]
    fn what_the_system_refuses_comes_from_the_reserve_and_goes_back_to_it() {
        static RESERVE: Reserve<Ends> = Reserve::new(Ends::new(false));
        let reserve = &RESERVE;
        // SAFETY: each block is released once, by its layout.
        unsafe {
            let before = reserve.alloc(layout(100));
            assert!(!reserve.holds(before));
            before.write_bytes(7, 100);
            reserve.inner.0.store(true, Ordering::Relaxed);
            let grown = reserve.realloc(before, layout(100), 3_000);
            assert!(reserve.holds(grown) && *grown.add(99) == 7);
            let zeroed = reserve.alloc_zeroed(layout(50));
            assert!(reserve.holds(zeroed) && zeroed.add(49).read() == 0);
            reserve.dealloc(grown, layout(3_000));
            assert!(
                top(reserve.used.load(Ordering::Relaxed)) >= 3_050,
                "one is in use"
            );
            reserve.inner.0.store(false, Ordering::Relaxed);
            let back = reserve.realloc(zeroed, layout(50), 60);
            assert!(!reserve.holds(back), "as soon as the system has some");
            assert_eq!(reserve.used.load(Ordering::Relaxed), 0);
            reserve.dealloc(back, layout(60));
        }
    }

    #[test]
    fn blocks_are_aligned_and_the_end_is_the_end() {
        static RESERVE: Reserve<Ends> = Reserve::new(Ends::new(true));
        let reserve = &RESERVE;
        // SAFETY: the blocks live as long as the reserve.
        unsafe {
            for align in [1, 8, 64, 4_096] {
                let block = reserve.alloc(Layout::from_size_align(3, align).unwrap());
                assert_eq!(block.align_offset(align), 0);
            }
            assert!(reserve.alloc(layout(SIZE)).is_null());
            assert!(!reserve.alloc(layout(SIZE / 4)).is_null());
        }
    }

    #[test]
    fn threads_never_share_a_block() {
        static RESERVE: Reserve<Ends> = Reserve::new(Ends::new(true));
        std::thread::scope(|scope| {
            for mark in 0..4u8 {
                scope.spawn(move || {
                    for _ in 0..1_000 {
                        // SAFETY: released once, by its layout.
                        unsafe {
                            let block = RESERVE.alloc(layout(64));
                            block.write_bytes(mark, 64);
                            let seen = std::slice::from_raw_parts(block, 64);
                            assert!(seen.iter().all(|byte| *byte == mark));
                            RESERVE.dealloc(block, layout(64));
                        }
                    }
                });
            }
        });
        assert_eq!(RESERVE.used.load(Ordering::Relaxed), 0);
    }
}
